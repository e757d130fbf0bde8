"""Each page of methods says when to use them and how often they are wrong; its examples run."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "methods" / "index.md"
PAGES = sorted(page for page in INDEX.parent.glob("*.md") if page != INDEX)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run_as_printed(page, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    codes = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert codes
    for code in codes:
        exec(compile(code, page.name, "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("name", ["planned_power", "losses_coverage", "heavy_causes_coverage"])
def test_simulated_tables_have_monte_carlo_errors(name):
    path = INDEX.parent / "simulations" / f"{name}.csv"
    table = pd.read_csv(path)
    assert list(table) == ["case", "measured", "se", "simulations"]
    binomial = (table["measured"] * (1 - table["measured"]) / table["simulations"]) ** 0.5
    assert table["se"].to_numpy() == pytest.approx(binomial.to_numpy(), abs=2e-4)
    assert any(f"(simulations/{name}.csv)" in page.read_text("utf-8") for page in PAGES)
