"""Jobs of a small project: names, inputs and outputs, keys, priorities."""

from dataclasses import replace
from pathlib import Path

import pytest
from reseed.core.coverage import PaperExhibit
from reseed.pipeline import training_jobs
from reseed.pipeline.jobs import Context
from reseed.pipeline.spec_files import SpecFiles
from reseed.pipeline.study_jobs import StudyJobs
from reseed.planning.specs import to_json
from toy_project import ENTRIES, load_toy_project

FIRST = ENTRIES["studies/first"]
SPREAD = {"spread": {"kind": "spread"}, "noise": {"kind": "noise_split"}}
SCORES = {"kind": "spread_table", "title": "Scores", "analysis": "spread"}
OPTIONS = {"options": {"experiments": ["models"]}}
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
    "studies/collect_first": FIRST | {"name": "collect_first", "analyses": {}, "exhibits": {}},
    "studies/mine": {
        "name": "mine",
        "title": "Mine",
        "results": {"path": "{results}/runs.csv", "made_from": "first"},
        "analyses": SPREAD,
        "exhibits": {},
    },
}


def list_jobs(context):
    """All jobs, in the order of their stages."""
    studies = StudyJobs(context)
    missing = {study: [] for study in context.trained}
    return [
        *training_jobs.prepare_jobs(context),
        *training_jobs.split_jobs(context),
        *training_jobs.search_jobs(context),
        *training_jobs.train_jobs(context),
        *training_jobs.repeat_jobs(context, ["first"]),
        *studies.collect_trials(),
        *studies.collect_items(missing),
        *studies.exports(),
        *studies.imports(),
        *studies.analyses(),
        *studies.drawings(),
        *studies.pages(),
        studies.index(),
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


def by_stage(jobs, stage):
    return [job for job in jobs if job.stage == stage]


def test_names_are_unique_and_are_no_names_of_studies(jobs):
    names = [job.name for job in jobs]
    assert len(set(names)) == len(names)
    assert all("-" in name for name in names[:-1])
    assert names[-1] == "report"  # a reserved name


def test_study_named_like_a_rule_does_not_clash(jobs):
    collecting = {job.name: job.outputs for job in by_stage(jobs, "collect")}
    assert {"collect-first", "collect-collect_first", "collect-first-models"} < set(collecting)
    outputs = [file for files in collecting.values() for file in files]
    assert len(set(outputs)) == len(outputs)


def test_every_output_has_one_job(jobs):
    outputs = [file for job in jobs for file in job.outputs]
    assert len(set(outputs)) == len(outputs)
    logs = [job.log for job in jobs]
    assert len(set(logs)) == len(logs)
    assert not set(logs) & set(outputs)


def test_inputs_are_outputs_of_earlier_jobs_or_user_files(jobs):
    made = {"toy.csv"}
    for job in jobs:
        assert set(job.inputs) <= made, job.name
        made |= set(job.outputs)


def test_every_planned_trial_is_trained_once(jobs, context):
    trained = [file for job in by_stage(jobs, "train") for file in job.outputs]
    planned = {file for study in context.trained for file in context.plan.trial_files(study)}
    assert set(trained) == planned
    assert len(trained) == len(planned) == 30 * 3 + 1


def test_splits_are_drawn_in_jobs_with_fixed_borders(jobs):
    assert [len(job.outputs) for job in by_stage(jobs, "split")] == [20, 10]


def test_training_job_reads_its_own_splits_only(jobs):
    for job in by_stage(jobs, "train"):
        seeds = {Path(file).parent.name for file in job.outputs}
        splits = {Path(file).stem for file in job.inputs if "/splits/" in file}
        assert splits == seeds


def test_searched_trials_read_their_winner(jobs):
    *_, search = by_stage(jobs, "search")
    readers = [job for job in by_stage(jobs, "train") if search.outputs[0] in job.inputs]
    assert [len(job.outputs) for job in readers] == [1]


def test_shards_of_a_rung_read_those_of_the_rung_before(context):
    main = context.project.main.model_copy(update={"block_seconds": 1e-3})
    sharded = replace(context, project=context.project.model_copy(update={"main": main}))
    *shards, last = by_stage(list_jobs(sharded), "search")
    assert last.outputs[0].endswith(".json")
    assert len(last.outputs) == 2
    rungs = {}
    for job in shards:
        rungs.setdefault(Path(job.outputs[0]).parent.name, []).append(job)
    before = set()
    for jobs in rungs.values():
        for job in jobs:
            assert {file for file in job.inputs if "/rung-" in file} == before
        before = {job.outputs[0] for job in jobs}
    assert {file for file in last.inputs if "/rung-" in file} == before
    assert len({job.name for job in [*shards, last]}) == len(shards) + 1
    assert len({str(job.key) for job in [*shards, last]}) == len(shards) + 1


def test_priorities_put_trainings_last_and_first_study_first(context):
    jobs = list_jobs(context)
    trainings = by_stage(jobs, "train")
    others = [job for job in jobs if job.stage != "train"]
    assert max(job.priority for job in trainings) < min(job.priority for job in others)
    assert {job.priority for job in others} == {context.high_priority}


def test_trainings_of_earlier_studies_and_long_jobs_come_first(tmp_path):
    def study(name, depth, count):
        model = {"name": "forest", "hyperparameters": {"max_depth": depth}}
        seeds = {"experiments": {"models": {"seeds": {"model": {"count": count}}}}}
        return FIRST | {"name": name, "models": [model]} | seeds

    changes = {
        "models/forest": {"seconds_per_trial": 20},
        "studies/first": study("first", 1, 4),
        "studies/second": study("second", 2, 4),
    }
    context = make_context(tmp_path, changes=changes)
    trainings = list(training_jobs.train_jobs(context))
    first, second = (
        [
            job.priority
            for job in trainings
            if set(job.outputs) & set(context.plan.trial_files(name))
        ]
        for name in ("first", "second")
    )
    assert min(first) > max(second)
    assert first == sorted(first, reverse=True)  # the longer block comes first


def test_keys_ignore_the_results_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = []
    for results in ("one", "two"):
        project, plan = load_toy_project(tmp_path, CHANGES, results=results)
        config, write = tmp_path / "config", write_sources(plan)
        jobs = list_jobs(Context(project, plan, config, tmp_path, *2 * [lambda _: []], write))
        keys.append([job.key for job in jobs if job.stage not in ("export", "import")])
    assert keys[0] == keys[1]


def test_every_spec_can_be_written(jobs):
    for job in jobs:
        assert to_json(job.spec())


def test_spec_of_a_job_describes_its_outputs(jobs):
    for job in by_stage(jobs, "train"):
        spec = job.spec()
        trials = [trial for part in spec.settings for trial in part.trials]
        assert len(trials) == len(job.outputs)
        assert Path(spec.results).is_absolute()
    for job in by_stage(jobs, "draw"):
        assert len(job.outputs) == sum(len(one.suffixes) for one in job.spec().exhibits)


def test_drawing_jobs_hold_at_most_eight_exhibits(jobs):
    drawings = [job for job in jobs if job.name.startswith("draw-first-")]
    assert [len(job.captions) for job in drawings] == [8, 1]
    assert all(set(job.captions) <= set(job.outputs) for job in drawings)


def test_index_lists_studies_by_position(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    changes = CHANGES | {"studies/mine": CHANGES["studies/mine"] | {"position": 1}}
    context = make_context(tmp_path, changes=changes)
    assert list(StudyJobs(context).index().spec().exhibits) == ["mine", "collect_first", "first"]


def test_page_job_holds_the_coverage_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys = []
    for note in ("lost", "not public"):
        (tmp_path / "paper.csv").write_text(
            f"exhibit,status,entry,note\nTable 1,left out,,{note}\n"
        )
        changes = CHANGES | {"studies/first": CHANGES["studies/first"] | {"coverage": "paper.csv"}}
        jobs = StudyJobs(make_context(tmp_path, changes=changes))
        [page] = [job for job in jobs.pages() if job.name == "report-first"]
        row = PaperExhibit("Table 1", "left out", (), note)
        assert page.spec().coverage == {"first": (row,)}
        keys.append(page.key)
    assert keys[0] != keys[1]


def test_untracked_outputs_get_the_extra_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    context = make_context(tmp_path, force=lambda outputs: ["marker"])
    forced = {job.stage for job in list_jobs(context) if "marker" in job.inputs}
    assert forced == {"prepare", "import"}
    context = make_context(tmp_path, retry=lambda outputs: ["marker"])
    forced = {job.stage for job in list_jobs(context) if "marker" in job.inputs}
    assert forced == {"search", "train"}


def test_keys_of_user_kinds_contain_versions_of_packages(context, monkeypatch):
    (context.folder / "my_kind.py").write_text("import numpy")
    version = {"numpy": "1"}
    monkeypatch.setattr("reseed.pipeline.jobs.read_package_versions", lambda packages: version)
    library = context.code_key("reseed.jobs.draw", "reseed.exhibits.spread_table")
    first = context.code_key("reseed.jobs.draw", "my_kind")
    version["numpy"] = "2"
    assert context.code_key("reseed.jobs.draw", "my_kind") != first
    assert context.code_key("reseed.jobs.draw", "reseed.exhibits.spread_table") == library


def test_captioned_outputs_are_marked_for_the_report(jobs):
    job = by_stage(jobs, "draw")[0]
    assert job.title == "First"
    marked = job.mark_for_report(lambda file, **fields: (file, fields), "caption.rst")
    shown = [one for one in marked if isinstance(one, tuple)]
    assert [file for file, _ in shown] == list(job.captions)
    assert [one for one in marked if isinstance(one, str)] == [
        file for file in job.outputs if file not in job.captions
    ]
    first = next(iter(job.captions))
    assert shown[0][1]["caption"] == str(Path(first).with_suffix(".rst").absolute())
    marked = job.mark_for_report(lambda file, **fields: (file, fields), "caption.rst", False)
    fields = next(one for one in marked if isinstance(one, tuple))[1]
    assert (fields["caption"], fields["category"]) == ("caption.rst", "First")


def test_report_lists_no_exhibit_without_results(jobs):
    job = by_stage(jobs, "draw")[0]
    [first, *others] = job.captions
    sidecar = Path(first).with_suffix(".json")
    sidecar.parent.mkdir(parents=True)
    sidecar.write_text('{"empty": "no runs"}')
    marked = job.mark_for_report(lambda file, **fields: (file, fields), "caption.rst")
    assert [one[0] for one in marked if isinstance(one, tuple)] == others


def test_report_labels_name_the_exhibit_of_the_paper(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exhibits = {"a": SCORES | {"title": "Table 3. Spread"}, "b": SCORES}
    changes = CHANGES | {"studies/first": CHANGES["studies/first"] | {"exhibits": exhibits}}
    jobs = StudyJobs(make_context(tmp_path, changes=changes))
    [job] = [job for job in jobs.drawings() if job.name.startswith("draw-first-")]
    first, second = job.captions.values()
    assert first["subcategory"] == "Exhibits of the paper"
    assert first["labels"] == {"exhibit": "Table 3", "title": "Spread", "form": "table"}
    assert second["subcategory"] == "Further exhibits"


def test_stage_is_the_start_of_the_name(jobs):
    assert {job.stage for job in jobs} == {
        *("prepare", "split", "search", "train", "repeat", "collect", "export", "import"),
        *("analyse", "draw", "report"),
    }
    assert all(job.label for job in jobs)
