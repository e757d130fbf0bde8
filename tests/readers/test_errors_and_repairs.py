"""Problems of a file are repaired with a note, or refused with one clear error."""

import re

import pandas as pd
import pytest
import reseed
from reseed.core.errors import ReseedError
from reseed.readers import import_results

HEAD = "model,dataset,seed,metric,value"
ROWS = ["a,d,0,accuracy,0.8", "a,d,1,accuracy,0.9", "b,d,0,accuracy,0.7", "b,d,1,accuracy,0.6"]


@pytest.fixture
def read(tmp_path):
    def read(*lines, **results):
        path = tmp_path / "runs.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return import_results(path, results, {"name": "mine"})

    return read


@pytest.mark.parametrize(
    ("lines", "results", "words"),
    [
        ([""], {}, ["names the columns"]),
        ([HEAD], {}, ["holds no rows"]),
        ([HEAD, "a,d,0,accuracy"], {}, ["line 2 has 4 cells", "names 5"]),
        (["model,model,seed,accuracy", "a,b,0,1"], {}, ["'model' more than once"]),
        (["dataset,seed,value", "d,0,1"], {}, ["no column that names the model"]),
        ([HEAD, *ROWS], {"columns": {"modle": "model"}}, ["maps 'modle'", "mean 'model'"]),
        ([HEAD, *ROWS], {"columns": {"seed": "sede"}}, ["no column 'sede'", "mean 'seed'"]),
        (
            ["model,metric,value", "a,auc,1", "a,auc,0.9"],
            {},
            ["nothing tells them apart", "`rows: repetition`"],
        ),
        ([HEAD, *ROWS, "a,d,,accuracy,0.8"], {}, ["line 6", "'seed' is empty"]),
        ([HEAD, *ROWS, "a,d,2,accuracy,85%"], {}, ["line 6", "'85%'", "decimal point"]),
        (
            [HEAD, *ROWS, "a,d,1,accuracy,0.91"],
            {},
            ["lines 3, 6", "rows are equal in model, dataset, seed"],
        ),
        (
            ["model,lr,seed,f1", "a,1,0,0.9", "a,2,0,0.8", "a,1,1,0.9", "a,2,1,0.8"],
            {},
            ["`columns: {model: [model, lr]}` (lr is a setting"],
        ),
        (
            ["method,f1,std,n", "a,0.9,0.01,5", "b,0.8,0.02,5"],
            {},
            ["means with their spread, and no runs"],
        ),
        (["method,seed,f1", "a,0,0.9 ± 0.1"], {}, ["means with their spread", "`runs: 5`"]),
        (
            ["model,phase,seed,f1", "a,val,0,0.9", "a,test,0,0.8", "a,val,1,0.9", "a,test,1,0.8"],
            {},
            ["`keep: {phase: test}`"],
        ),
        (
            [HEAD, *ROWS, "a,d,1,f1,0.91"],
            {},
            ["several metrics", "`metric: accuracy`", "`metric: f1`"],
        ),
        ([HEAD, *ROWS], {"metric": "auc"}, ["no metric 'auc' for dataset d", "It has accuracy"]),
        (
            ["model,seed,f1", "a,0,1", "a,1,1"],
            {"metric": "F2"},
            ["no list of metrics", "'F2'", "f1"],
        ),
        (
            [HEAD.replace("metric,", ""), "a,d,0,1", "a,d,1,2"],
            {},
            ["more or less of the numbers", "greater_is_better"],
        ),
        (
            ["model,seed,f1,auc", "a,0,1,1", "a,1,1,1"],
            {},
            ["which column is the score", "`metric: f1`"],
        ),
        (["model,seed,note", "a,0,x", "a,1,y"], {}, ["no column of scores"]),
        (["model,seed,metric", "a,0,x", "a,1,x"], {}, ["no column of the values of its metrics"]),
        ([HEAD, ROWS[0], ROWS[2]], {}, ["one run of each of 2 models"]),
        (
            ["model,split,accuracy", "a,train,0.9", "a,test,0.8"],
            {},
            ["parts of the data", "`keep: {split: test}`"],
        ),
        (
            ["model,fold,accuracy", "a,1,0.9", "a,2,0.8", "a,mean,0.85"],
            {},
            ["column 'fold' holds 'mean'", "summarise"],
        ),
        (
            ["model,seed,accuracy,status", "a,0,0.9,1", "a,1,0.8,1", "a,2,0.1,0"],
            {},
            ["'status' holds 0 and 1", "`finished`"],
        ),
        (
            ["model,data_seed,accuracy", "a,0,0.9", "a,1,0.8"],
            {},
            ["several random splits", "test_train_ratio", "0.25"],
        ),
        (
            ["model,dataset,seed,metric,value", *ROWS, "a,e,0,mse,1", "a,e,1,mse,2"],
            {"greater_is_better": True},
            ["both directions"],
        ),
    ],
)
def test_refused(read, lines, results, words):
    with pytest.raises(ReseedError) as error:
        read(*lines, **results)
    message = str(error.value)
    assert "runs.csv" in message
    for word in words:
        assert word in message, message


