"""Verdicts: what a comparison of two models shows, and the sentences that state it."""
