"""The standard set on a study that follows no paper: what its page says is true of it."""

from dataclasses import replace

import numpy as np
import pytest
from reseed.core.study_info import write_study_info
from reseed.report.analyses import fold_scores, pairs, protocol, ranking, seeds_needed, spread
from reseed.report.analyses.shared.data import Data
from reseed.report.exhibits import (
    checklist,
    critical_difference_figure,
    fold_scores_table,
    interval_table,
    pairs_figure,
    pairs_table,
    protocol_table,
    ranking_figure,
    seeds_figure,
    verdicts_table,
    win_tie_loss_table,
)
from reseed.report.pages.render import build_study_page
from reseed.report.pages.studies import read_study
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from reseed.report.rendering.tables import empty_table
from run_kinds import draw, run_analysis
from study_frames import about, amended, frame, replaced, trial

FAST = {"n_boot": 50, "n_sim": 50, "n_draws": 50, "n_experiments": 50, "n_simulations": 100}
ROLES = ("init", "order", "dropout", "augment")
ARMS = {"shallow": "Depth 4", "deep": "Depth 8", "init": "Net, weights", "order": "Net, order"}


def results(models=("mine", "mine~depth=8", "my_net")):
    """6 splits × 3 seeds of each model, and arms over six seeds: two of every role, two of one."""
    rng, scores, rows = np.random.default_rng(0), {}, []

    def run(experiment, arm, model, varied, data_seed, **seeds):
        place = (model, data_seed, *seeds.values())  # a trial that both need is one trial
        score = scores.setdefault(place, rng.normal(0.8 + 0.05 * models.index(model), 0.01))
        rows.append(trial(score, experiment=experiment, arm=arm, model=model, varied=varied,
                          data_seed=data_seed, dataset="magic", metric="auc", **seeds))  # fmt: skip

    for model in models:
        for d in range(6):
            for s in range(3):
                run("crossed", model, model, "data+model", d, **dict.fromkeys(ROLES, s))
    for arm, model in zip(ARMS, (*models[:2], *models[-1:] * 2), strict=False):
        for s in range(6):
            seeds = {role: s if arm in ("shallow", "deep", role) else 0 for role in ROLES}
            varied = arm if arm in ROLES else "model"
            run("roles", arm, model, varied, 0, **seeds)
    facts = amended(
        about(("magic",), models),
        citation="",
        datasets={"magic": {"title": "Our loans"}},
        trials={"planned": len(scores), "ok": len(scores)},
    )
    experiments = {
        "crossed": {"title": "Splits and seeds", "arms": {m: m for m in models}},
        "roles": {"title": "Init against order", "arms": ARMS},
    }
    return frame(rows), replaced(facts, experiments=experiments)


@pytest.fixture(scope="module")
def study():
    return results()


def drawn_from(analysis, metrics, facts, **options):
    fast = {name: value for name, value in FAST.items() if name in analysis.Options.model_fields}
    table = run_analysis(analysis, Data(metrics, facts), fast | options)
    return ExhibitData(table, metrics, facts, "k", "Title")


def page(folder, facts):
    """The page of a study whose one exhibit has nothing to show."""
    folder.mkdir(exist_ok=True)
    write_study_info(folder / "about.json", facts)
    data = ExhibitData(None, frame([]), facts, "k", "Title")
    write_table(empty_table(data, "Nothing was run."), folder / "tables" / "none")
    return build_study_page(read_study(folder))


def test_only_what_follows_a_paper_is_smaller_than_it(tmp_path, study):
    message = "smaller than the published study"
    assert message not in page(tmp_path, study[1])
    assert message not in page(tmp_path, replaced(study[1], reduced=True))
    cited = replaced(study[1], citation="Somebody. 2022.")
    assert message in page(tmp_path, replaced(cited, reduced=True))
    assert message not in page(tmp_path, replaced(cited, reduced=False))


def test_given_results_have_no_scale(tmp_path, study):
    assert "Left out at this scale" in page(tmp_path, study[1])
    given = page(tmp_path, replaced(study[1], scale="as given"))
    assert "<h2>Left out</h2>" in given
    assert "at this scale" not in given


def test_a_source_is_told_in_words(tmp_path, study):
    source = {"kind": "file", "path": ["a.csv", "b.csv"], "sha256": None, "files": {"a.csv": "8"}}
    magic = study[1].datasets["magic"].model_copy(update={"source": source})
    facts = replaced(study[1], datasets={"magic": magic})
    assert "<dt>Source</dt><dd>file a.csv, b.csv</dd>" in page(tmp_path, facts)
    shown = draw(checklist, ExhibitData(None, study[0], facts), {}).shown.to_string()
    assert "from file a.csv, b.csv;" in shown


def test_the_checklist_tells_the_seeds_of_each_arm(study):
    shown = draw(checklist, ExhibitData(None, *study), {}).shown
    message = dict(shown.itertuples(index=False, name=None))
    assert message["Init against order · Depth 4"] == "all roles: 0–5"
    assert message["Init against order · Net, weights"] == "init: 0–5; order, dropout, augment: 0"
    assert message["Init against order · Net, order"] == "order: 0–5; init, dropout, augment: 0"
    assert "all roles: 0–2" in list(shown["As recorded"])  # of every model that is crossed


