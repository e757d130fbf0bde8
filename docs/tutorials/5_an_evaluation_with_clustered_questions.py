"""
An evaluation with clustered questions
======================================

Two language models answer 300 questions about 30 passages. Questions about one passage are not
independent, and neither are answers to one prompt. This page shows what that does to the error bars.
It takes five minutes.
"""

import numpy as np
import pandas as pd
import reseed

# %%
# Item scores
# -----------
# One row is one answer: model, item (question), cluster (passage), accuracy (0 or 1). Logs of lm-eval, Inspect
# and HELM are read as they are (``reseed compare LOGS``). Here the answers are simulated, so that the
# truth is known: the two models are *equally good*, but each is better on some passages.

rng = np.random.default_rng(4)
PASSAGES, QUESTIONS = 30, 10


def simulate(rng, advantage=0.0):
    """Answers of two models; the second has an advantage in logits."""
    passage = rng.normal(0, 1, PASSAGES)
    rows = []
    for model, shift in {"model A": 0.0, "model B": advantage}.items():
        skill = rng.normal(0, 1.2, PASSAGES)  # on which passages this model is good
        logit = 0.5 + shift + np.repeat(passage + skill, QUESTIONS)
        correct = rng.random(len(logit)) < 1 / (1 + np.exp(-logit))
        for number, value in enumerate(correct):
            place = number // QUESTIONS
            rows.append((model, f"p{place}-q{number}", f"p{place}", int(value)))
    return pd.DataFrame(rows, columns=["model", "item", "passage", "accuracy"])


scores = simulate(rng)
scores.head(3)

# %%
# With and without clusters
# -------------------------
# ``cluster`` names the column of the groups; ``leave_out`` says that it does not matter. Without either,
# ``compare`` asks where differences between the models are correlated in a group. Both calls see the same answers
# and the same difference.

plain = reseed.compare(scores, leave_out="passage")
clustered = reseed.compare(scores, cluster="passage")
for name, found in {"items only": plain, "passages": clustered}.items():
    row = found.verdicts.iloc[0]
    print(f"{name:10}  {row.difference:.3f} [{row.low:.3f}, {row.high:.3f}]  p {row.p:.3f}")

# %%
# How often is each wrong?
# ------------------------
# The models are equally good, so every claimed difference is false. At p < 0.05 it should happen in 5
# of 100 evaluations.

wrong = {"items only": 0, "passages": 0}
for _ in range(100):
    again = simulate(rng)
    wrong["items only"] += int(
        reseed.compare(again, leave_out="passage").verdicts["p"].iloc[0] < 0.05
    )
    found = reseed.compare(again, cluster="passage")
    wrong["passages"] += int(found.verdicts["p"].iloc[0] < 0.05)
wrong

# %%
# The verdict
# -----------
# It also states where the uncertainty comes from, and which difference would have been found.

print(clustered)

# %%
clustered.plot()

# %%
# A gate for CI
# -------------
# ``reseed.gate`` decides whether a candidate may replace a baseline: *better*, *not worse* by more than
# the margin, *worse*, or *undecided*, which never passes. From the command line the decision is the
# exit status (``reseed gate``).

better = simulate(np.random.default_rng(5), advantage=2.0)
baseline, candidate = (
    better.query("model == @name").drop(columns="model") for name in ("model A", "model B")
)
print(reseed.gate(candidate, baseline, margin=0.02, cluster="passage").sentence())

# %%
# More: prompts, seeds and repeated samples in :doc:`/your-results`.
