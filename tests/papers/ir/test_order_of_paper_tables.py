"""Tables 2 to 7 have the rows and columns of the paper, in its order, at scale `paper`."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from item_files import write_items
from papers.ir import seed_scores
from reseed.analyses.shared.data import Data
from reseed.core.study_info import StudyInfo
from reseed.planning.build import make_plan
from reseed.planning.project import load_project
from reseed.report.rendering.data import ExhibitData
from run_kinds import draw, run_analysis
from study_frames import PUBLISHED, frame, trial

STUDY = Path(__file__).parents[3] / "config" / "studies" / "ir_consistency.yaml"

CLASSICAL = ["Linear SVM", "Logistic regression", "Naive Bayes", "Random forest (text)"]
ENCODERS = ["BERT", "RoBERTa", "XLNet"]
#: The rows of Tables 4 to 7 under each task, and the marks of Table 3.
ROWS = {
    "Sentiment analysis": [*CLASSICAL, *ENCODERS],
    "Fake news detection": [*CLASSICAL, *ENCODERS],
    "Binary Q&A": [*ENCODERS, "BART", "T5"],
}
METRICS = ["Accuracy", "Precision (macro)", "Recall (macro)", "F1 (macro)"]
DATASETS = {"financial_phrasebank": 3, "liar": 6, "liar_binary": 2, "boolq": 2}


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """The study at scale `paper` with few runs: its exhibits' options and constructed outputs."""
    project = load_project("config", {"scale": "paper", "studies": ["ir_consistency"]})
    study, folder = project.studies["ir_consistency"], tmp_path_factory.mktemp("items")
    plan = make_plan(project)
    trials, arms, predictions = [], {}, None
    for experiment, planned in plan.studies["ir_consistency"].items():
        if experiment == "anywhere":
            continue
        for arm in planned:
            where = {"experiment": experiment, "dataset": arm.setting.dataset, "arm": arm.name}
            where |= {"model": arm.setting.model, "metric": "auc"}
            trials += [trial(0.5, seed=seed, **where) for seed in range(2)]
            arms.setdefault(experiment, {})[where["dataset"], arm.name] = outputs(where["dataset"])
        predictions = write_items(folder, arms[experiment], experiment)
    predictions = replace(predictions, experiments=list(study.experiments))
    info = facts(project, study)
    metrics = frame(trials)
    options = study.analyses["scores"].options | {"n_boot": 5}
    data = Data(metrics, info, PUBLISHED, predictions)
    statistics = run_analysis(seed_scores, data, **options)
    return {
        name: (ExhibitData(statistics, metrics, info, title=entry.title), entry.options)
        for name, entry in study.exhibits.items()
    }


def outputs(dataset):
    rng, classes = np.random.default_rng(len(dataset)), DATASETS[dataset]
    y = rng.integers(0, classes, 30)
    return y, [rng.dirichlet(np.ones(classes), 30) for _ in range(2)]


def facts(project, study):
    experiments = {n: {"title": e.title} for n, e in study.experiments.items()}
    models = {name: {"title": model.title} for name, model in project.models.items()}
    datasets = {
        name: {
            "title": project.datasets[name].title, "task": "multiclass", "metric": "macro_f1",
            "greater_is_better": True, "rows": 30, "words": 18.2,
            "class_counts": {str(label): 10 for label in range(classes)},
        }
        for name, classes in DATASETS.items()
    }  # fmt: skip
    return StudyInfo(
        scale="paper", experiments=experiments, models=models, datasets=datasets, citation="c"
    )


def sections(table):
    found = {}
    for section, row in zip(table.sections, table.shown.iloc[:, 0], strict=True):
        found.setdefault(section, []).append(row)
    return found


def test_table_2_has_the_columns_of_the_paper(paper):
    table = draw("table", *paper["table2"])
    assert list(table.shown) == [
        "Dataset", "Size", "Test", "Task", "#labels", "Label distr.", "Avg. size",
    ]  # fmt: skip
    assert list(dict.fromkeys(table.shown["Task"])) == list(ROWS)
    ours = table.shown.iloc[0]
    assert list(ours[["Size", "Test", "#labels", "Avg. size"]]) == ["30", "30", "3", "18 words"]


def test_table_3_has_a_mark_for_each_task(paper):
    table = draw("table", *paper["table3"])
    assert list(table.shown) == ["Model", *ROWS]
    of_paper = table.shown[pd.Series(table.sections) != "Not in the paper"]
    assert list(of_paper["Model"]) == [*CLASSICAL, *ENCODERS, "BART", "T5"]
    for task, models in ROWS.items():
        assert list(of_paper.loc[of_paper[task] == "✓", "Model"]) == models
        assert set(of_paper[task]) == {"✓", "–"}
    assert list(dict.fromkeys(table.sections))[:2] == [
        "Machine learning models", "Deep learning models",
    ]  # fmt: skip


def test_the_caption_of_table_4_names_its_published_rows():
    study = yaml.safe_load(STUDY.read_text("utf-8"))
    assert "rows of the paper, as printed, below ours" in study["exhibits"]["table4"]["caption"]


def test_table_4_has_the_published_row_below_ours(paper):
    table = draw("table", *paper["table4"])
    levels = table.levels()
    assert list(dict.fromkeys(levels[0])) == ["", *METRICS]
    published = {
        "Financial PhraseBank (50 % agreement)": ROWS["Sentiment analysis"],
        "LIAR (mostly true against the rest)": ROWS["Fake news detection"],
        "BoolQ": ROWS["Binary Q&A"],
    }
    rows = sections(table)
    assert [name for name in rows if name in published] == list(published)
    for name, models in published.items():
        of_paper = [row for row in rows[name] if row.removesuffix(", published") in models]
        assert of_paper == [row for m in models for row in (m, f"{m}, published")]
    line = table.shown.index[table.shown.iloc[:, 0] == "Logistic regression, published"][0]
    assert list(table.shown.iloc[line])[1::2] == [
        "0.90 ± 0.007", "0.89 ± 0.011", "0.83 ± 0.013", "0.86 ± 0.010",
    ]  # fmt: skip


def test_tables_5_to_7_have_the_order_of_the_paper(paper):
    table = draw("table", *paper["tables5to7"])
    assert list(table.shown)[:5] == ["Model", *METRICS]
    rows = sections(table)
    assert list(rows) == [
        "Financial PhraseBank (50 % agreement)", "LIAR (six degrees of truth)",
        "LIAR (mostly true against the rest)", "BoolQ",
    ]  # fmt: skip
    for section, task in zip(rows, [*list(ROWS)[:2], *list(ROWS)[1:]], strict=True):
        assert [row for row in rows[section] if row in ROWS[task]] == ROWS[task]


def test_scores_have_equal_decimals_in_a_column(paper):
    for name in ("tables5to7", "table4"):
        table = draw("table", *paper[name])
        ours = table.shown[~table.shown.iloc[:, 0].str.endswith(", published")]
        for column in range(1, 5):
            means = ours.iloc[:, column].str.extract(r"^(\d\.\d+)")[0].dropna()
            assert means.str.len().nunique() == 1
