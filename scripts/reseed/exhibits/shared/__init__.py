"""Code that exhibits share."""
