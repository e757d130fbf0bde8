"""Jobs of a small project: names, inputs and outputs, keys, priorities."""

from dataclasses import replace
from pathlib import Path

import pytest
from reseed.core.coverage import PaperExhibit
from reseed.core.errors import ReseedError
from reseed.core.layout import splits_name
from reseed.core.ownership import is_owned
from reseed.pipeline.job import Context
from reseed.pipeline.spec_files import SpecFiles
from reseed.pipeline.stages import Stage
from reseed.pipeline.study_jobs import StudyJobs
from reseed.pipeline.training_jobs import TrainingJobs
from reseed.planning.read_plan import read_plan
from reseed.planning.specs import to_json
from toy_project import ENTRIES, load_toy_project, study_trials

FIRST_STUDY = ENTRIES["studies/first"]
SPREAD = {"spread": {"kind": "spread"}, "noise": {"kind": "noise_split"}}
SCORES = {"kind": "spread_table", "title": "Scores", "analysis": "spread"}
OPTIONS = {"options": {"experiments": ["models"]}}
#: Judged on the spread over model seeds; another scale names other rows.
STATEMENTS = {
    "moves": {"text": "Seeds move the score.", "exhibit": "scores0", "value": "sd", "scale": "log",
              "title": "SD", "where": {"experiment": ["models"]}, "above": 0.01}
}  # fmt: skip
CHANGES = {
    "models/forest": {"search_space": {"max_depth": [1, 2]}, "seconds_per_trial": 20},
    "studies/first": {
        "keep": ["test"],
        "analyses": SPREAD,
        "exhibits": {f"scores{number}": SCORES | OPTIONS for number in range(9)},
        "experiments": {
            "models": {"seeds": {"data": {"count": 30}, "model": {"count": 3}}},
            "searched": {"hyperparameters": {"mode": "fixed", "trials": 2}, "seeds": {"model": 0}},
        },
    },
    "studies/more": FIRST_STUDY | {"name": "more", "analyses": {}, "exhibits": {}},
    "studies/mine": {
        "name": "mine",
        "title": "Mine",
        "results": {"path": "{results}/examples/mine.csv", "made_from": "first"},
        "analyses": SPREAD,
        "exhibits": {},
    },
}


def list_jobs(context):
    """All jobs, in the order of the data."""
    training, studies = TrainingJobs(context), StudyJobs(context)
    searches = [
        (planned.setting, f"{at.partition}/{at.seed_name}")
        for planned in context.plan.settings.values()
        for at in planned.searches()
    ]
    shards = [
        (setting, at, Path(file).parent.name.removeprefix("rung-"), Path(file).stem)
        for setting, at in searches
        for file in training.search(setting, at).inputs
        if "/rung-" in file
    ]
    return [
        *map(training.prepare, context.plan.datasets),
        *training.list_splits(),
        *(training.shard(s, at, rung, k[6:]) for s, at, rung, k in shards),
        *(training.search(setting, at) for setting, at in searches),
        *(training.train(one.planned.setting, one.seeds.name) for one in context.plan.all_blocks()),
        training.repeat("first"),
        *studies.list_tables(),
        *studies.list_exhibits(),
    ]


def write_sources(plan):
    return SpecFiles(plan.layout, dry=True).write_sources


def make_context(folder, force=lambda outputs: [], changes=CHANGES, retry=lambda outputs: []):
    (folder / "toy.csv").write_text("y,x\n")
    project, plan = load_toy_project(folder, changes, block_seconds=60)
    return Context(project, plan, folder / "config", folder, force, retry, write_sources(plan))


