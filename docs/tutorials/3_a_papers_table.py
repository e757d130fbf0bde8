"""
A paper's table
===============

A paper prints means ± SD, and no runs. Which of its differences do the printed numbers support? This
takes three minutes.
"""

# sphinx_gallery_thumbnail_path = "gallery/ir_consistency-figure1.png"
import io

import pandas as pd
import reseed

# %%
# The table
# ---------
# Type the table as the paper prints it, one row a method. Cells keep their digits, so read them as
# text.

printed = """\
Method,CoLA,SST-2,RTE
BERT,52.1 ± 0.9,93.5 ± 0.3,66.4 ± 2.1
Ours,54.0 ± 1.1,93.9 ± 0.2,68.0 ± 1.9
"""
table = pd.read_csv(io.StringIO(printed), dtype=str)
table

# %%
# The comparison
# --------------
# ``runs`` is the number of seeds of each mean, which the paper states; ``spread`` says what the ±
# is. From means and SDs only Welch's test is possible. Verdicts hold for all pairs of a column at once,
# and for all values that round to the printed digits.

pairs = reseed.compare(table, runs=5, metric="accuracy", baseline="BERT", spread="sd")
pairs

# %%
# Bold numbers in a paper usually mark the largest mean. Here they would mark *Ours* three times.

pairs.verdicts[["dataset", "model_a", "model_b", "difference", "low", "high", "p", "outcome"]]

# %%
# What is the ±?
# --------------
# If the paper does not say, both readings are tested: the SD of the runs, and the standard error of
# the mean. Read as standard errors, the same digits mean SDs that are √n times as large, and more is
# undecided.

for spread in ("sd", "se"):
    found = reseed.compare(table, runs=5, metric="accuracy", spread=spread).verdicts
    print(spread, dict(zip(found["dataset"], found["p"].round(4), strict=True)))

# %%
# What this cannot tell
# ---------------------
# The runs are taken as independent seeds on one test set. So the answer says nothing about other test
# sets, and if the ± is over folds, p is too small. Unpublished attempts are not taken into account. Ask
# the authors for the runs: paired runs say far more (:doc:`2_scores_from_a_tracker`).
#
# From the command line:
#
# .. code-block:: sh
#
#     reseed compare table.csv --runs 5 --metric accuracy --baseline BERT --spread sd
