"""Statistics of repeated training runs: pure functions of arrays.

This package imports nothing else of `reseed` and can be used on its own.
"""
