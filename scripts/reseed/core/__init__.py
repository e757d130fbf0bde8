"""Errors, files, identifiers, random streams, table schemas, code hashes, environment records."""
