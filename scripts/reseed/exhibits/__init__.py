"""Tables and figures of a study: one module a kind.

A table's module has `table(data, options) -> Table`, a figure's `figure(data, options) ->
(Figure, FigureInfo)`.

How a module is found and declares its options: `reseed.plugins.kinds`.
"""

from reseed.plugins.kinds import built_in_kinds

#: Kind → `table` or `figure`.
KINDS = {name: kind.function for name, kind in built_in_kinds("exhibits").items()}
