"""Tables and figures of a study, one module for each kind.

The module of a table has `table(data, options) -> Table`, that of a figure `figure(data, options)
-> (Figure, FigureInfo)`. An exhibit without results raises `rendering.data.NothingToShow`.

`reseed.plugins.kinds` finds modules and reads their options.
"""
