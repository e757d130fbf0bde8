"""Compare models by given scores: `reseed.compare`, `reseed.compare_means`."""
