"""Analyses, exhibits and models that the study of one paper alone uses."""
