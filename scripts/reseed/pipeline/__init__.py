"""What the rules ask: inputs, outputs, keys, environments and order of jobs; the fork server.

In: a plan, wildcards of a rule.
Out: a `Job` and its spec.
Decides: what Snakemake gets, and how a job is started.
Imports: core, config, plugins, data, metrics, planning, trials.
Start: `workflow.py`.
"""
