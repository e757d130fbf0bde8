"""Texts with a word that tells their class among random words."""

import numpy as np


def labelled_texts(rows: int, classes: int = 3, pairs: bool = False, word: str = "word"):
    """Return (texts or pairs of texts, class numbers); `pairs` put a random text before each."""
    rng = np.random.default_rng(0)
    target = np.arange(rows) % classes
    found = []
    for label in target:
        words = [f"{word}{w}" for w in rng.integers(60, size=rng.integers(2, 9))]
        words.insert(rng.integers(len(words)), f"class{label}")
        text = " ".join(words)
        found.append((f"question{rng.integers(7)}", text) if pairs else text)
    return found, target
