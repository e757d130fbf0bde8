"""*Performance consistency for IR tasks*."""
