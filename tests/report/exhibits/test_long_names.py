"""Figures with long names and many models are readable and complete."""

import numpy as np
import pandas as pd
import pytest
from papers.raste import heat_maps, range_bars, same_splits, score_strips
from readable import check_figure
from reseed.analyses import pairs, spread
from reseed.analyses.shared.data import Data
from reseed.report.exhibits import critical_difference_figure, pairs_figure
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.panels import line, panel_grid
from reseed.report.rendering.short_names import LONGEST_MODEL, SAID, with_short_names
from reseed.report.rendering.style import legend_below, panels_of_columns, styled
from run_kinds import draw, run_analysis
from study_frames import about, amended, frame, trial
from test_figures import texts_of

FAST = {"n_boot": 20, "n_sim": 20, "n_draws": 20}
ODD = ("cost $5 & $6", "_hidden", r"bad $\foo$", "a_b^c %")
LONG = tuple(
    f"{'A model whose name tells each of its parameters, ' * 3}number {i}" for i in range(3)
)


def study(models, splits=6, seeds=1, experiment="data_seeds", varied="data", spread=0.01):
    rng = np.random.default_rng(len(experiment))
    rows = [
        trial(0.8 + rng.normal(0, spread), experiment=experiment, varied=varied, dataset="magic",
              metric="auc", model=model, data_seed=split, seed=seed)
        for split in range(splits) for model in models for seed in range(seeds)
    ]  # fmt: skip
    facts = about(("magic",), models)
    for model in models:
        facts = amended(facts, models={model: {"title": model}})
    return frame(rows), facts


def shown(metrics, facts, analysis=None):
    table = None
    if analysis is not None:
        fast = {name: n for name, n in FAST.items() if name in analysis.Options.model_fields}
        table = run_analysis(analysis, Data(metrics, facts), fast)
    return ExhibitData(table, metrics, facts, "k", "Title")


KINDS = [
    (pairs_figure, pairs, {}),
    (critical_difference_figure, pairs, {}),
    (same_splits, pairs, {"experiment": "data_seeds"}),
    (score_strips, None, {"experiments": ["data_seeds"]}),
    (range_bars, spread, {"experiments": ["data_seeds"]}),
    (heat_maps, None, {"experiment": "data_seeds"}),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0].__name__)
def test_a_name_is_no_formula_and_hides_nothing(kind, tmp_path):
    module, analysis, options = kind
    figure, _ = check_figure(module, shown(*study(ODD), analysis), options, tmp_path)
    text = " ".join(t.get_text().replace("\n", " ") for t, _ in texts_of(figure))
    assert all(name in text for name in ODD)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0].__name__)
@pytest.mark.filterwarnings("error:constrained_layout not applied")
def test_very_long_names_leave_room_for_what_is_drawn(kind):
    module, analysis, options = kind
    data = shown(*study(LONG, splits=5), analysis)
    figure, drawn = draw(module, data, options)
    figure.canvas.draw()
    assert SAID in drawn.footnote
    assert set(drawn.frame.get("model", LONG)) <= set(LONG)  # the CSV has them whole
    boxes = [axis.get_window_extent() for axis in figure.axes if axis.lines]
    assert min(box.width for box in boxes) > 60
    assert min(box.height for box in boxes) > 35
    for text, box in texts_of(figure):
        assert -1 <= box.x0 <= box.x1 <= figure.bbox.width + 1, text.get_text()


def test_short_names_stay_apart_and_others_stay():
    names = ["rf", "x" * 90, "x" * 91, "y" * LONGEST_MODEL]
    facts = amended(about(("magic",), names), models={name: {"title": name} for name in names})
    data = ExhibitData(None, frame([]), facts)
    short = with_short_names(data)
    titles = [short.model(name) for name in names]
    assert len(set(titles)) == 4
    assert max(map(len, titles)) == LONGEST_MODEL
    assert (titles[0], titles[3]) == ("rf", names[3])
    plain = ExhibitData(None, frame([]), about(("magic",), ("rf",)))
    assert with_short_names(plain) is plain