def test_dataset_without_the_metric_is_left_out_with_a_note(read):
    other = ["a,e,0,mse,1", "a,e,1,mse,1", "b,e,0,mse,2"]
    metrics, about = read(HEAD, *ROWS, *other, metric="accuracy")
    assert set(metrics["dataset"]) == set(about.datasets) == {"d"}
    assert about.trials.failed == 0
    assert any("Left out" in note and ": e (1 of 2" in note for note in about.notes)
    metrics, about = read(HEAD, *ROWS, *other, metric=["accuracy", "mse"])
    found = {name: entry.metric for name, entry in about.datasets.items()}
    assert found == {"d": "accuracy", "e": "mse"}
    assert about.trials.failed == 0
    with pytest.raises(ReseedError, match="no metric 'f1' for dataset d"):
        read(HEAD, *ROWS, *other, metric="f1")


def test_metric_of_each_dataset_by_name(read):
    lines = [row.replace("accuracy", "f1") for row in ROWS]
    _, about = read(HEAD, *ROWS, *lines, metric={"d": "f1"})
    assert about.datasets["d"].metric == "f1"
    with pytest.raises(ReseedError, match=r"dataset 'dd'.*mean 'd'"):
        read(HEAD, *ROWS, metric={"dd": "accuracy"})


def test_all_errors_at_once(read):
    with pytest.raises(ReseedError) as error:
        read(
            "model,seed,metric,value",
            *["a,,accuracy,0.8", "a,1,accuracy,85%", ",2,accuracy,0.8", "a,3,accuracy,1"],
        )
    message = str(error.value)
    for words in ("has 3 errors", "(line 2): column 'seed'", "(line 3): column", "(line 4)"):
        assert words in message


def test_no_error_hides_another(read):
    with pytest.raises(ReseedError) as error:
        read(HEAD.replace("seed", "data_seed"), *ROWS, baseline="c")
    message = str(error.value)
    for words in ("test_train_ratio", "baseline"):
        assert words in message


def test_missing_file(tmp_path):
    with pytest.raises(ReseedError, match="no such file"):
        import_results(tmp_path / "none.csv", {}, {"name": "mine"})


def test_not_parquet(tmp_path):
    path = tmp_path / "runs.parquet"
    path.write_text("model,seed\n")
    with pytest.raises(ReseedError, match="cannot be read as Parquet"):
        import_results(path, {}, {"name": "mine"})


def test_rows_of_parquet_are_counted_from_one(tmp_path):
    path = tmp_path / "runs.parquet"
    rows = {"model": ["a"] * 3, "seed": ["1", "2", ""], "accuracy": [1, 2, 3]}
    pd.DataFrame(rows).to_parquet(path)
    with pytest.raises(ReseedError, match=r"\(row 3\)"):
        import_results(path, {}, {"name": "mine"})


def test_copies_are_left_out_with_a_note(read):
    metrics, about = read(HEAD, *ROWS, ROWS[0], ROWS[3])
    assert len(metrics) == 4
    assert any(note.startswith("2 rows that repeat") for note in about.notes)


def test_missing_scores_are_failed_runs(read):
    more = ["a,d,2,accuracy,", "a,d,3,accuracy,nan", "b,d,2,accuracy,inf"]
    metrics, about = read(HEAD, *ROWS, *more)
    assert about.trials.failed == 3
    assert metrics.loc[metrics["status"] == "failed", "accuracy"].isna().all()
    assert {f.error for f in about.trials.failures} == {"no finite value of accuracy"}


def test_blank_lines_do_not_shift_the_line_numbers(read):
    with pytest.raises(ReseedError, match=r"\(line 7\)"):
        read(HEAD, *ROWS, "", "a,d,2,accuracy,x")


