"""The standard set on a study that follows no paper: what its page says is true of it."""

from dataclasses import replace

import numpy as np
import pytest
from reseed.core.study_info import write_study_info
from reseed.report.pages.studies import read_study
from reseed.report.pages.study_pages import build_study_page
from reseed.report.rendering.data import ExhibitData
from reseed.report.rendering.table_files import write_table
from reseed.report.rendering.tables import empty_table
from study_frames import Study, about, amended, frame, replaced, trial

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
    return Study(frame(rows), replaced(facts, experiments=experiments))


@pytest.fixture(scope="module")
def study():
    return results()


def page(folder, facts):
    """The page of a study whose one exhibit has nothing to show."""
    folder.mkdir(exist_ok=True)
    write_study_info(folder / "about.json", facts)
    data = ExhibitData(None, frame([]), facts, "k", "Title")
    write_table(empty_table(data, "Nothing was run."), folder / "tables" / "none")
    return build_study_page(read_study(folder))


def test_only_what_follows_a_paper_is_smaller_than_it(tmp_path, study):
    message = "smaller than the published study"
    assert message not in page(tmp_path, study.info)
    assert message not in page(tmp_path, replaced(study.info, reduced=True))
    cited = replaced(study.info, citation="Somebody. 2022.")
    assert message in page(tmp_path, replaced(cited, reduced=True))
    assert message not in page(tmp_path, replaced(cited, reduced=False))


def test_given_results_have_no_scale(tmp_path, study):
    assert "Left out at this scale" in page(tmp_path, study.info)
    given = page(tmp_path, replaced(study.info, scale="as given"))
    assert "<h2>Left out</h2>" in given
    assert "at this scale" not in given


def test_a_source_is_told_in_words(tmp_path, study):
    source = {"kind": "file", "path": ["a.csv", "b.csv"], "sha256": None, "files": {"a.csv": "8"}}
    magic = study.info.datasets["magic"].model_copy(update={"source": source})
    told = replace(study, info=replaced(study.info, datasets={"magic": magic}))
    assert "<dt>Source</dt><dd>file a.csv, b.csv</dd>" in page(tmp_path, told.info)
    assert "from file a.csv, b.csv;" in told.show("checklist").shown.to_string()


def test_the_checklist_tells_the_seeds_of_each_arm(study, snapshot):
    assert "\n".join(map(" | ".join, study.show("checklist").shown.to_numpy())) == snapshot


def test_a_trial_that_two_experiments_need_is_one(study):
    assert (len(study.metrics), study.info.trials.planned) == (78, 70)
    assert "recorded for 70 trials" in study.show("checklist").shown.to_string()
    note = study.show("verdicts_table").footnote
    assert "Failed trials (left out): 0 of 70." in note
    note = study.show("verdicts_table", {"experiments": ["roles"]}).footnote
    assert "Failed trials (left out): 0 of 23." in note  # init 0 is order 0


def test_crossed_seeds_have_no_interval_and_the_caption_says_so(study):
    message = "where seeds are crossed"
    both = study.show("interval_table", {"experiments": ["crossed", "roles"]})
    assert message in both.definitions[0]
    roles = study.show("interval_table", {"experiments": ["roles"]})
    assert message not in roles.definitions[0]


@pytest.mark.parametrize("kind", ["verdicts_table", "pairs_figure", "critical_difference_figure"])
def test_one_model_is_said_to_be_one(kind):
    one = results(("mine",))
    one = replace(one, metrics=one.metrics[one.metrics["experiment"] == "crossed"])
    assert one.show(kind).empty == "There is one model."
