"""Paths below the results folder: every path has one owner, and no two files share a path."""

import re
from pathlib import Path

from reseed.core.coordinates import Coordinates, Setting
from reseed.core.layout import DECLARED, ResultsLayout, search_name, split_seeds, splits_name
from reseed.planning.validation import RESERVED

ROOT = Path(__file__).parents[2]

LAYOUT = ResultsLayout("out")
SETTING = Setting("magic", "holdout-0.2", "rf", "fixed-50")
TRIAL = Coordinates(3, None, 7, 7, 7, 7)


def test_paths_of_a_trial_and_its_search():
    folder = "magic/holdout-0.2/rf/fixed-50/data-seed-3"
    block = LAYOUT.block(SETTING, "data-seed-3/model-seeds-0-7")
    assert block == f"out/trials/{folder}/model-seeds-0-7.parquet"
    assert LAYOUT.search(SETTING, TRIAL) == f"out/tuning/{folder}/model-seed-7.json"
    assert LAYOUT.search(SETTING, TRIAL, ".parquet") == f"out/tuning/{folder}/model-seed-7.parquet"
    assert search_name(SETTING, TRIAL) == f"tuning/{folder}/model-seed-7"
    splits = LAYOUT.splits(*SETTING[:2], 23)
    assert splits == "out/splits/magic/holdout-0.2/data-seeds-20-39.parquet"


def test_a_data_seed_is_in_one_file_of_splits():
    for seed in (0, 19, 20, 2**32 - 1):
        seeds = split_seeds(seed)
        assert seed in seeds
        assert seeds[0] % 20 == 0
        assert seeds[-1] < 2**32
        names = {LAYOUT.splits("magic", "holdout-0.2", one) for one in seeds}
        assert names == {f"out/splits/magic/holdout-0.2/{splits_name(seed)}.parquet"}


def test_outputs_of_rules_are_in_declared_folders():
    outputs = [
        LAYOUT.data_meta("magic"),
        f"{LAYOUT.weights('lite0')}/meta.json",
        LAYOUT.splits("magic", "holdout-0.2", 0),
        LAYOUT.search(SETTING, TRIAL),
        LAYOUT.block(SETTING, "data-seed-0/model-seed-0"),
        LAYOUT.study("s").metrics,
        LAYOUT.index_page,
    ]
    assert [path.split("/")[1] for path in outputs] == list(DECLARED)


def test_internal_files_are_in_no_declared_folder():
    internal = (LAYOUT.cache, LAYOUT.downloads, LAYOUT.specs, LAYOUT.log("train/x"))
    assert not {path.split("/")[1] for path in internal} & set(DECLARED)
    markers = (LAYOUT.run_token, LAYOUT.touched_marker, LAYOUT.checked_options("ab"))
    assert all(path.startswith(f"{LAYOUT.specs}/") for path in markers)


def test_index_page_is_not_the_page_of_a_study():
    assert LAYOUT.study_page("index") == LAYOUT.index_page
    assert "index" in RESERVED  # so no study has this name


def test_studies_cannot_have_the_name_of_a_rule():
    files = [ROOT / "Snakefile", *(ROOT / "rules").glob("*.smk")]
    rules = {name for f in files for name in re.findall(r"^rule (\w+):", f.read_text(), re.M)}
    assert rules | {"report"} == RESERVED  # `snakemake --report` is an option
