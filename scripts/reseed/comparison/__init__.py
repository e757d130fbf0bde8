"""Compares models by existing scores: `reseed.compare`, `reseed.compare_means`."""
