"""What a user may write: a pydantic class for every file under `config/`.

In: YAML files.
Out: checked objects, JSON schemas, messages.
Decides: which fields exist and what they mean.
Imports: core.
Start: `studies.py`.
"""
