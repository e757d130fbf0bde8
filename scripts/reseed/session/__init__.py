"""`reseed.study`: trains and compares models in the current process, without files."""
