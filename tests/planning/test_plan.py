"""Planning: studies become settings, arms, trials and blocks with unique names."""

import copy

import pytest
from reseed.config.datasets import Dataset
from reseed.config.models import Model
from reseed.config.studies import KFold, Main, Seeds, Study
from reseed.core.errors import ReseedError
from reseed.planning.build import make_plan
from reseed.planning.plan import plan_blocks
from reseed.planning.project import Project
from reseed.planning.seed_grid import expand_seeds
from reseed.planning.study_specs import build_study_spec
from toy_project import study_trials

MODEL = {"name": "forest", "title": "Forest", "factory": "reseed.models.forest:random_forest"}
DATASET = {"name": "toy", "title": "Toy", "task": "binary", "target": "y"}
STUDY = {
    "name": "small",
    "title": "Small",
    "datasets": ["toy"],
    "models": ["forest"],
    "splits": [{"kind": "holdout", "test": 0.25}],
    "experiments": {"one": {"seeds": {"model": {"count": 3}}}},
}


def plan_of(study=None, model=None, dataset=None, folder=".", **main):
    project = Project(
        main=Main(**main),
        datasets={"toy": Dataset(**DATASET | (dataset or {}))},
        models={"forest": Model(**MODEL | (model or {}))},
        weights={},
        studies={"small": Study(**copy.deepcopy(STUDY) | (study or {}))},
    )
    return project, make_plan(project, folder)


def test_optional_dataset_without_files_is_left_out_by_title():
    study = Study(**STUDY | {"datasets": ["toy", {"name": "rare", "optional": True}]})
    project, _ = plan_of()
    project.studies["small"] = study
    project.datasets["rare"] = Dataset(**DATASET | {"name": "rare", "title": "Rare panel"})
    for absent, expected in (["rare"], ("Rare panel",)), ([], ()):
        plan = make_plan(project, absent=absent)
        spec = build_study_spec(project, plan, "small")
        assert spec.left_out == expected
        assert ("rare" in spec.datasets) is not bool(absent)


def test_the_longest_hint_for_a_model_counts():
    """Experiments of other data may name another time for the same model."""
    one, two = ({"name": "forest", "seconds_per_trial": seconds} for seconds in (9, 4))
    experiments = {
        f"of_{rows}": {
            "datasets": [{"name": "toy", "rows": rows}],
            "models": [model],
            "seeds": {"model": [0]},
        }
        for rows, model in ((16_000, one), (32_000, two))
    }
    _, plan = plan_of({"experiments": experiments})
    assert [planned.seconds for planned in plan.settings.values()] == [9, 18]


def settings_of(models=None, splits=None):
    study = {"models": models or ["forest"], "splits": splits or STUDY["splits"]}
    return list(plan_of(study)[1].settings)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"max_depth": 1}, {"max_depth": "1"}),
        ({"a": "1,b=2"}, {"a": 1, "b": 2}),
        ({"name": "org/model"}, {"name": "org-model"}),
    ],
)
def test_variants_that_differ_have_names_that_differ(one, other):
    models = [{"name": "forest", "hyperparameters": changes} for changes in (one, other)]
    names = {setting.model for setting in settings_of(models)}
    assert len(names) == 2
    assert not any("/" in name for name in names)


def test_splits_differing_in_eighth_digit_have_other_names():
    splits = [{"kind": "holdout", "test": test} for test in (0.25, 0.25000001)]
    assert len({setting.scheme for setting in settings_of(splits=splits)}) == 2


def test_variant_is_described_in_words():
    _, plan = plan_of({"models": [{"name": "forest", "hyperparameters": {"max_depth": 2}}]})
    (name,) = plan.models
    assert plan.variants[name] == "hyperparameters.max_depth=2"


@pytest.mark.parametrize("field", ["models", "datasets", "splits"])
def test_duplicates_are_refused(field):
    with pytest.raises(ReseedError, match="is listed twice"):
        plan_of({field: STUDY[field] * 2})


def test_more_data_seeds_share_trials_of_fewer():
    kfold = KFold(kind="kfold", folds=5)
    two, ten = (set(expand_seeds(Seeds(data={"count": n}), kfold)) for n in (2, 10))
    assert len(two) == 10
    assert two < ten


def test_arms_of_one_model_share_its_setting_not_its_seeds():
    arms = {
        "first": {"model": "forest", "seeds": {"model": {"count": 3}}},
        "again": {"model": "forest", "seeds": {"model": {"count": 3, "start": 2}}},
    }
    project, plan = plan_of({"experiments": {"aa": {"arms": arms}}})
    (planned,) = plan.settings.values()
    assert [trial.init for trial in planned.trials] == [0, 1, 2, 3, 4]
    assert len(study_trials(plan, "small")[planned.setting]) == 5
    spec = build_study_spec(project, plan, "small")
    assert [arm.name for arm in spec.experiments[0].arms] == ["first", "again"]


