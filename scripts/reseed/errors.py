"""The one exception a user is meant to read."""


class ReseedError(Exception):
    """A mistake the user can fix; its text names the file or field, what was found and the fix."""
