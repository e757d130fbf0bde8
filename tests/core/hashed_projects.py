"""Hashes of the code of a project, without what one process caches."""

import importlib

from reseed.core.code_hash import _follow, _imported, code_hash, reach_code
from reseed.core.distributions import _describe, _lists_of_files, find_distributions
from reseed.core.module_finder import _find
from reseed.core.source_facts import read_source


def forget():
    """Clear what one process caches of files that do not change while it runs."""
    importlib.invalidate_caches()
    cached = (read_source, _imported, _follow, _find, reach_code, code_hash)
    for function in (*cached, find_distributions, _lists_of_files, _describe):
        function.cache_clear()


def hashed(folder, entry="mine", **options):
    return code_hash(entry, project=folder, **options)
