"""Every option that an error proposes is one of the command, and leads on when it is followed."""

import re
import shlex
from itertools import product

import numpy as np
import pandas as pd
import pytest
from reseed import cli

RNG = np.random.default_rng(11)


def grid(score="accuracy", **columns):
    rows = pd.DataFrame(list(product(*columns.values())), columns=list(columns))
    return rows.assign(**{score: RNG.uniform(0.6, 0.9, len(rows)).round(4)})


TABLES = {
    "no column of runs": grid(model=["a", "b"], outer=range(8)),
    "test cases": grid(model=["a", "b"], image=range(200)),
    "unknown direction": grid("drift", model=["a", "b"], seed=range(6)),
    "unknown direction of items": grid("drift", model=["a", "b"], item=range(40)),
    "several metrics": grid(model=["a", "b"], seed=range(6)).assign(f1=0.5, auc=0.7),
    "random splits": grid(model=["a", "b"], data_seed=range(6)),
    "twenty folds": grid(model=["a", "b"], fold=range(20)),
    "models as columns": pd.DataFrame(RNG.uniform(0.6, 0.9, (8, 3)), columns=["rf", "svm", "nb"]),
    "a family": pd.DataFrame(RNG.uniform(0.6, 0.9, (2, 8)),
                             columns=[f"x{i}" for i in range(8)]).assign(model=["a", "b"]),
    "a setting": grid(model=["a", "b"], lr=[0.1, 0.2], seed=range(5)),
    "domains": grid(model=["a", "b"], domain=["chess", "go", "poker"], seed=range(5)),
    "errors as scores": grid("error", model=["a", "b"], seed=range(6)),
    "low auc": grid("auc", model=["a", "b"], seed=range(6)).assign(auc=lambda t: 1 - t["auc"]),
    "another name of the model": grid(variant=["a", "b"], seed=range(6)),
    "runs named name": grid(Name=["a", "b"], seed=range(6)),
    "several metrics of items": pd.concat(
        [grid("value", model=["a", "b"], item=range(30), metric=[m]) for m in ("f1", "accuracy")]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("command", "name"), [*product(["compare", "read"], TABLES)], ids=str)
def test_proposed_options_lead_on(tmp_path, capsys, command, name):
    path = tmp_path / "t.csv"
    TABLES[name].to_csv(path, index=False)

    def run(*options):
        try:
            cli.main([command, str(path), *options])
        except SystemExit as end:
            return str(end.code)
        return capsys.readouterr().out

    first = run()
    proposed = [one for one in re.findall(r"`(--[^`]+)`", first) if "…" not in one]
    proposed = [one for one in proposed if " " in one or one.endswith("-is-better")]
    for options in dict.fromkeys(proposed if first.startswith("Error") else []):
        if "METRIC" not in options:
            after = run(*shlex.split(options))
            assert after != "2", options
            assert after != first, options