@pytest.fixture
def context(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return make_context(tmp_path)


@pytest.fixture
def jobs(context):
    return list_jobs(context)


def by_module(jobs, module):
    return [job for job in jobs if job.module == module]


def test_every_output_has_one_job(jobs):
    outputs = [file for job in jobs for file in job.outputs]
    assert len(set(outputs)) == len(outputs)


def test_every_output_may_be_deleted_and_made_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    context = make_context(tmp_path, changes=with_statement())
    outputs = [file for job in list_jobs(context) for file in job.outputs]
    assert any(file.endswith("evidence.json") for file in outputs)
    root = context.plan.layout.root
    assert [file for file in outputs if not is_owned(Path(file), root)] == []


def test_inputs_are_outputs_of_earlier_jobs_or_user_files(jobs):
    made = {"toy.csv"}
    for job in jobs:
        assert set(job.inputs) <= made, job.outputs
        made |= set(job.outputs)


def test_every_planned_trial_is_trained_once(jobs, context):
    trained = [
        (part.spec.setting, trial)
        for job in by_module(jobs, "train")
        for part in job.spec().settings
        for trial in part.trials
    ]
    planned = {
        (setting, trial)
        for study in context.trained
        for setting, trials in study_trials(context.plan, study).items()
        for trial in trials
    }
    assert set(trained) == planned
    assert len(trained) == len(planned) == 30 * 3 + 1


def test_files_of_splits_have_borders_that_follow_from_the_seed(jobs):
    files = [Path(file).stem for job in by_module(jobs, "make_splits") for file in job.outputs]
    assert files == ["data-seeds-0-19", "data-seeds-20-39"]


def test_training_job_reads_the_splits_of_its_own_seeds_only(jobs):
    for job in by_module(jobs, "train"):
        seeds = {trial.data_seed for part in job.spec().settings for trial in part.trials}
        splits = {Path(file).stem for file in job.inputs if "/splits/" in file}
        assert splits == {splits_name(seed) for seed in seeds}


def test_searched_trials_read_their_winner(jobs):
    *_, search = by_module(jobs, "search")
    readers = [job for job in by_module(jobs, "train") if search.outputs[0] in job.inputs]
    assert [Path(job.outputs[0]).stem for job in readers] == ["model-seed-0"]


def test_shards_of_a_rung_read_those_of_the_rung_before(context):
    main = context.project.main.model_copy(update={"block_seconds": 1e-3})
    sharded = replace(context, project=context.project.model_copy(update={"main": main}))
    training = TrainingJobs(sharded)
    [planned] = [one for one in context.plan.settings.values() if one.searches()]
    setting, at = planned.setting, "data-seed-0/model-seed-0"
    last = training.search(setting, at)
    names = [file for file in last.inputs if "/rung-" in file]
    number = int(Path(names[0]).parent.name.removeprefix("rung-"))
    assert number == 0
    assert len(names) == 10  # two candidates, five folds
    keys = {str(last.key)}
    for name in names:
        shard = Path(name).stem.removeprefix("shard-")
        job = training.shard(setting, at, str(number), shard)
        assert job.outputs == [name]
        assert not [file for file in job.inputs if "/rung-" in file]
        keys.add(str(job.key))
    assert len(keys) == len(names) + 1


# --- any block is a target -----------------------------------------------------------------------


FOREST = ("toy", "holdout-0.2", "forest", "default")


@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_seeds_that_no_study_plans_can_be_trained(tmp_path, device):
    changes = CHANGES | {"models/forest": CHANGES["models/forest"] | {"device": device}}
    training = TrainingJobs(make_context(tmp_path, changes=changes))
    job = training.train(FOREST, "data-seed-777/model-seeds-5+9000")
    assert (job.model, job.dataset, job.seeds) == ("Forest", "Toy", "seeds 5, 9000")
    [part] = job.spec().settings
    assert [(one.data_seed, one.init) for one in part.trials] == [(777, 5), (777, 9000)]
    assert "splits/toy/holdout-0.2/data-seeds-760-779.parquet" in "".join(job.inputs)
    assert job.gpus == (0 if device == "cpu" else 1)
    planned = next(iter(training.plan.settings.values()))
    assert job.key == planned.spec.key  # the seeds are in no key of a rule


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("toy/holdout-0.2/forst/default/data-seed-0/model-seed-1", "no study trains.* Did you"),
        ("toy/holdout-0.2/forest/default/data-seed-0/seed-1", "names no seeds"),
        ("toy/holdout-0.2/forest/default/data-seed-0/fold-0/model-seed-1", "with folds alone"),
        ("toy/holdout-0.2/forest/default/data-seed-0/model-seed-4294967296", "a seed is at most"),
        ("toy/holdout-0.2/forest/default/data-seed-0/model-seeds-0-999999999", "at most"),
        ("toy/holdout-0.2/forest/default/data-seed-0/model-seeds-42+7", "written .*seeds-7.42"),
        ("toy/holdout-0.2/forest/default/data-seed-0/model-seed-07", "written .*model-seed-7"),
    ],
)  # fmt: skip
def test_impossible_targets_are_refused_in_words(context, target, message):
    training, folder = TrainingJobs(context), f"{context.layout.root}/trials"
    with pytest.raises(ReseedError, match=message):
        training.check_target(f"{folder}/{target}.parquet")
    training.check_target(f"{folder}/{'/'.join(FOREST)}/data-seed-9/model-seeds-3-4.parquet")
    root = context.layout.root
    search = f"{root}/tuning/toy/holdout-0.2/forest/fixed-2/data-seed-0"
    training.check_target(f"{search}/model-seed-0.json")
    training.check_target(f"{search}/model-seed-0/rung-0/shard-0-of-2.json")
    training.check_target(f"{root}/splits/toy/holdout-0.2/data-seeds-20-39.parquet")
    for other, why in (
        (f"{search}/model-seed-00.json", "written data-seed-0/model-seed-0"),
        (f"{search}/model-seeds-0-1.json", "a search has one seed"),
        (f"{root}/splits/toy/holdout-0.2/data-seeds-5-7.parquet", "are in data-seeds-0-19"),
        (f"{root}/splits/toy/holdout-0.2/data-seeds-99999999999-7.parquet", "at most"),
    ):
        with pytest.raises(ReseedError, match=why):
            training.check_target(other)
    training.check_target("--config")


