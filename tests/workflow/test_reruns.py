"""Changed results are regenerated, and nothing else."""

import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from fault_harness.workspace import METRICS, REPOSITORY, TRAINED

pytestmark = pytest.mark.workflow
MINE = """
import os
from sklearn.tree import DecisionTreeClassifier
{extra}

def make(task, n_classes, hyperparameters, seeds, device, threads):
    {first}
    return DecisionTreeClassifier(max_depth={depth}, max_features=1, random_state=seeds["init"])
"""


def use_custom_model(project, depth=1, first="pass", extra="", place="my_models.py"):
    path = project.folder / place
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(MINE.format(depth=depth, first=first, extra=extra))
    entry = {"name": "mine", "title": "Mine", "factory": "my_models:make"}
    project.write("models/mine", entry | {"seconds_per_trial": 0.01})
    project.change(models=["mine"])


def test_more_seeds_train_only_new_trials(finished):
    before = finished.trials()
    finished.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = 6
    finished.change()
    finished.train()
    after = finished.trials()
    assert len(after) == len(before) + 2 * 2
    assert {path: after[path] for path in before} == before
    assert finished.trained() == 4


def test_another_block_size_trains_nothing(finished):
    before = finished.trials()
    finished.train("--config", "seeds_per_job=1")
    assert finished.trials() == before
    assert finished.trained() == 0


def test_comments_error_texts_and_touched_files_change_nothing(finished):
    """Nor does another folder: the project was made in one and copied to another."""
    finished.append("models/forest.py", "\n# a comment\n")
    path = finished.folder / "scripts/reseed/models/boosting.py"
    path.write_text(path.read_text().replace("XGBoost has no", "Sorry, XGBoost has no"))
    (finished.folder / "scripts/reseed/jobs/train.py").touch()
    assert not finished.planned()


def test_an_edited_figure_is_redrawn_and_nothing_else(finished):
    finished.append("../papers/raste/range_bars.py", "\nUNUSED = 1\n")
    assert finished.planned() == {"figure": 1, "page": 1, "index": 1, "all": 1}
    finished.run()
    logs = finished.folder / "results/logs/studies/small"
    assert (logs / "figures/bars.log").read_text() == "bars: drawn\n"
    assert (logs / "tables/scores.log").read_text() == "scores: drawn\n"  # of the first run
    assert not finished.planned()


def test_titles_citations_and_notes_train_and_search_nothing(finished):
    entry = finished.folder / "config/datasets/table.yaml"
    entry.write_text(entry.read_text() + "citation: A better citation.\n")
    model = finished.folder / "config/models/forest.yaml"
    model.write_text(model.read_text().replace("title: Forest", "title: A forest"))
    jobs = finished.planned()
    assert not {name for name in jobs if name.startswith(("prepare", "split", "train", "search"))}
    finished.train()
    about = json.loads((finished.folder / "results/studies/small/about.json").read_text())
    assert about["datasets"]["table"]["citation"] == "A better citation."
    assert about["models"]["forest"]["title"] == "A forest"


def test_machine_failures_retry_and_model_failures_are_stored(project):
    first = "if seeds['init'] == 2: raise {error}"
    use_custom_model(project, first=first.format(error="MemoryError('too much')"))
    assert "MemoryError" in project.train(fails=True)
    use_custom_model(project, first=first.format(error="FloatingPointError('the loss is NaN')"))
    project.train()
    metrics = project.metrics()
    assert (metrics["status"] == "failed").sum() == 1
    assert not project.planned(METRICS)


def test_missing_weights_are_made_again_before_a_job_reads_them(project):
    use_custom_model(project, first="assert (weights / 'model').read_bytes() == b'w'")
    code = project.folder / "my_models.py"
    code.write_text(code.read_text().replace("threads):", "threads, weights):"))
    (project.folder / "model").write_bytes(b"w")
    source = {"kind": "file", "path": "model"}
    project.write("weights/tiny", {"name": "tiny", "title": "Tiny", "sources": [source]})
    project.write("models/mine", {"name": "mine", "title": "Mine", "factory": "my_models:make",
                                  "weights": "tiny", "seconds_per_trial": 0.01})  # fmt: skip
    project.train()
    folder = project.folder / "results" / "weights" / "tiny"
    (folder / "model").unlink()
    (folder / "notes").write_text("the user's")
    assert project.planned()["weights.tiny"] == 1
    project.forget_logs()
    project.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] += 2
    project.change()
    project.train()
    assert project.trained() == 2
    assert (folder / "model").read_bytes() == b"w"
    assert (folder.with_name("tiny.replaced") / "notes").read_text() == "the user's"


def test_replaced_published_numbers_are_detected(finished):
    published = finished.folder / "config" / "published" / "mine.csv"
    published.parent.mkdir(exist_ok=True)
    text = (REPOSITORY / "config/published/raste_table3.csv").read_text()
    published.write_text(text)
    finished.change(
        analyses={
            "paper": {"kind": "papers.raste.published:analyse", "options": {"files": ["mine"]}}
        },
        exhibits={},
    )
    table = "results/studies/small/statistics/paper.csv"
    finished.run(table)
    assert not finished.planned(table)
    published.write_text(text.replace("0.1218", "0.5218"))
    os.utime(published, (0, 0))
    finished.run(table)
    assert 0.5218 in set(pd.read_csv(finished.folder / table)["published"])


@pytest.mark.nightly
def test_dataset_with_another_task_is_another_dataset(project):
    project.change(models=["forest"])
    frame = pd.read_csv(project.folder / "table.csv")
    project.table(frame.assign(y=range(len(frame))), task="regression", positive=None)
    project.train()
    numbers = set(project.trials().values())
    project.table(frame)
    project.train()
    assert not numbers & set(project.trials().values())
    assert "auc" in project.metrics()


