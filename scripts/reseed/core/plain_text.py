"""Text of other software that is stored in tables and shown on pages."""

#: Most characters of an error that tables and pages show; a trial's record has all.
MOST_CHARACTERS = 4000


def bound_text(text: str | None) -> str | None:
    """The text as UTF-8 can hold it, cut in the middle if it is long.

    Lone surrogates, as of undecodable file names, are written as `\\udc80`; so are NULs.

    Example:
        >>> bound_text("cannot read \\udc80")
        'cannot read \\\\udc80'
    """
    if text is None:
        return None
    text = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]} … ({len(text) - 2 * half:,} characters) … {text[-half:]}"