def test_names_such_as_na_are_not_missing_values(read):
    metrics, _ = read(HEAD, *[row.replace("a,d", "NA,null", 1) for row in ROWS])
    assert set(metrics["model"]) == {"NA", "b"}


def test_missing_pairs_and_unequal_seeds_are_noted(read):
    _, about = read(HEAD, *ROWS, "a,d,2,accuracy,0.8")
    assert any("of 3 model seeds, b lacks 1" in note for note in about.notes)


def test_message_lists_a_limited_number_of_columns(read):
    columns = ",".join(f"run{i} - acc__MIN" for i in range(300))
    with pytest.raises(ReseedError) as error:
        read(f"Step,{columns}", "0," + ",".join(["0.5"] * 300))
    assert len(str(error.value)) < 2000


def test_names_differing_in_case_or_blanks_are_warned_about(read):
    _, about = read(
        "model,seed,f1", "svm,0,0.9", "SVM,1,0.8", "rf x,0,0.7", "rf_x,1,0.6", "b,0,1", "b,1,1"
    )
    text = [note for note in about.notes if "are read as 2 models" in note]
    assert [note.split(" are ")[0] for note in text] == [
        "Warning: 'svm' and 'SVM'",
        "Warning: 'rf x' and 'rf_x'",
    ]
    signs = read("model,seed,f1", "C=1,0,0.9", "C=1,1,0.8", "C=-1,0,0.7", "C=-1,1,0.6")[1]
    assert not any("are read as" in note for note in signs.notes)


def test_single_model_is_noted(read):
    _, about = read(HEAD, *ROWS[:2])
    assert any("One model only" in note for note in about.notes)


ITEMS = ["a,0,1,0,0.2", "a,0,2,1,0.7", "a,1,1,0,0.4", "a,1,2,1,0.3"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([*ITEMS, "a,1,2,1,0.3"], "more than once"),
        ([*ITEMS, "b,0,1,0,0.3"], "1 of the 2 items"),
        ([*ITEMS, "b,0,1,1,0.3", "b,0,2,1,0.3"], "several targets"),
        ([*ITEMS, "b,0,1,0,1.3", "b,0,2,1,0.3"], "probability of label '1'"),
        (["a,0,1,1,0.5", "a,1,1,1,0.4"], "all targets are '1'"),
        (["a,0,1,x,0.5", "a,0,2,y,0.5", "a,0,3,z,0.5"], "predicted label as `y_pred`"),
        (["a,0,1,,0.5"], "y_true is empty"),
    ],
)
def test_predictions_refused(read, lines, words):
    with pytest.raises(ReseedError) as error:
        read("model,seed,item,y_true,y_score", *lines)
    assert words in str(error.value)


@pytest.mark.parametrize("cell", ["0.85 or so", "1.234,5"])
def test_non_numeric_score_cell_is_located_in_the_message(cell):
    frame = pd.DataFrame({"model": ["a", "b"], "seed": [1, 1], "accuracy": [cell] * 2})
    with pytest.raises(ReseedError, match=re.escape(f"column 'accuracy' holds '{cell}'")):
        reseed.compare(frame)


def test_errors_name_the_row_of_the_pivoted_frame():
    scores = {1: [0.8, 0.7, 0.6], 2: [0.8, "failed?", 0.6], 3: [0.9, 0.7, 0.6]}
    frame = pd.DataFrame(scores, index=pd.Index(["a", "b", "c"], name="model"))
    with pytest.raises(ReseedError, match=r"\(row 1\): column 'value' holds 'failed\?'"):
        reseed.compare(frame.rename_axis(columns="seed"), metric="accuracy")


@pytest.mark.parametrize(
    ("first", "lines", "heading"),
    [
        ("seed,old,new", ["0,.8,.9", "1,.8,n.n.", "2,.7,.8"], "new"),
        ("model,fold 1,fold 2", ["old,.8,.7", "new,.9,n.n."], "fold 2"),
        ("model,auc seed=1,auc seed=2", ["old,.8,.7", "new,.9,n.n."], "auc seed=2"),
    ],
)
def test_errors_name_the_heading_of_the_wide_table(read, first, lines, heading):
    with pytest.raises(ReseedError, match=rf"line 3\): column '{heading}' holds 'n.n.'"):
        read(first, *lines, metric="auc")
