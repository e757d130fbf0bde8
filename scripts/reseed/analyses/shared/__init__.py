"""Data, pairing and grouping that analyses share."""
