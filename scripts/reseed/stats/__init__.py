"""Statistics of repeated training runs: pure functions over arrays, importable on their own."""
