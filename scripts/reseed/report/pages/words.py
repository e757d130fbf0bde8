"""One sentence of definition for each special term of the report."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape

WORDS = {
    "model seed": "The number that determines all random draws inside one training: initial"
    " weights, order of the batches, subsampling.",
    "data seed": "The number that determines one random split into training and test rows.",
    "SD": "Standard deviation: the typical distance of single scores from their mean, in the"
    " score's unit.",
    "range": "The largest score minus the smallest; it grows with the number of seeds.",
    "paired": "Both models were scored on the same splits, so the common effect of a split cancels"
    " in their difference.",
    "unpaired": "The two models are compared as if each had its own splits.",
    "difference is shown": "So large a difference would be rare (adjusted p at most the stated"
    " level) if the models were equally good; otherwise nothing is claimed, not even equality.",
    "interval": "It contains the true value in as many of 100 such studies as its level says.",
    "arm": "The unit of comparison: a model, or a model with its own hyper-parameters or kinds of"
    " seed.",
    "setting": "One dataset with one split scheme and one source of hyper-parameters; with one"
    " algorithm, where a table has a row for each.",
    "cell": "One setting with one way of varying the seeds: one row of a table.",
    "infinite test set": "A test set so large that the choice of its rows no longer changes a"
    " score; the spread over seeds that is left there is that between trained models.",
    "equivalent": "No difference was shown, and it was shown to be smaller than the stated region"
    " of practical equivalence; without a stated region nothing is called equivalent.",
    "flips": "Single runs that order the two models differently from the mean.",
    "average rank": "A model's rank among the models, 1 for the best, averaged over datasets.",
    "churn": "Share of the test rows on which two trained models predict different classes.",
    "α̂": "Share of a trained model's test rows that must be set aside for its outputs to look like"
    " those of models that differ only in the seed; 0: no difference is visible.",
    "ensemble": "Several trained models combined by the mean of their logits.",
    "ECE": "Expected calibration error: mean distance between the probability of the predicted"
    " class and the share of correct predictions, over bins of that probability.",
    "optimism": "Points by which the chosen model scores better on the data that chose it than on"
    " other data.",
    "stand-in": "Data of the same shape that replace unavailable data.",
}  # fmt: skip


def words_in(texts: list[str], names: Collection[str] = ()) -> list[tuple[str, str]]:
    """The terms that occur in `texts`, with their definitions.

    names: titles of datasets and models, in which a term such as churn is none.
    """
    free = [part for text in texts for part in _free_parts(text, names)]
    return [(word, text) for word, text in WORDS.items() if any(map(_pattern(word).search, free))]


def link_words(
    sentence: str, known: list[tuple[str, str]], seen: set[str], names: Collection[str] = ()
) -> str:
    """The sentence as HTML, with a link at the first occurrence of each term of `known`.

    seen: terms that are linked already; new ones are added. The link of term i (from 1) is
    `#word-i`. names: titles that are not searched.
    """
    taken = [(one.start(), one.end()) for one in _find_names(sentence, names)]
    links: list[tuple[int, int, int]] = []
    for number, (word, _) in enumerate(known, 1):
        matches = [] if word in seen else _pattern(word).finditer(sentence)
        spans = ((one.start(), one.end()) for one in matches)
        free = (span for span in spans if all(span[1] <= a or b <= span[0] for a, b in taken))
        if place := next(free, None):
            taken.append(place)
            links.append((*place, number))
            seen.add(word)
    parts, last = [], 0
    for start, end, number in sorted(links):
        parts += [
            escape(sentence[last:start]),
            f'<a href="#word-{number}">{escape(sentence[start:end])}</a>',
        ]
        last = end
    return "".join([*parts, escape(sentence[last:])])


def _find_names(sentence: str, names: Collection[str]) -> Iterator[re.Match]:
    pattern = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True)))
    return re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", sentence) if pattern else iter(())


def _free_parts(sentence: str, names: Collection[str]) -> Iterator[str]:
    """The parts of a sentence between names."""
    last = 0
    for name in _find_names(sentence, names):
        yield sentence[last : name.start()]
        last = name.end()
    yield sentence[last:]


def _pattern(word: str) -> re.Pattern:
    return re.compile(rf"(?<!\w){re.escape(word)}s?(?!\w)")
