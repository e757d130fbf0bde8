"""One module a rule: the body of that job, `run(spec, granted)`.

A rule starts it as `python -P -m reseed.jobs.NAME SPEC`. Heavy libraries are imported in
`run`, after `pipeline.runner` has limited the threads.
"""
