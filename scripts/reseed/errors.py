"""The one exception a user is meant to read, and the hint that goes with a wrong name."""

import difflib


class ReseedError(Exception):
    """A mistake the user can fix; its text names the file or field, what was found and the fix."""


def nearest(name: object, allowed: list[str]) -> str:
    """` Did you mean …?` for the nearest allowed name, or nothing."""
    close = difflib.get_close_matches(str(name), allowed, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