def test_priorities_put_trainings_last(jobs):
    trainings = by_module(jobs, "train")
    others = [job for job in jobs if job.module != "train"]
    assert max(job.priority for job in trainings) < 0
    assert {job.priority for job in others} == {0}


def test_trainings_of_earlier_studies_and_long_jobs_come_first(tmp_path):
    def study(name, depth, count):
        model = {"name": "forest", "hyperparameters": {"max_depth": depth}}
        seeds = {"experiments": {"models": {"seeds": {"model": {"count": count}}}}}
        return FIRST_STUDY | {"name": name, "models": [model]} | seeds

    changes = {
        "models/forest": {"seconds_per_trial": 20},
        "studies/first": study("first", 1, 4),
        "studies/second": study("second", 2, 4),
    }
    context = make_context(tmp_path, changes=changes)
    training = TrainingJobs(context)
    first, second = (
        [
            training.train(block.planned.setting, block.seeds.name).priority
            for block in context.plan.study_blocks(name)
        ]
        for name in ("first", "second")
    )
    assert min(first) > max(second)
    assert first == sorted(first, reverse=True)  # the longer block comes first


def test_models_of_equal_cost_take_turns(tmp_path):
    models = [{"name": "forest", "hyperparameters": {"max_depth": depth}} for depth in (1, 2)]
    seeds = {"experiments": {"models": {"seeds": {"model": {"count": 6}}}}}
    study = FIRST_STUDY | {"models": models} | seeds
    changes = {"models/forest": {"seconds_per_trial": 20}, "studies/first": study}
    context = make_context(tmp_path, changes=changes)
    training = TrainingJobs(context)
    blocks = [(b.planned.setting, b.seeds.name) for b in context.plan.study_blocks("first")]
    order = sorted(blocks, key=lambda one: -training.train(*one).priority)
    assert len({model for (_, _, model, _), _ in order[:2]}) == 2
    assert order[0][1] == order[1][1]


def test_keys_ignore_the_results_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = []
    for results in ("one", "two"):
        project, plan = load_toy_project(tmp_path, CHANGES, results=results)
        config, write = tmp_path / "config", write_sources(plan)
        jobs = list_jobs(Context(project, plan, config, tmp_path, *2 * [lambda _: []], write))
        keys.append(
            [job.key for job in jobs if job.module not in ("export_runs", "import_results")]
        )
    assert keys[0] == keys[1]


def test_every_spec_can_be_written(jobs):
    for job in jobs:
        assert to_json(job.spec())


def test_spec_of_a_drawing_describes_its_outputs(jobs):
    for job in by_module(jobs, "draw"):
        exhibit = job.spec().exhibit
        stem = job.outputs[0].removesuffix(exhibit.suffixes[0])
        assert job.outputs == [f"{stem}{suffix}" for suffix in exhibit.suffixes]
        assert job.file_keys == {f"{stem}.json": exhibit.key}


def test_index_lists_studies_by_position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changes = CHANGES | {"studies/mine": CHANGES["studies/mine"] | {"position": 1}}
    context = make_context(tmp_path, changes=changes)
    assert list(StudyJobs(context).reports.index().spec().exhibits) == ["mine", "first", "more"]


def test_page_job_holds_the_coverage_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = []
    for note in ("lost", "not public"):
        (tmp_path / "paper.csv").write_text(
            f"exhibit,status,entry,note\nTable 1,left out,,{note}\n"
        )
        changes = CHANGES | {"studies/first": CHANGES["studies/first"] | {"coverage": "paper.csv"}}
        jobs = StudyJobs(make_context(tmp_path, changes=changes))
        page = jobs.reports.page("first")
        row = PaperExhibit("Table 1", "left out", (), note)
        assert page.spec().coverage == {"first": (row,)}
        keys.append(page.key)
    assert keys[0] != keys[1]


def with_statement(**changes):
    first = CHANGES["studies/first"]
    moved = {"moves": STATEMENTS["moves"] | changes}
    return CHANGES | {"studies/first": first | {"statements": moved}}


