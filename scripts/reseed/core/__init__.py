"""What every room needs: errors, atomic files, identifiers, random streams, schemas.

In: names, bytes, source files.
Out: paths, keys, hashes, seeds of random streams.
Decides: where a file lies (`layout`), what a key covers (`code_hash`).
Imports: nothing.
Start: `layout.py`.
"""
