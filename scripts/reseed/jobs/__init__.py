"""One module a rule: the body of that job, `run(spec, granted)`.

In: the path of a spec.
Out: the files that the rule declares.
Decides: nothing: each body calls the room that does.
Imports: every room above.
Start: `train.py`.

A rule starts it as `python -P -m reseed.jobs.NAME SPEC`. Heavy libraries are imported in
`run`, after `pipeline.runner` has limited the threads.
"""