def test_model_may_have_a_number_of_candidates_of_its_own():
    models = ["forest", {"name": "forest", "hyperparameters": {"max_depth": 1}, "trials": 7}]
    tuned = {"mode": "fixed", "trials": 50}
    model = {"search_space": {"max_depth": [1, 2], "min_samples_leaf": [1, 2]}}
    _, plan = plan_of({"models": models, "hyperparameters": tuned}, model)
    drawn = {len(setting.model) > 6: setting.hyperparameters for setting in plan.settings}
    assert drawn == {False: "fixed-50", True: "fixed-7"}


def test_candidates_of_one_model_may_differ_between_arms():
    arms = {"few": {"model": {"name": "forest", "trials": 7}}, "many": {"model": "forest"}}
    model = {"search_space": {"max_depth": [1, 2]}}
    experiment = {"arms": arms, "seeds": {"model": {"count": 2}}}
    study = {"experiments": {"aa": experiment}, "hyperparameters": {"mode": "tuned"}}
    _, plan = plan_of(study, model)
    assert {setting.hyperparameters for setting in plan.settings} == {"tuned-7", "tuned-500"}
    assert len(plan.models) == 1


def test_setting_key_ignores_texts_but_not_the_model():
    def key(**changes):
        (planned,) = plan_of(**changes)[1].settings.values()
        return planned.spec.key

    first = key()
    assert key(model={"title": "Other", "notes": "x", "seconds_per_trial": 9.0}) == first
    assert key(dataset={"title": "Other", "citation": "x", "licence": "y"}) == first
    assert key(model={"search_space": {"max_depth": [1, 2]}}) == first
    assert key(study={"title": "Other", "keep": []}) == first
    assert key(model={"hyperparameters": {"max_depth": 2}}) != first
    assert key(model={"encoder": {"scaling": "none"}}) != first
    assert key(model={"stack": {"cpu": 8}}) != first
    assert key(model={"stack": {"gpu": 8}}) == first  # it trains on a CPU
    on_any = key(model={"device": "auto"})
    assert key(model={"device": "auto", "stack": {"gpu": 8}}) != on_any
    assert key(model={"hold_validation": True}) != first


def test_blocks_hold_each_trial_of_a_setting_once():
    models = [
        {"name": "forest", "hyperparameters": {"max_depth": d}, "seconds_per_trial": 1}
        for d in (1, 2, 3)
    ]
    _, plan = plan_of({"models": models})
    found = list(plan_blocks(plan, block_seconds=60))
    assert len(found) == 3
    trials = [(one.planned.setting, trial) for one in found for trial in one.seeds.trials()]
    wanted = [(p.setting, t) for p in plan.settings.values() for t in p.trials]
    assert sorted(trials) == sorted(wanted)
    assert len(list(plan_blocks(plan, block_seconds=60, seeds_per_job=1))) == 9


def test_block_holds_trials_of_the_same_studies_only():
    project, _ = plan_of({"models": [{"name": "forest", "hyperparameters": {"max_depth": 1}}]})
    other = {"name": "other", "models": [{"name": "forest", "hyperparameters": {"max_depth": 2}}]}
    project.studies["other"] = Study(**copy.deepcopy(STUDY) | other)
    plan = make_plan(project)
    found = list(plan_blocks(plan, block_seconds=600))
    assert [block.studies for block in found] == [("small",), ("other",)]


def test_blocks_separate_trials_that_only_one_study_needs():
    project, _ = plan_of({})
    more = {"name": "other", "experiments": {"one": {"seeds": {"model": {"count": 9}}}}}
    project.studies["other"] = Study(**copy.deepcopy(STUDY) | more)
    plan = make_plan(project)
    found = [set(block.seeds.trials()) for block in plan_blocks(plan, 600)]
    needed = {name: set(*study_trials(plan, name).values()) for name in plan.studies}
    assert sorted(map(len, found)) == [3, 6]
    assert found[0].isdisjoint(found[1])
    # The smaller study is made of one block, and the other of both.
    assert needed["small"] in found
    assert needed["other"] == found[0] | found[1]


def test_study_holds_each_of_its_trials_once():
    project, _ = plan_of({})
    more = {"seeds": {"model": {"count": 9}}}
    other = {"name": "other", "experiments": {"one": more, "again": more | {"title": "Again"}}}
    project.studies["other"] = Study(**copy.deepcopy(STUDY) | other)
    plan = make_plan(project)
    (small,), (large,) = (study_trials(plan, name).values() for name in ("small", "other"))
    assert [len(trials) for trials in (small, large)] == [3, 9]
    (planned,) = plan.settings.values()  # one setting, shared
    assert len(planned.trials) == 9
    for name, trials in (("small", small), ("other", large)):
        held = [trial for block in plan.study_blocks(name) for trial in block.seeds.trials()]
        assert sorted(held) == sorted(trials)


def test_block_sizes_are_multiples_of_the_stack_width():
    seeds = {"one": {"seeds": {"model": {"count": 50}}}}
    _, plan = plan_of({"experiments": seeds}, {"stack": {"cpu": 8}, "seconds_per_trial": 6})
    sizes = [len(block.seeds) for block in plan_blocks(plan, block_seconds=60)]
    assert sizes == [16, 16, 16, 2]


