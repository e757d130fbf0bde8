"""Statistics of repeated trainings: pure functions of arrays.

In: arrays of scores or losses.
Out: estimates, intervals, p-values.
Decides: which formula is used, and nothing about tables or words.
Imports: nothing, so it can be used on its own.
Start: `two_models.py`.
"""
