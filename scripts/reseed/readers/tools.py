"""Tables that tools write: what recognises each, and what it defines beyond its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from reseed.readers import (
    columns_of_models,
    sklearn_layouts,
    tool_layouts,
    wide_layouts,
    wide_predictions,
)
from reseed.readers.options import ReadOptions
from reseed.readers.source_table import Layout, SourceTable

_Tidy = Callable[[SourceTable, ReadOptions], SourceTable]


@dataclass(frozen=True)
class Tool:
    """A tool: its tables are recognised by `marks` (and `also`), and read by `tidy`.

    title: what notes call a table. marks: alternatives; of each, every pattern fits a column (of
    trackers in lower case). unless: Reseed's columns; if the user maps one, the table is another.
    names: new names of columns. tidy: the table with one row a run, which a tracker writes itself.
    """

    layout: Layout
    title: str = ""
    marks: tuple[str, ...] = ()
    unless: frozenset[str] = frozenset()
    also: Callable[[SourceTable, ReadOptions], bool] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    tidy: _Tidy | None = None

    @property
    def name(self) -> str:
        """The value of `format`."""
        return self.layout.format

    def has_written(self, table: SourceTable, options: ReadOptions) -> bool:
        """Whether a table is one of this tool."""
        lower = map(str.lower, table.columns) if self.layout.is_tracker else table.columns
        names = frozenset(lower)
        fits = (all(_has(names, one) for one in mark.split("|")) for mark in self.marks)
        if (self.marks and not any(fits)) or self.unless & set(options.columns):
            return False
        return self.also is None or self.also(table, options)

    def read(self, table: SourceTable, options: ReadOptions) -> SourceTable:
        """The table with one row a run; ReseedError if it lacks the tool's columns."""
        layout = replace(
            self.layout,
            is_positional=table.layout.is_positional or self.layout.is_positional,
            two_headings=table.layout.two_headings,
        )
        table = replace(table, layout=layout, frame=table.frame.rename(columns=self.names))
        table.notes.extend([f"Read as {self.title}."] if self.title else [])
        try:
            return self.tidy(table, options) if self.tidy else table
        except (IndexError, KeyError, ValueError):
            raise table.error(
                f"does not have the columns of the format {self.name!r}",
                f"Leave `format` out, or name another. {table.column_list}",
            ) from None


def _has(names: frozenset[str], mark: str) -> bool:
    return mark in names or ("*" in mark and any(fnmatchcase(name, mark) for name in names))


def _tracker(
    name: str, title: str, marks: list[str], bookkeeping: str, tidy: _Tidy | None = None,
    **layout: Any,
) -> Tool:  # fmt: skip
    own = frozenset(bookkeeping.split("|"))
    named = Layout(name, is_tracker=True, bookkeeping=own, **layout)
    return Tool(named, title, tuple(marks), tidy=tidy)


def _wide(noun: str, also: Callable[..., bool], tidy: Callable[..., SourceTable]) -> Tool:
    return Tool(Layout(f"{noun}s_in_columns"), also=also, tidy=tidy)