@pytest.mark.parametrize(("rows", "width"), [(None, 8), (99_999, 8), (100_000, 1), (1_000_000, 1)])
def test_large_tables_are_trained_one_at_a_time_on_a_cpu(rows, width):
    stack = {"stack": {"cpu": 8, "gpu": 64}, "seconds_per_trial": 6}
    for device, widths in (("cpu", {"cpu": width}), ("auto", {"cpu": width, "gpu": 64})):
        _, plan = plan_of(model=stack | {"device": device}, dataset={"rows": rows})
        (planned,) = plan.settings.values()
        assert planned.spec.model.stack == widths
        assert planned.stack_width == max(widths.values())
        # The width is in the key, so that it does not depend on the size of jobs.
        assert [one.planned.spec.key for one in plan_blocks(plan, 1e9)] == [planned.spec.key]


def test_search_uses_the_metric_of_the_study():
    searched = {"hyperparameters": {"mode": "fixed", "trials": 5}}
    space = {"search_space": {"max_depth": [1, 2]}}

    def planned(study=None, dataset=None):
        _, plan = plan_of(searched | (study or {}), space, dataset)
        return next(iter(plan.settings.values()))

    default, loss = planned(), planned({"metric": "log_loss"})
    assert (default.spec.search.metrics, default.setting[3]) == ((), "fixed-5")
    assert (loss.spec.search.metrics, loss.setting[3]) == (("log_loss",), "fixed-5-by-log_loss")
    assert default.spec.search_parts != loss.spec.search_parts
    own = {"hyperparameters": {"mode": "fixed", "trials": 5, "metric": "brier"}}
    assert planned(own | {"metric": "log_loss"}).spec.search.metrics == ("brier",)
    assert planned(dataset={"metric": "brier"}).spec.search.metrics == ("brier",)
    # Without a search nothing depends on it, so that studies share their trials.
    _, plan = plan_of({"metric": "log_loss"})
    assert [setting[3] for setting in plan.settings] == ["default"]


def test_the_one_search_runs_at_the_seeds_of_the_study():
    search = {"mode": "fixed", "trials": 5}
    space = {"search_space": {"max_depth": [1, 2]}}

    def planned(**seeds):
        _, plan = plan_of({"hyperparameters": search | seeds}, space)
        return next(iter(plan.settings.values()))

    first, other = planned(), planned(data_seed=17, model_seed=3)
    (at,) = other.searches()
    assert (at.data_seed, set(at.seeds.values())) == (17, {3})
    assert (first.setting[3], other.setting[3]) == ("fixed-5", "fixed-5-at-17-3")
    assert first.spec.search_parts == other.spec.search_parts  # the seeds are in its key beside it
    assert first.searches()[0].seeds == dict.fromkeys(at.seeds, 0)


def test_edit_of_a_users_metric_changes_the_study_spec(tmp_path):
    specs = []
    for cost in (5, 50):
        folder = tmp_path / str(cost)
        folder.mkdir()
        (folder / "mine.py").write_text(f"def cost(y, p): return {cost} * abs(y - p).mean()\n")
        specs.append(build_study_spec(*plan_of({"metric": "mine:cost"}, folder=folder), "small"))
    assert specs[0] != specs[1]


def test_arm_with_its_own_device_shares_no_trial():
    _, plan = plan_of({"models": ["forest", {"name": "forest", "device": "gpu"}]})
    one, other = (planned.spec.key for planned in plan.settings.values())
    assert one != other


def test_too_many_seeds_are_refused():
    many = {"data": {"count": 100_000}, "model": {"count": 100_000}}
    with pytest.raises(ReseedError, match="Take fewer seeds"):
        plan_of({"experiments": {"one": {"seeds": many}}})


def test_title_set_by_one_experiment_stays_in_it():
    experiments = {
        "named": {"seeds": {"model": 1}, "models": [{"name": "forest", "title": "Mine"}]},
        "plain": {"seeds": {"model": 2}},
    }
    project, plan = plan_of({"experiments": experiments})
    spec = build_study_spec(project, plan, "small")
    assert {one.name: one.arms[0].title for one in spec.experiments} == {
        "named": "Mine",
        "plain": "Forest",
    }
    again = {"models": [{"name": "forest", "title": title} for title in "AB"]}
    with pytest.raises(ReseedError, match="is listed twice"):
        plan_of(again)


def test_optional_metric_is_computed_if_a_dataset_names_it():
    regression = {"task": "regression", "metric": "pinball_90"}
    (planned,) = plan_of(dataset=regression)[1].settings.values()
    assert planned.spec.model.metric == "pinball_90"
    (planned,) = plan_of(dataset=regression | {"metric": "mae"})[1].settings.values()
    assert planned.spec.model.metric is None


def test_code_that_reads_inputs_is_in_the_key(monkeypatch):
    """An edit of `take` changes what is learnt, though the prepared files stay as they are."""
    from reseed.planning import build as planning

    seen = []
    monkeypatch.setattr(planning, "code_hash", lambda *names, **how: seen.append(names) or "")
    plan_of()
    assert {"reseed.training.run", "reseed.data.inputs", "reseed.models.forest"} <= set(seen[0])
