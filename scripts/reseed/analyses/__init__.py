"""Statistical analyses of a study: one module a kind, each `analyse(data, options) -> table`.

See `reseed.plugins.kinds` for how a module is found and declares its inputs and options.
"""

from reseed.plugins.kinds import built_in_kinds

#: Kind → its input: `metrics`, `predictions` or `curves`.
KINDS = {name: kind.reads for name, kind in built_in_kinds("analyses").items()}