#: In the order in which they are tried.
TOOLS = (
    _tracker(
        "dvc", "experiments of DVC", ["rev|typ|created"],
        "experiment|rev|typ|created|parent|state|executor", setting_prefixes=("params.",),
        run_name_columns=("experiment",), tidy=tool_layouts.tidy_dvc,
    ),
    _tracker(
        "mlflow", "MLflow runs", ["metrics.*", "params.*|run_id"],
        "run_id|experiment_id|artifact_uri|start_time|end_time|status",
        run_name_columns=("mlflow_runname",), setting_prefixes=("params.",),
        metric_prefixes=("metrics.",),
    ),
    _tracker(
        "mlflow_ui", "a CSV from MLflow's page of runs",
        ["start time|duration|run id|status"],
        "start time|duration|run id|name|source type|source name|user|status|version|models",
        run_name_columns=("name",),
    ),
    _tracker(
        "wandb", "a Weights & Biases export", ["name|state", "name|runtime", "name|summary|config"],
        "name|state|runtime|notes|user|tags|created|updated|end time|sweep|id|hostname|host|os"
            "|commit|github|gpu count|gpu type|cpu count|python version|entity|project|group"
            "|job type|command|github repo|relative time (process)|heartbeat",
        run_name_columns=("name",), tidy=tool_layouts.tidy_wandb,
    ),
    Tool(
        Layout("wandb_chart", derived="a line of the chart is a run"),
        "a chart of Weights & Biases: the last value of each line; no best step was chosen",
        ("* - *",), also=tool_layouts.is_wandb_chart, tidy=tool_layouts.tidy_wandb_chart,
    ),
    _tracker(
        "clearml", "a ClearML table",
        ["type|name|status|iteration", "type|name|status|started"],
        "type|name|tags|status|project|user|started|updated|iteration|parent|id",
        run_name_columns=("name",),
    ),
    _tracker(
        "optuna", "an Optuna study's trials",
        ["number|value|state|datetime_start", "number|values_*|state|datetime_start"],
        "number|state|datetime_start|datetime_complete|duration",
        setting_prefixes=("params_",), metric_prefixes=("values_",),
    ),
    _tracker(
        "ray", "Ray Tune's results", ["trial_id|training_iteration"],
        "trial_id|training_iteration|timestamp|checkpoint_dir_name|done|date|time_this_iter_s"
            "|time_total_s|pid|hostname|node_ip|time_since_restore|iterations_since_restore|logdir"
            "|episodes_total|timesteps_total|experiment_tag|should_checkpoint|warmup_time",
        setting_prefixes=("config/",),
    ),
    Tool(
        Layout("skore", derived="an estimator is a model; a split is a fold", is_positional=True),
        "a report of skore", ("|".join(tool_layouts.SKORE_MARKS),), tidy=tool_layouts.tidy_skore,
    ),
    Tool(
        Layout("tabarena"), also=tool_layouts.is_tabarena,
        tidy=tool_layouts.tidy_tabarena,
    ),
    Tool(
        Layout("automl_benchmark"),
        "the AutoML benchmark: `result` is the score by the metric of its task",
        ("framework|task|fold|metric|result",), frozenset({"value", "metric"}),
        names={"result": "value"},
    ),
    Tool(
        Layout("autogluon", greater_by_default=True),
        "AutoGluon's leaderboard, in which more of every score is better",
        ("model|score_test|stack_level", "model|score_val|stack_level"),
        frozenset({"value", "metric"}), tidy=tool_layouts.tidy_autogluon,
    ),
    Tool(
        Layout("caret"), "caret's resamples", also=tool_layouts.is_caret,
        tidy=tool_layouts.tidy_caret,
    ),
    Tool(
        Layout("mlr3", bookkeeping=frozenset({"nr", "iters", "uhash", "resampling_id"})),
        "scores of mlr3", ("task_id|learner_id|iteration", "task_id|learner_id|resampling_id"),
        frozenset({"dataset", "item"}), names={"task_id": "dataset", "iteration": "fold"},
    ),
    Tool(
        Layout("weka"), "results of Weka's experimenter",
        ("Key_Dataset|Key_Run|Key_Fold|Key_Scheme",), tidy=tool_layouts.tidy_weka,
    ),
    Tool(
        Layout("nixtla"), "forecasts of Nixtla's libraries", ("unique_id|ds|y",),
        frozenset({"model", "item", "y_true"}), tidy=tool_layouts.tidy_nixtla,
    ),
    Tool(
        Layout("openml"), "OpenML's evaluations", ("flow_name|data_name|function|value",),
        frozenset({"metric", "value"}), tidy=tool_layouts.tidy_openml,
    ),
    Tool(
        Layout("opencompass", greater_by_default=True),
        "the summary of OpenCompass: a column a model",
        also=tool_layouts.is_opencompass, tidy=tool_layouts.tidy_opencompass,
    ),
    _tracker(
        "inspect_evals", "evaluations of Inspect", ["eval_id|model|score_headline_value"], "",
        setting_prefixes=("task_arg_",), tidy=tool_layouts.tidy_inspect_evals,
    ),
    Tool(
        Layout(
            "inspect_samples", metric_prefixes=("score_",), setting_prefixes=("task_arg_",),
        ),
        "samples of Inspect", ("id|epoch|input|score_*", "id|epoch|log|score_*"),
        frozenset({"item", "value"}), tidy=tool_layouts.tidy_inspect_samples,
    ),
    Tool(
        Layout("promptfoo"), "results of promptfoo",
        ("* Status|* Score|* Named Scores", "Status|Score|Named Scores"),
        tidy=tool_layouts.tidy_promptfoo,
    ),
    Tool(
        Layout(
            "cv_results", greater_by_default=True, is_positional=True,
            derived="a candidate, by the parameters that vary, is a model; a split is a fold",
        ),
        marks=("mean_fit_time|split[0-9]*_test_?*",), tidy=sklearn_layouts.tidy_cv_results,
    ),
    Tool(
        Layout("cross_validate", greater_by_default=True),
        marks=("fit_time|score_time|test_*",), tidy=sklearn_layouts.tidy_cross_validate,
    ),
    _wide(
        "prediction", wide_predictions.is_column_of_predictions,
        wide_predictions.tidy_columns_of_predictions,
    ),
    _wide("run", wide_layouts.is_column_a_run, wide_layouts.tidy_columns_of_runs),
    _wide("model", columns_of_models.is_column_a_model, columns_of_models.tidy_columns_of_models),
    _wide("dataset", wide_layouts.is_column_a_dataset, wide_layouts.tidy_columns_of_datasets),
)  # fmt: skip


def apply_layout(table: SourceTable, options: ReadOptions) -> SourceTable:
    """The table converted to one row a run, with the layout of the tool that wrote it.

    Raises ReseedError if a layout defines a column that the table has already.
    """
    if table.layout.format != Layout.format:
        return table
    has_model = "model" in options.list_standard_names(table)
    free = [c for c in table.unnamed if options.find_standard_name(c) is None]
    index = [column for column in free if has_model or table.is_numeric(column)]
    is_auto = options.format == "auto"
    for tool in TOOLS:
        if options.format == tool.name or (is_auto and tool.has_written(table, options)):
            table = tool.read(table, options)
            break
    else:
        if is_auto:
            wide_layouts.ask_headings(table, options)
    repeated = table.frame.columns[table.frame.columns.duplicated()]
    if len(repeated):
        raise table.error(
            f"has a column {repeated[0]!r}, which its layout ({table.layout.format}) defines too",
            "Rename or remove that column.",
        )
    return replace(table, frame=table.frame.drop(columns=index, errors="ignore"))
