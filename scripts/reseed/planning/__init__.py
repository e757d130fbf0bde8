"""From a project to a plan: settings, trials, blocks, keys, costs.

In: checked configuration.
Out: `Plan` and the spec of each job.
Decides: what is trained, under which key, in which job.
Imports: core, config, plugins, data, metrics.
Start: `build.py`.
"""
