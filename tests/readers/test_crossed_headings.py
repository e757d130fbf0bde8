"""Headings of a task and a run: each of several tasks has each of several runs."""

import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers.options import ReadOptions
from reseed.readers.read import read_scores


def wide(pattern):
    scores = {
        pattern.format(task, run): [0.7 + run / 100, 0.8 + run / 90]
        for task in ("mnli", "rte")
        for run in range(3)
    }
    return pd.DataFrame({"model": ["bert", "roberta"], **scores})


@pytest.mark.parametrize("pattern", ["{}_s{}", "{} seed {}", "{}-seed{}", "seed{}_{}"])
def test_each_task_is_a_dataset_and_each_run_a_seed(pattern):
    table = wide(pattern) if pattern[0] == "{" else wide("seed{1}_{0}")
    scores, _ = read_scores(table, ReadOptions(metric="accuracy"))
    assert [*scores.metrics] == ["mnli", "rte"]
    assert scores.frame["seed"].max() == 2
    assert len(scores.frame) == 12


def test_bare_numbers_of_several_tasks_are_asked():
    with pytest.raises(ReseedError, match=r"differ in a number only.*headings='seed'"):
        reseed.compare(wide("{}_{}"))


def test_the_answer_keeps_the_tasks_apart():
    scores, _ = read_scores(wide("{}_{}"), ReadOptions(metric="accuracy", headings="fold"))
    assert [*scores.metrics] == ["mnli", "rte"]
    assert scores.frame["fold"].max() == 2


@pytest.mark.parametrize(("pattern", "headings"), [("{}_s{}", ""), ("{}_{}", "seed")])
def test_a_task_may_lack_a_run(pattern, headings):
    table = wide(pattern).iloc[:, :-1]
    scores, _ = read_scores(table, ReadOptions(metric="accuracy", headings=headings))
    assert [*scores.metrics] == ["mnli", "rte"]
    assert len(scores.frame) == 10


def test_one_run_of_each_task_is_no_crossing():
    table = wide("{}_{}")[["model", "mnli_0", "rte_0"]]
    scores, _ = read_scores(table, ReadOptions(metric="accuracy"))
    assert [*scores.metrics] == ["mnli_0", "rte_0"]


@pytest.mark.parametrize(("numbers", "models"), [((0, 1), 2), ((16, 32), 4)])
def test_letters_of_seeds_in_names_of_models(numbers, models):
    names = [f"{model}-s{n}" for model in ("bert", "vit") for n in numbers]
    table = pd.DataFrame({name: [0.7, 0.8, 0.9] for name in names}).assign(dataset=[*"xyz"])
    scores, _ = read_scores(table, ReadOptions(metric="accuracy"))
    assert len(scores.models) == models


def columns_of_models(names, rows="dataset"):
    return pd.DataFrame({name: [0.7, 0.8, 0.9] for name in names.split()}).assign(
        **{rows: [*"xyz"]}
    )


@pytest.mark.parametrize(
    "names", ["rf_1 rf_2 svm_1 svm_2", "rf1 rf2 svm1", "3d-net_0 3d-net_1 vit_0"]
)
def test_numbers_behind_names_of_models_are_asked(names):
    table = columns_of_models(names)
    with pytest.raises(ReseedError, match=r"nothing says what it counts.*`headings='model'`"):
        reseed.compare(table, metric="accuracy")
    scores, _ = read_scores(table, ReadOptions(metric="accuracy", headings="seed"))
    assert len(scores.models) == 2
    assert scores.frame["seed"].nunique() == 2
    scores, _ = read_scores(table, ReadOptions(metric="accuracy", headings="model"))
    assert scores.models == names.split()


@pytest.mark.parametrize(
    "names", ["gpt-4 gpt-3.5", "resnet18 resnet50 vgg16 vgg19", "v1 v2", "rf_1 svm_1", "a1 a2 b c1"]
)
def test_versions_and_sizes_of_models_are_names(names):
    scores, _ = read_scores(columns_of_models(names), ReadOptions(metric="accuracy"))
    assert scores.models == names.split()


def test_the_runs_in_headings_are_no_second_column():
    table = columns_of_models("rf_1 rf_2 svm_1 svm_2", "seed")
    with pytest.raises(ReseedError) as error:
        reseed.compare(table, metric="accuracy")
    assert "headings='seed'" not in str(error.value)
    with pytest.raises(ReseedError, match=r"hold no seed of several models"):
        reseed.compare(table, metric="accuracy", headings="seed")
