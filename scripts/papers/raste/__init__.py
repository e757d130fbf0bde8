"""Raste et al. 2022, *Quantifying inherent randomness in machine learning algorithms*."""
