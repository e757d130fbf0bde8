"""Statistical analyses of a study: one module a kind, each `analyse(data, options) -> table`.

See `reseed.plugins.kinds` for how a module is found and declares its inputs and options.
"""
