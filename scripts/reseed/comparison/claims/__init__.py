"""What statistics say: verdicts, statements, evidence.

In: estimates, intervals and p-values.
Out: `Verdict`, `Claim`, `Evidence` and their sentences.
Decides: what may be claimed, and in which words.
Imports: core, stats.
Start: `evidence.py`.
"""
