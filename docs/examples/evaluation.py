"""Write `scores.csv`: an evaluation of five models whose true differences are known.

Every model has five training seeds and answers 200 questions twice. The questions belong to 40
passages. Accuracy depends on the model, the seed, the passage, the question, and chance.
"""

import numpy as np
import pandas as pd

#: True mean on the latent scale: `large` is best, `base` and `tuned` are equal.
SKILL = {"large": 1.1, "base": 0.5, "tuned": 0.5, "small": 0.2, "tiny": -0.9}
SEEDS, PASSAGES, QUESTIONS, SAMPLES = 5, 40, 5, 2


def simulate(seed: int = 1) -> pd.DataFrame:
    """One row an answer; columns model, seed, passage, question, sample_index, correct."""
    rng = np.random.default_rng(seed)
    items = PASSAGES * QUESTIONS
    passage = np.arange(items) // QUESTIONS
    difficulty = rng.normal(0, 0.7, PASSAGES)[passage] + rng.normal(0, 0.7, items)
    parts = []
    for model, skill in SKILL.items():
        own = difficulty + skill + rng.normal(0, 0.4, PASSAGES)[passage]
        for training_seed in range(SEEDS):
            latent = own + rng.normal(0, 0.15)
            for sample in range(SAMPLES):
                right = latent + rng.normal(size=items) > 0
                parts.append(pd.DataFrame({
                    "model": model, "seed": training_seed, "passage": passage,
                    "question": np.arange(items), "sample_index": sample,
                    "correct": right.astype(int),
                }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


if __name__ == "__main__":
    simulate().to_csv("scores.csv", index=False)
