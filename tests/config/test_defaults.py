"""A study takes the standard set where it says nothing itself."""

import pytest
from reseed.config.defaults import add_default_analyses, default_analyses_and_exhibits
from reseed.config.studies import Study

RESULTS = {"name": "mine", "title": "M", "results": {"path": "runs.csv"}}


def test_three_lines_are_a_study():
    study = Study.model_validate(RESULTS)
    standard = default_analyses_and_exhibits()
    assert set(study.analyses) == set(standard["analyses"])
    assert list(study.exhibits) == list(standard["exhibits"])
    assert list(study.exhibits) == ["leaderboard", "differences", "verdicts", "spread"]


def test_configured_analyses_are_kept():
    own = RESULTS | {"analyses": {"pairs": {"kind": "pairs"}}}
    study = Study.model_validate(own)
    assert set(study.analyses) == {"pairs"}
    assert {exhibit.analysis for exhibit in study.exhibits.values()} == {"pairs"}
    exhibits = {"mine": {"kind": "verdicts_table", "title": "V", "analysis": "pairs"}}
    assert set(Study.model_validate(own | {"exhibits": exhibits}).exhibits) == {"mine"}


TRAINED = {"name": "t", "title": "T", "experiments": {"e": {"seeds": {"model": 0}}}}


def test_training_study_without_analyses_gets_defaults():
    study = Study.model_validate(TRAINED)
    assert {"pairs", "folds"} <= set(study.analyses)
    assert {"verdicts", "folds", "checklist"} <= set(study.exhibits)
    assert study.exhibits["spread"].options == {"experiments": ["e"]}
    assert "noise" not in study.analyses
    assert "noise" in Study.model_validate(TRAINED | {"keep": ["test"]}).analyses


@pytest.mark.parametrize("own", [{"analyses": {}}, {"exhibits": {}}])
def test_training_study_with_analyses_is_unchanged(own):
    assert add_default_analyses(TRAINED | own) == TRAINED | own


@pytest.mark.parametrize("named", [{"baseline": "a"}, {"pairs": [["a", "b"]]}])
def test_baseline_is_added_to_analyses_of_pairs_only(named):
    study = Study.model_validate(RESULTS | {"results": {"path": "runs.csv"} | named})
    assert study.analyses["pairs"].options == named
    assert study.analyses["seeds_needed"].options == named
    assert study.analyses["spread"].options == {}
    own = {"analyses": {"p": {"kind": "pairs", "options": {"baseline": "c"}}}}
    study = Study.model_validate(RESULTS | own | {"results": {"path": "r.csv", "baseline": "a"}})
    assert study.analyses["p"].options == {"baseline": "c"}


def test_a_trained_study_with_items_has_the_test_over_items():
    for items in (False, True):
        found = default_analyses_and_exhibits(items, trained=True)
        assert ("items" in found["analyses"]) == items
        assert ("items" in found["exhibits"]) == items
    assert "items" not in default_analyses_and_exhibits(True)["analyses"]
    assert default_analyses_and_exhibits(True, trained=True)["analyses"]["items"] == {
        "kind": "item_pairs"
    }