def test_search_is_not_repeated_for_more_seeds_or_studies(project):
    search = {"mode": "fixed", "trials": 2, "folds": 2}
    experiments = {"fixed": {"hyperparameters": search, "seeds": {"data": {"count": 2}}}}
    project.change(models=["forest"], experiments=experiments, analyses={}, exhibits={})
    project.train()
    logs = project.folder / "results" / "logs" / "tuning"
    shutil.rmtree(logs)
    experiments["fixed"]["seeds"]["data"]["count"] = 3
    project.change()
    project.train()
    again = [log.read_text() for log in logs.rglob("*.log")]
    assert all("the cache holds this search already" in text for text in again)
    model = project.folder / "config/models/forest.yaml"
    model.write_text(model.read_text().replace("high: 4", "high: 3"))
    assert any(name.startswith("search") for name in project.planned(METRICS))


def test_another_search_space_retrains_no_default_trial(finished):
    model = finished.folder / "config/models/forest.yaml"
    model.write_text(model.read_text().replace("high: 4", "high: 9"))
    assert not {name for name in finished.planned() if name.startswith("train")}


@pytest.mark.nightly
def test_predictions_of_a_removed_experiment_are_not_analysed(project):
    noise = {"noise": {"kind": "noise_split"}}
    project.change(models=["forest"], analyses=noise, exhibits={})
    project.run()
    path = project.folder / "results/studies/small/statistics/noise.csv"
    assert set(pd.read_csv(path)["experiment"]) == {"model_seeds", "data_seeds"}
    del project.study["experiments"]["data_seeds"]
    project.change()
    project.run()
    assert set(pd.read_csv(path)["experiment"]) == {"model_seeds"}


@pytest.mark.nightly
def test_model_may_change_the_working_folder(project):
    use_custom_model(project, first="os.chdir('/')")
    project.train()
    assert len(project.metrics()) == 7
    assert not os.path.exists("/results/trials")


@pytest.mark.nightly
def test_results_folder_name_may_contain_shell_characters(project):
    name = "r&s $(touch hit) 'q'"
    project.write("config", {"scale": "smoke", "results": name})
    project.change(models=["forest"], exhibits={})
    project.run()
    assert (project.folder / name / "report" / "index.html").exists()
    assert not (project.folder / "hit").exists()


def test_other_version_trials_are_reported_and_retrained(finished, monkeypatch):
    path = finished.folder / "scripts/reseed/core/environment.py"
    text = path.read_text()
    assert "    versions = {}\n" in text
    path.write_text(text.replace("versions = {}\n", 'versions = {"numpy ": "other"}\n', 1))
    finished.study["experiments"]["model_seeds"]["seeds"]["model"]["count"] = 5
    finished.change()
    finished.train()
    assert finished.metrics()["environment"].nunique() == 2
    about = json.loads((finished.folder / "results/studies/small/about.json").read_text())
    assert len(about["machines"]) == 2
    finished.forget_logs()
    finished.train("--config", "mixed=retrain")
    assert finished.metrics()["environment"].nunique() == 1
    assert finished.trained() == TRAINED


def test_edit_during_a_run_stores_no_trial_under_the_old_key(project):
    """The factory of the first trial edits its module, as a user could during a run."""
    edit = (
        "text = open(__file__).read(); "
        "open(__file__, 'w').write(text.replace('max_depth=1', 'max_depth=2'))"
    )
    use_custom_model(project, first=edit)
    assert "my_models.py: was edited after the run was planned" in project.train(fails=True)
    assert not project.trials()
    use_custom_model(project)
    project.train()
    assert project.trained() == TRAINED // 2


def test_edit_during_a_run_stores_no_stale_analysis(finished):
    path = finished.folder / "my_analysis.py"
    edit = "open(__file__, 'a').write('UNUSED = 1')"
    text = f"import pandas as pd\n\ndef analyse(data, options):\n    {edit}\n"
    path.write_text(text + "    return pd.DataFrame({'a': [1]})\n")
    finished.change(analyses={"mine": {"kind": "my_analysis:analyse"}}, exhibits={})
    assert "my_analysis.py: was edited after the run was planned" in finished.run(fails=True)
    assert not (finished.folder / "results/studies/small/statistics/mine.parquet").exists()


def test_bytes_swapped_between_plan_and_job_stop_the_job(project):
    """A swap back afterwards would otherwise leave results of other bytes under this key."""
    project.run("results/data/table/inputs.parquet")
    specs = (project.folder / "results/plan").glob("??/*.json")
    spec = next(path for path in specs if '"identifier"' in path.read_text())
    command = [sys.executable, "-P", "-m", "reseed.jobs.prepare_data", str(spec)]
    environment = {**os.environ, "PYTHONPATH": str(project.folder / "scripts")}
    options = {"cwd": project.folder, "env": environment, "capture_output": True, "text": True}
    assert subprocess.run(command, **options).returncode == 0
    path = project.folder / "table.csv"
    status, (head, *rows) = path.stat(), path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(rows), ""]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    refused = subprocess.run(command, **options)
    assert refused.returncode == 1
    assert "table.csv: was edited after the run was planned" in refused.stderr


@pytest.mark.nightly
def test_results_without_a_cache_describe_their_machine(finished):
    about = finished.results / "studies" / "small" / "about.json"
    expected = json.loads(about.read_text())["machines"]
    assert expected[0]["libraries"]
    shutil.rmtree(finished.results / "store")
    finished.run("verify")
    about.unlink()
    finished.run()
    assert json.loads(about.read_text())["machines"] == expected
