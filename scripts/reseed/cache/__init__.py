"""Cache entries by key, trial records, the files of a setting."""