def test_an_edited_statement_redraws_no_exhibit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old, new = (
        {job.outputs[0]: job for job in list_jobs(make_context(tmp_path, changes=one))}
        for one in (with_statement(), with_statement(above=0.02))
    )
    changed = {new[path].module for path in old if old[path].key != new[path].key}
    assert changed - {"prepare_data"} == {"judge"}  # the data file was written again
    studies = StudyJobs(make_context(tmp_path, changes=with_statement()))
    [evidence] = studies.judge("first").outputs
    assert evidence in studies.reports.page("first").inputs
    assert evidence in studies.study_files("first")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exhibit": "scors0"}, "statements.moves.exhibit: unknown exhibit 'scors0'"),
        ({"analysis": "spred"}, "statements.moves.analysis: unknown analysis 'spred'"),
        ({"where": {"experiment": ["model"]}}, "where.experiment: unknown experiment 'model'"),
        ({"over": {"experiment": ["model"]}}, "over.experiment: unknown experiment 'model'"),
        ({"where": {"arm": ["fffn"]}}, "statements.moves.where.arm: unknown arm 'fffn'"),
        ({"over": {"dataset": ["irs"]}}, "statements.moves.over.dataset: unknown dataset 'irs'"),
        ({"needs": ["dataset"]}, "statements.moves.needs: 'dataset' is not in `paper`"),
    ],
)
def test_names_in_statements_are_checked_when_they_are_read(tmp_path, monkeypatch, change, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ReseedError, match=message):
        make_context(tmp_path, changes=with_statement(**change))


def test_untracked_outputs_get_the_extra_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    context = make_context(tmp_path, force=lambda outputs: ["marker"])
    forced = {job.module for job in list_jobs(context) if "marker" in job.inputs}
    assert forced == {"prepare_data", "import_results"}
    context = make_context(tmp_path, retry=lambda outputs: ["marker"])
    forced = {job.module for job in list_jobs(context) if "marker" in job.inputs}
    assert forced == {"search", "train"}


def test_keys_of_user_kinds_contain_versions_of_packages(context, monkeypatch):
    (context.folder / "my_kind.py").write_text("import numpy")
    version = {"numpy": "1"}
    monkeypatch.setattr("reseed.pipeline.job.read_package_versions", lambda packages: version)
    library = context.code_key("reseed.jobs.draw", "reseed.report.exhibits.spread_table")
    first = context.code_key("reseed.jobs.draw", "my_kind")
    version["numpy"] = "2"
    assert context.code_key("reseed.jobs.draw", "my_kind") != first
    assert context.code_key("reseed.jobs.draw", "reseed.report.exhibits.spread_table") == library


def test_report_labels_name_the_exhibit_of_the_paper(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exhibits = {"a": SCORES | {"title": "Table 3. Spread of {x}"}, "b": SCORES}
    changes = CHANGES | {"studies/first": CHANGES["studies/first"] | {"exhibits": exhibits}}
    jobs = StudyJobs(make_context(tmp_path, changes=changes))
    stage = Stage(jobs.table, lambda job: "spec", lambda job: None)
    first, second = ({"study": "first", "table": name} for name in "ab")
    assert stage.subcategory(first) == "Exhibits of the paper"
    # Snakemake takes {x} for a wildcard.
    labels = {"exhibit": "Table 3", "title": "Spread of {\u200bx}", "form": "table"}
    assert stage.labels(first) == labels
    assert stage.subcategory(second) == "Further exhibits"
    table = Path(stage.job(first).outputs[0])
    assert stage.caption(first, [table]) == stage.category(first) == "First"
    table.parent.mkdir(parents=True)
    table.with_suffix(".rst").write_text("What was measured.")
    table.with_suffix(".json").write_text('{"empty": "no runs"}')
    assert stage.caption(first, [table]) == "What was measured."
    assert stage.labels(first)["form"] == "table (nothing to show)"


def test_every_job_with_a_gpu_has_a_build_for_gpus(tmp_path):
    """All of the repository's models that train on GPUs, at scale paper."""
    config = Path(__file__).parents[2] / "config"
    overrides = {"scale": "paper", "studies": "seed_3407", "results": str(tmp_path / "results")}
    project, plan, _ = read_plan(config, overrides)
    context = Context(project, plan, config, config.parent, *[lambda _: []] * 2, lambda _: "")
    training = TrainingJobs(context)
    blocks = plan.all_blocks()
    jobs = [training.train(one.planned.setting, one.seeds.name) for one in blocks[:3]]
    jobs += [training.repeat("seed_3407"), training.verify(list)]
    assert any(job.gpus for job in jobs)
    for job in jobs:
        file = config.parent / "envs" / f"{job.environment}.yaml"
        assert ("pytorch-gpu=" in file.read_text(encoding="utf-8")) == bool(job.gpus)
