"""Banerjee et al., robust non-parametric testing of training variability."""
