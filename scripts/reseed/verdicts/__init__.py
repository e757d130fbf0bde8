"""What decides: the test of a design, the verdict of a pair, the evidence of a statement.

In: what varied; estimates, intervals and p-values.
Out: `Method`, `Verdict`, `Evidence`.
Decides: which test answers, and which of the five words holds.
Imports: core, stats.
Start: `decide.py`.
"""
