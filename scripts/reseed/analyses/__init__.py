"""Statistical analyses of a study: one module a kind, each `analyse(data, options) -> table`.

How a module is found, says what it reads and declares its options: `reseed.plugins.kinds`.
"""

from reseed.plugins.kinds import built_in_kinds

#: Kind → what it reads: `metrics`, `predictions` or `curves`.
KINDS = {name: kind.reads for name, kind in built_in_kinds("analyses").items()}