def test_a_trial_that_two_experiments_need_is_one(study):
    metrics, facts = study
    assert (len(metrics), facts.trials.planned) == (78, 70)
    shown = draw(checklist, ExhibitData(None, metrics, facts), {}).shown
    assert "recorded for 70 trials" in shown.to_string()
    table = draw(pairs_table, drawn_from(pairs, metrics, facts), {})
    assert "Failed trials (left out): 0 of 70." in table.footnote


def test_a_shared_trial_counts_for_the_arm_that_is_shown(study):
    table = draw(pairs_table, drawn_from(pairs, *study), {"experiments": ["roles"]})
    assert "Failed trials (left out): 0 of 23." in table.footnote  # init 0 is order 0


def test_an_order_is_named_by_its_experiment_drawn_or_not(study):
    canvas, drawn = draw(ranking_figure, drawn_from(ranking, *study), {})
    assert "Failed trials (left out): 0 of 70." in drawn.footnote
    labels = [text.get_text() for text in canvas.axes[0].get_yticklabels()]
    assert sorted(labels) == ["Our loans · Init against order", "Our loans · Splits and seeds"]
    trials, *facts = study
    trials = trials.copy()
    arms = trials["experiment"] == trials["experiment"].iloc[-1]
    trials.loc[arms, "data_seed"] += trials.loc[arms, "arm"].factorize()[0]  # no split is shared
    canvas, drawn = draw(ranking_figure, drawn_from(ranking, trials, *facts), {})
    assert drawn.footnote.endswith("or always tie: Our loans · Init against order.")
    labels = [text.get_text() for text in canvas.axes[0].get_yticklabels()]
    assert labels == ["Our loans · Splits and seeds"]


def test_decision_rules_are_per_protocol_only_with_a_paper(study):
    data = drawn_from(protocol, *study)
    table = draw(protocol_table, data, {})
    sentences = [text for claim in table.claims for text in (claim.heading, claim.text)]
    message = " ".join([table.footnote, *sentences, table.shown.to_string()])
    assert "protocol" not in message.lower()
    assert "written" not in message
    assert list(table.shown["Way of deciding"])[1:] == [
        "Uncorrected (Wilcoxon, Holm)", "Corrected resampled t, Holm",
    ]  # fmt: skip
    assert table.claims[0].heading.startswith("Error rate at level 5 %: uncorrected ")
    cited = replace(data, info=replaced(data.info, citation="Somebody. 2022."))
    table = draw(protocol_table, cited, {})
    assert list(table.shown["Way of deciding"])[1:] == ["Protocol as written", "Corrected protocol"]
    assert table.claims[0].heading.startswith("Error rate at level 5 %: as written ")


def test_split_intervals_are_per_protocol_only_with_a_paper(study):
    data = drawn_from(fold_scores, *study)
    table = draw(fold_scores_table, data, {})
    message = " ".join([table.headline, table.footnote, *table.findings, *table.shown])
    for word in ("written", "protocol", "one fold", "One fold"):
        assert word not in message
    assert "BCa" in table.shown
    assert "the interval is that of the corrected t" in table.footnote


def test_crossed_seeds_have_no_interval_and_the_caption_says_so(study):
    data = drawn_from(spread, *study)
    message = "where seeds are crossed"
    both = draw(interval_table, data, {"experiments": ["crossed", "roles"]})
    assert message in both.definitions[0]
    assert message not in draw(interval_table, data, {"experiments": ["roles"]}).definitions[0]


def test_one_model_is_said_to_be_one():
    one = results(("mine",))
    one = one[0][one[0]["experiment"] == "crossed"], one[1]
    data = drawn_from(pairs, *one)
    for kind in (pairs_table, verdicts_table, win_tie_loss_table):
        assert draw(kind, data, {}).empty == "There is one model."
    for kind in (pairs_figure, critical_difference_figure):
        assert draw(kind, data, {})[1].empty == "There is one model."
    assert draw(ranking_figure, drawn_from(ranking, *one), {})[1].empty == "There is one model."
    assert draw(seeds_figure, drawn_from(seeds_needed, *one), {})[1].empty == "There is one model."
    assert draw(protocol_table, drawn_from(protocol, *one), {}).empty == "There is one model."


@pytest.mark.parametrize("chosen", [{"baseline": "mine"}, {"pairs": [["mine", "my_net"]]}])
def test_runs_needed_are_those_of_the_chosen_pairs(study, chosen):
    metrics = study[0][study[0]["experiment"] == "crossed"]
    compared = drawn_from(pairs, metrics, study[1], **chosen).statistics
    drawn = draw(seeds_figure, drawn_from(seeds_needed, metrics, study[1], **chosen), {})[1]
    assert len(drawn.claims[0].rows) == len(compared)
