"""Built-in kinds, `my_module:function` and their option classes.

In: a name from the configuration.
Out: a function and its checked options.
Decides: what a name stands for.
Imports: core, config.
Start: `kinds.py`.
"""