def test_names_of_forty_columns_do_not_collide(tmp_path):
    models = tuple(f"model-{i:02d}" for i in range(40))
    assert panels_of_columns(models)[0] == 1
    assert panels_of_columns(models[:6]) == (2, 0.0)
    metrics, facts = study(models)
    data = shown(metrics, facts, spread)
    for module in (score_strips, range_bars):
        check_figure(module, data, {"experiments": ["data_seeds"]}, tmp_path)


@styled
def _crowded(data):
    figure, axes = panel_grid([2.0] * 20, legend=0.4)
    legend_below(figure, [line("k", f"A line of some length, {i}") for i in range(4)])
    return figure, axes


def test_panels_without_room_are_counted_beside_the_legend():
    figure, axes = _crowded(ExhibitData(None, frame([]), about()))
    texts = {text.get_text(): box for text, box in texts_of(figure)}
    assert len(axes) == 8
    notice = texts.pop("12 more panels: see the CSV")
    assert not any(notice.overlaps(box) for box in texts.values())


def test_lines_that_are_not_drawn_are_counted():
    data = shown(*study(tuple(f"m{i}" for i in range(9))), pairs)
    figure, drawn = draw(same_splits, data, {"experiment": "data_seeds"})
    assert len(figure.axes[0].lines) == 6
    assert "Of 9 models the 6 with the best means are drawn." in drawn.footnote


def test_the_greatest_range_is_drawn_whole():
    figure, drawn = draw(
        range_bars, shown(*study(("rf", "gbm", "xgb")), spread), {"experiments": ["data_seeds"]}
    )
    dots = [one for one in figure.axes[0].lines if one.get_marker() == "o"]
    assert len(dots) == len(drawn.frame)
    assert not any(dot.get_clip_on() for dot in dots)


def several():
    """Two experiments that vary the split of the same models, and one that varies the seed."""
    parts = [
        study(("rf", "gbm"), 8, spread=0.01)[0],
        study(("rf", "gbm"), 8, experiment="retuned", spread=0.05)[0],
        study(("rf", "gbm"), 1, 8, experiment="model_seeds", varied="model")[0],
    ]
    return pd.concat(parts, ignore_index=True), study(("rf", "gbm"))[1]


def test_experiments_that_vary_the_same_seed_are_told_apart(tmp_path):
    chosen = {"experiments": ["data_seeds", "retuned", "model_seeds"]}
    metrics, facts = several()
    for module, analysis in ((range_bars, spread), (score_strips, None)):
        figure, drawn = check_figure(module, shown(metrics, facts, analysis), chosen, tmp_path)
        labels = [text.get_text() for text in figure.legends[0].get_texts()]
        assert labels[:3] == ["Data seeds varied", "Tuned for each pair", "Model seeds varied"]
        dots = [one for one in figure.axes[0].lines if one.get_marker() == "o"]
        assert len({dot.get_color() for dot in dots}) == 3
        # A model's dots end before the next model's begin.
        centres = [np.mean(dot.get_xdata()) for dot in dots]
        assert max(abs(x - round(x)) for x in centres) < 0.5
        if module is range_bars:
            _, drawn = draw(
                module, shown(metrics, facts, analysis), {"experiments": ["retuned", "model_seeds"]}
            )
            frame = drawn.frame.set_index(["varied", "arm"])["range"]
            assert all(frame["data", arm] > frame["model", arm] for arm in ("rf", "gbm"))


def test_repeats_are_splits_of_a_heat_map_and_of_strips():
    rows = [
        trial(0.8 + 0.01 * repeat + 0.001 * seed, experiment="grid", varied="data+model",
              repeat=repeat, seed=seed, dataset="magic", metric="auc")
        for repeat in range(4) for seed in range(3)
    ]  # fmt: skip
    data = shown(frame(rows), about(("magic",), ("rf",)))
    _, drawn = draw(heat_maps, data, {"experiment": "grid"})
    grid = drawn.frame.pivot(index="model_seed", columns="data_seed", values="score")
    expected = [[0.8 + 0.01 * r + 0.001 * s for r in range(4)] for s in range(3)]
    np.testing.assert_allclose(grid, expected)
    _, drawn = draw(score_strips, data, {"experiments": ["grid"]})
    assert "Seeds per cell: 12." in drawn.footnote


