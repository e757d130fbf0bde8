"""Changed results are regenerated, and nothing else."""

import json
import os
import shutil

import pandas as pd
import pytest
from projects import METRICS, REPOSITORY, TRAINED

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


def test_without_changes_nothing_runs(finished):
    assert not finished.planned()


def test_deleted_trials_are_linked_again_without_training(finished):
    before = finished.trials()
    for path in finished.blocks()[:3]:
        path.unlink()
    finished.run()
    assert finished.trials() == before
    assert finished.trained() == 0


def test_missing_trial_is_regenerated_before_it_is_read(finished):
    finished.change(analyses={"spread": {"kind": "spread"}, "noise": {"kind": "noise_split"}})
    finished.run()
    trial = finished.blocks()[0]
    trial.unlink()
    study = finished.folder / "results" / "studies" / "small"
    shutil.rmtree(study / "predictions")
    (study / "statistics" / "noise.parquet").unlink()
    finished.run("results/studies/small/statistics/noise.parquet")
    assert trial.exists()
    assert (study / "predictions" / "model_seeds" / "scores.parquet").exists()
    assert finished.trained() == 0


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


def test_edited_model_retrains_family_and_revert_uses_cache(finished):
    before = finished.trials()
    finished.append("models/forest.py", "\nUNUSED = 1\n")
    finished.train()
    after = finished.trials()
    changed = {path for path in before if after[path] != before[path]}
    assert changed == {path for path in before if "/forest/" in path}
    assert finished.trained() == TRAINED // 2
    path = finished.folder / "scripts/reseed/models/forest.py"
    path.write_text(path.read_text().replace("\nUNUSED = 1\n", ""))
    finished.forget_logs()
    finished.train()
    assert finished.trials() == before
    assert finished.trained() == 0


def test_comments_error_texts_and_touched_files_change_nothing(finished):
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
    finished.run()
    about = json.loads((finished.folder / "results/studies/small/about.json").read_text())
    assert about["datasets"]["table"]["citation"] == "A better citation."
    assert about["models"]["forest"]["title"] == "A forest"


@pytest.mark.nightly
def test_worker_killed_while_retraining_leaves_nothing_stale(project):
    use_custom_model(project, depth=1)
    project.train()
    old = project.trials()
    kill = "seeds['init'] == 2 and os.kill(os.getpid(), 9)"
    use_custom_model(project, depth=2, first=kill)
    text = project.train(fails=True)
    assert "ended by signal 9" in text
    assert "Restored" not in text
    assert not set(project.trials().values()) & set(old.values())
    assert project.train(fails=True)  # the model still fails
    use_custom_model(project, depth=2)
    project.forget_logs()
    project.train()
    new = project.trials()
    assert set(new) == set(old)
    assert not set(new.values()) & set(old.values())
    assert not project.planned(METRICS)


@pytest.mark.nightly
def test_worker_that_exits_early_is_not_taken_as_finished(project):
    use_custom_model(project, first="seeds['init'] == 2 and os._exit(0)")
    project.train(fails=True)
    assert not (project.folder / "results/studies/small/metrics.parquet").exists()
    use_custom_model(project)
    project.train()
    assert len(project.metrics()) == 7


def test_machine_failures_retry_and_model_failures_are_stored(project):
    first = "if seeds['init'] == 2: raise {error}"
    use_custom_model(project, first=first.format(error="MemoryError('too much')"))
    assert "MemoryError" in project.train(fails=True)
    use_custom_model(project, first=first.format(error="FloatingPointError('the loss is NaN')"))
    project.train()
    metrics = project.metrics()
    assert (metrics["status"] == "failed").sum() == 1
    assert not project.planned(METRICS)


@pytest.mark.nightly
def test_change_is_detected_without_snakemake_metadata(finished):
    before = finished.trials()
    shutil.rmtree(finished.folder / ".snakemake")
    model = finished.folder / "config/models/forest.yaml"
    model.write_text(model.read_text().replace("n_estimators: 5", "n_estimators: 6"))
    assert "no record of how files in results were made" in finished.train()
    changed = {path for path, key in finished.trials().items() if key != before[path]}
    assert changed == {path for path in before if "/forest/" in path}
    assert finished.trained() == TRAINED // 2
    assert not finished.planned(METRICS)


def test_table_of_the_user_is_an_input(finished):
    before = finished.metrics()
    frame = pd.read_csv(finished.folder / "table.csv")
    frame.assign(a=-frame["a"]).to_csv(finished.folder / "table.csv", index=False)
    finished.train()
    assert not finished.metrics()["auc"].equals(before["auc"])
    assert finished.trained() == TRAINED


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
    finished.run()
    assert not finished.planned()
    published.write_text(text.replace("0.1218", "0.5218"))
    os.utime(published, (0, 0))
    finished.run()
    table = pd.read_csv(finished.folder / "results/studies/small/statistics/paper.csv")
    assert 0.5218 in set(table["published"])


def test_every_deleted_result_is_regenerated(finished):
    study = finished.folder / "results" / "studies" / "small"
    for file in ("figures/bars.png", "tables/scores.tex", "statistics/spread.csv", "about.json"):
        (study / file).unlink()
        finished.run()
        assert (study / file).exists(), file
    assert finished.trained() == 0


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


PACKAGES = {
    "relative": ("my_models/__init__.py", "my_models/depth.py", "from .depth import DEPTH"),
    "package": ("my_models/__init__.py", "my_models/depth.py", "from my_models.depth import DEPTH"),
    "constant": (
        *("my_models.py", "depth.py"),
        "import importlib; DEPTH = importlib.import_module('depth').DEPTH",
    ),
}


@pytest.mark.parametrize(
    "how",
    [
        "package",
        *(pytest.param(one, marks=pytest.mark.nightly) for one in ("relative", "constant")),
    ],
)
def test_change_in_an_imported_module_is_detected(project, how):
    factory, place, extra = PACKAGES[how]
    use_custom_model(project, depth="DEPTH", extra=extra, place=factory)
    (project.folder / place).write_text("DEPTH = 1\n")
    project.train("--config", "studies=small")
    before = project.trials()
    (project.folder / place).write_text("DEPTH = 2\n")
    project.train()
    assert not set(project.trials().values()) & set(before.values())


@pytest.mark.nightly
def test_unresolvable_import_is_refused_until_named(project):
    extra = "import importlib; DEPTH = importlib.import_module('de' + 'pth').DEPTH"
    use_custom_model(project, depth="DEPTH", extra=extra)
    (project.folder / "depth.py").write_text("DEPTH = 1\n")
    text = project.run("-n", fails=True)
    assert "my_models.py" in text
    assert "code:" in text
    entry = {"name": "mine", "title": "Mine", "factory": "my_models:make", "code": ["depth.py"]}
    project.write("models/mine", entry)
    project.train()
    before = project.trials()
    (project.folder / "depth.py").write_text("DEPTH = 2\n")
    project.train()
    assert not set(project.trials().values()) & set(before.values())


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
