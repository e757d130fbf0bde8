"""Errors of models as tables hold them: any text, of bounded length."""

import io
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from reseed import study
from reseed.cli import main
from reseed.core.plain_text import MOST_CHARACTERS, bound_text
from sklearn.dummy import DummyClassifier


def test_usual_text_is_kept():
    assert bound_text("cannot fit: naïve Σ 日本") == "cannot fit: naïve Σ 日本"
    assert bound_text(None) is None


@pytest.mark.parametrize("text", ["bad \udc80 name", "nul \0 byte", "\ud83d"])
def test_any_text_can_be_written(text):
    frame = pd.DataFrame({"error": [bound_text(text)]})
    file = io.BytesIO()
    frame.to_parquet(file)
    assert "\0" not in pd.read_parquet(file)["error"][0]


def test_long_text_is_cut_in_the_middle():
    text = bound_text("start " + "x" * 30_000_000 + " end")
    assert len(text) < MOST_CHARACTERS + 100
    assert text.startswith("start ")
    assert text.endswith(" end")


def test_terminal_escapes_in_names_are_shown_not_sent(tmp_path, capsys):
    rows = "".join(f"\x1b[31mred,{i},0.{50 + i}\nb,{i},0.{40 + i % 3}\n" for i in range(6))
    (tmp_path / "runs.csv").write_text(f"model,seed,accuracy\n{rows}")
    main(["compare", str(tmp_path / "runs.csv")])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert r"\x1b[31mred" in printed


class Odd(DummyClassifier):
    """Fails for one seed with an error that UTF-8 cannot hold, and that has no end."""

    def __init__(self, random_state=None):
        super().__init__(strategy="stratified", random_state=random_state)

    def fit(self, X, y, sample_weight=None):
        """Fail for the seed 1."""
        if self.random_state == 1:
            raise ValueError("\udc80" + "long " * 1_000_000)
        return super().fit(X, y, sample_weight)


def test_a_study_records_and_shows_the_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    found = study({"odd": Odd(), "plain": DummyClassifier()}, X, y, splits=2, seeds=3)
    errors = found.data.metrics["error"].dropna()
    assert len(errors) == 2
    assert all("\\udc80" in text and len(text) < 2 * MOST_CHARACTERS for text in errors)
    page = found.to_html()
    assert "\\udc80" in page
    assert len(page) < 5_000_000


@pytest.mark.parametrize(
    "body",
    [
        "say('bad \\udc80')",
        "raise ValueError('bad \\udc80')",
        "raise ReseedError('bad \\udc80')",
        "raise OSError(5, 'bad \\udc80')",
        "sys.stderr.write('bad \\udc80')",
    ],
)
def test_a_job_prints_any_text(body):
    code = (
        "import sys\n"
        "from reseed.core.errors import ReseedError\n"
        "from reseed.pipeline.runner import run, say\n"
        f"def main():\n    {body}\n"
        "run(main)\n"
    )
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    environment = os.environ | {"PYTHONIOENCODING": "ascii:strict"} | paths
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert "bad \\udc80" in done.stdout + done.stderr
    assert "UnicodeEncodeError" not in done.stderr
    assert done.returncode == ("raise" in body)
