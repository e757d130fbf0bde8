"""*A deterministic protocol for model comparison*."""
