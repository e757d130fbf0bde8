"""One plain sentence for each word of the report that is not everybody's."""

from __future__ import annotations

import re
from html import escape

WORDS = {
    "model seed": "The number from which all chance inside one training is drawn: initial weights,"
    " order of the batches, subsampling.",
    "data seed": "The number from which one random split into training and test rows is drawn.",
    "SD": "Standard deviation: how far single scores lie from their mean, in the score's unit.",
    "range": "The largest score minus the smallest; it grows with the number of seeds.",
    "paired": "Both models were scored on the same splits, so that what a split does to both drops"
    " out of their difference.",
    "unpaired": "As if each model had been scored on splits of its own.",
    "difference is shown": "So large a difference would be rare (adjusted p at most the level that"
    " is stated) if the models were equally good; otherwise nothing is claimed, equality neither.",
    "interval": "Where the true value lies, in as many of 100 such studies as its level says.",
    "arm": "What is compared: a model, where a study says so with hyper-parameters or kinds of seed"
    " of its own.",
    "setting": "One dataset, one way of splitting it and one source of hyper-parameters, within"
    " which models are compared.",
    "cell": "One dataset with one algorithm and one way of varying the seeds: one row of a table.",
    "luck of the test rows": "How far the score of one trained model would move if other rows had"
    " been drawn for the test.",
    "equivalent": "No difference was shown, and it was shown to be smaller than the region of"
    " practical equivalence that the study states; without a stated region nothing is called"
    " equivalent.",
    "flips": "Single runs that put the two models in the other order than the mean does.",
    "average rank": "A model's place among the models, 1 for the best, averaged over datasets.",
    "churn": "Share of the test rows on which two trained models predict different classes.",
    "α̂": "Share of a trained model's test rows that must be set aside for its outputs to look like"
    " those of its siblings, which differ in the seed alone; 0: nothing stands out.",
    "ensemble": "Several trained models taken as one, by the mean of their logits.",
    "ECE": "Expected calibration error: how far the probability of the predicted class lies from"
    " the share that is right, on average over bins of that probability.",
    "optimism": "Points by which the chosen model scores better where it was chosen than"
    " elsewhere.",
    "stand-in": "Data of the same shape in place of data that cannot be had.",
}  # fmt: skip


def words_in(texts: list[str]) -> list[tuple[str, str]]:
    """The words that occur in `texts`, with their sentences."""
    joined = " ".join(texts)
    return [(word, text) for word, text in WORDS.items() if _pattern(word).search(joined)]


def link_words(sentence: str, known: list[tuple[str, str]], seen: set[str]) -> str:
    """The sentence as HTML, each word of `known` linked where it stands for the first time.

    `seen` holds the words that are linked already and is added to. The target of the i-th word is
    `#word-i`, counted from 1.
    """
    places = []
    for number, (word, _) in enumerate(known, 1):
        found = None if word in seen else _pattern(word).search(sentence)
        if found and not any(a < found.end() and found.start() < b for a, b, _ in places):
            places.append((found.start(), found.end(), number))
            seen.add(word)
    parts, last = [], 0
    for start, end, number in sorted(places):
        parts += [
            escape(sentence[last:start]),
            f'<a href="#word-{number}">{escape(sentence[start:end])}</a>',
        ]
        last = end
    return "".join([*parts, escape(sentence[last:])])


def _pattern(word: str) -> re.Pattern:
    return re.compile(rf"(?<!\w){re.escape(word)}s?(?!\w)")