def test_the_rows_of_a_heat_map_are_the_seeds_that_vary():
    """Whichever role they are of: arms of one experiment may vary different ones."""
    rows = [
        trial(0.8 + 0.01 * split + 0.001 * seed, experiment="grid", varied=f"data+{role}",
              data_seed=split, dataset="magic", metric="auc", arm=role,
              **{role: 10 + seed})
        for role in ("init", "order") for split in range(4) for seed in range(3)
    ]  # fmt: skip
    data = shown(frame(rows), about(("magic",), ("rf",)))
    _, drawn = draw(heat_maps, data, {"experiment": "grid"})
    assert len(drawn.frame) == 24
    for _, part in drawn.frame.groupby("arm"):
        assert sorted(set(part["model_seed"])) == [10, 11, 12]


def test_a_score_that_is_none_is_not_drawn():
    metrics, facts = study(("rf", "gbm"))
    metrics.loc[metrics["model"] == "rf", "auc"] = np.nan
    options = {"experiments": ["data_seeds"]}
    _, drawn = draw(score_strips, shown(metrics, facts), options)
    assert set(drawn.frame["model"]) == {"gbm"}
    nothing = draw(score_strips, shown(metrics.assign(auc=np.nan), facts), options)[1]
    assert nothing.empty


def many(datasets, models, equal=False):
    parts = [
        study(models)[0].assign(dataset=dataset) for dataset in (f"d{i}" for i in range(datasets))
    ]
    metrics = pd.concat(parts, ignore_index=True)
    rng = np.random.default_rng(0)
    metrics["auc"] = 0.8 if equal else rng.normal(0.8, 0.01, len(metrics))
    facts = about(tuple(dict.fromkeys(metrics["dataset"])), models)
    untitled = {"metric": "auc", "greater_is_better": True, "title": ""}
    return metrics, amended(facts, datasets=dict.fromkeys(facts.datasets, untitled))


def test_what_never_moves_is_not_drawn_and_named_once():
    metrics, facts = many(2, ("rf", "gbm"), equal=True)
    _, drawn = draw(heat_maps, shown(metrics, facts), {"experiment": "data_seeds"})
    assert drawn.empty.endswith(": RF (d0), GBM (d0), RF (d1) and GBM (d1).")


@pytest.mark.parametrize("arms", [False, True])
def test_a_name_of_several_lines_is_drawn_on_one(arms):
    models = ("one\nof two lines", "plain", "tab\tand\r\nreturn")
    metrics, facts = study(models)
    if arms:
        facts = amended(
            facts, experiments={"data_seeds": {"arms": {m: f"{m}\u2028arm" for m in models}}}
        )
    figure, _ = draw(pairs_figure, shown(metrics, facts, pairs), {})
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    end = " arm" if arms else ""
    assert any(f"one of two lines{end}" in label for label in labels)
    assert any(f"tab and return{end}" in label for label in labels)


def test_labels_of_differences_keep_their_distance():
    """Names of models stand next to the numbers of the panel before, 7 points away or more."""
    models = ("neighbour", "boosting", "bayes", "forest", "tree")
    sets = ("magic", "home_mortgage_sim")
    rng = np.random.default_rng(0)
    metrics = frame([
        trial(0.8 + 0.01 * rank + rng.normal(0, 0.01), experiment="data_seeds", dataset=dataset,
              metric="auc", model=model, data_seed=split, seed=0, varied="data")
        for dataset in sets for rank, model in enumerate(models) for split in range(6)
    ])  # fmt: skip
    facts = about(sets, models)
    for model in models:
        facts = amended(facts, models={model: {"title": model}})
    figure, _ = draw(pairs_figure, shown(metrics, facts, pairs), {})
    figure.draw_without_rendering()
    left, right = (axis for axis in figure.axes if axis.get_visible())
    assert len(left.get_yticklabels()) == 10
    points = 72 / figure.dpi
    numbers = max(text.get_window_extent().x1 for text in left.texts)
    for start, axis in ((0, left), (numbers, right)):
        labels = min(label.get_window_extent().x0 for label in axis.get_yticklabels())
        assert (labels - start) * points >= 7
