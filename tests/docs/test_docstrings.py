"""The examples in the docstrings of the public functions and classes run as shown."""

import doctest

import pytest
import reseed


@pytest.mark.parametrize("name", reseed.__all__)
def test_examples_of_docstrings(name):
    one = getattr(reseed, name)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    [example] = doctest.DocTestFinder(recurse=False).find(one, name, globs={})
    assert example.examples, f"{name} has no example"
    printed = []
    result = doctest.DocTestRunner(optionflags=flags).run(example, out=printed.append)
    assert result.failed == 0, "".join(printed)
