"""A judge corrected by people's scores, against regression and double sampling by hand."""

import numpy as np
import pytest
from reseed.stats.judge import correct_judge, labels_to_halve


def draw(rng, items=400, labels=80):
    people = (rng.normal(size=items) + rng.normal(size=(2, items)) > 0).astype(float)
    judge = np.where(rng.random((2, items)) < 0.85, people, 1 - people)
    judge[0] = np.maximum(judge[0], rng.random(items) < 0.15)
    has = np.zeros(items, bool)
    has[rng.permutation(items)[:labels]] = True
    return judge, people, has


def test_difference_is_that_of_double_sampling():
    judge, people, has = draw(np.random.default_rng(0))
    found = correct_judge(judge, np.where(has, people, np.nan))
    j, h = judge[0] - judge[1], (people[0] - people[1])[has]
    slope, _ = np.polyfit(j[has], h, 1)
    assert found.weight == pytest.approx(slope)
    d = found.values[0] - found.values[1]
    assert d.mean() == pytest.approx(h.mean() - slope * (j[has].mean() - j.mean()))
    rest = h - slope * j[has]
    closed = rest.var() / has.sum() + slope**2 * j.var() / has.size
    assert d.var() / has.size == pytest.approx(closed, rel=0.1)  # without the finite population


def test_any_judge_leaves_the_mean_where_people_put_it():
    judge, people, has = draw(np.random.default_rng(1), labels=400)
    assert correct_judge(judge, people).values.mean(axis=1) == pytest.approx(people.mean(axis=1))
    nothing = correct_judge(np.zeros_like(judge), np.where(has, people, np.nan))
    assert (nothing.weight, nothing.labels) == (0, 400)


def test_one_model_and_small_scores_have_the_same_weight():
    judge, people, has = draw(np.random.default_rng(5))
    one = correct_judge(judge[:1], np.where(has, people[:1], np.nan))
    slope, _ = np.polyfit(judge[0, has], people[0, has], 1)
    assert one.weight == pytest.approx(slope)
    known = np.where(has, people, np.nan)
    small, whole = correct_judge(judge / 1000, known / 1000), correct_judge(judge, known)
    assert small.weight == pytest.approx(whole.weight)


def test_labels_to_halve_by_hand():
    """The variance of items that only the judge scored stays; the rest falls with the labels."""
    d = np.array([40.0, -40, 30, -28, *np.tile([0.5, 1.5], 100)])
    is_labelled = np.arange(d.size) < 4
    of_items, of_all = d[4:].var() / d.size, d.var() / d.size
    needed = 4 * (of_all - of_items) / (of_all / 4 - of_items)
    assert 4 < needed < d.size
    assert labels_to_halve(3 * d + 2, 2 * d, is_labelled) == pytest.approx(needed)
    assert labels_to_halve(np.r_[d[:4] / 20, d[4:]], 0 * d, is_labelled) == np.inf  # items are few
    flat = np.where(is_labelled, 1.0, d)
    assert labels_to_halve(flat, 0 * d, is_labelled) == np.inf


def test_too_few_labels_are_refused():
    judge, people, _ = draw(np.random.default_rng(2))
    people[0, 19:] = np.nan
    with pytest.raises(ValueError, match="labels"):
        correct_judge(judge, people)


def test_labels_that_halve_the_interval():
    rng, needed, widths = np.random.default_rng(3), [], {40: [], 160: []}
    for _ in range(200):
        for labels, found in widths.items():
            judge, people, has = draw(rng, 4000, labels)
            values = correct_judge(judge, np.where(has, people, np.nan)).values
            found.append((values[0] - values[1]).std() / np.sqrt(4000))
            needed += [labels_to_halve(*values, has)] if labels == 40 else []
    ratio = np.mean(widths[40]) / np.mean(widths[160])
    assert np.median(needed) == pytest.approx(160 * (2 / ratio) ** 2, rel=0.15)
    assert labels_to_halve(np.zeros(50), np.zeros(50), np.ones(50, bool)) == np.inf


@pytest.mark.nightly
def test_intervals_cover_the_difference():
    rng, covers = np.random.default_rng(4), []
    for _ in range(2000):
        judge, people, has = draw(rng, 500, 50)
        values = correct_judge(judge, np.where(has, people, np.nan)).values
        d = values[0] - values[1]
        covers.append(abs(d.mean()) <= 2.01 * d.std(ddof=1) / np.sqrt(d.size))
    assert 0.935 < np.mean(covers) < 0.975
