"""A study of given results takes the standard set where it says nothing itself."""

import pytest
from reseed.config import Study
from reseed.standard import standard_set, with_standard

RESULTS = {"name": "mine", "title": "M", "results": {"path": "runs.csv"}}


def test_three_lines_are_a_study():
    study = Study.model_validate(RESULTS)
    standard = standard_set()
    assert set(study.analyses) == set(standard["analyses"])
    assert list(study.exhibits) == list(standard["exhibits"])
    assert list(study.exhibits)[:2] == ["leaderboard", "differences"]


def test_what_a_study_names_is_kept():
    own = RESULTS | {"analyses": {"pairs": {"kind": "pairs"}}}
    study = Study.model_validate(own)
    assert set(study.analyses) == {"pairs"}
    assert {exhibit.analysis for exhibit in study.exhibits.values()} == {"pairs"}
    exhibits = {"mine": {"kind": "verdicts_table", "title": "V", "analysis": "pairs"}}
    assert set(Study.model_validate(own | {"exhibits": exhibits}).exhibits) == {"mine"}


def test_a_trained_study_is_left_alone():
    trained = {"name": "t", "title": "T", "experiments": {"e": {"seeds": {"model": 0}}}}
    assert with_standard(trained) is trained
    assert Study.model_validate(trained).analyses == {}


@pytest.mark.parametrize("named", [{"baseline": "a"}, {"pairs": [["a", "b"]]}])
def test_a_baseline_reaches_the_analysis_of_pairs_only(named):
    study = Study.model_validate(RESULTS | {"results": {"path": "runs.csv"} | named})
    assert study.analyses["pairs"].options == named
    assert study.analyses["ranking"].options == {}
    own = {"analyses": {"p": {"kind": "pairs", "options": {"baseline": "c"}}}}
    study = Study.model_validate(RESULTS | own | {"results": {"path": "r.csv", "baseline": "a"}})
    assert study.analyses["p"].options == {"baseline": "c"}
