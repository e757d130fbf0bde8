"""Text of other software that is stored in tables and shown on pages."""

import io
import re
import sys

#: Most characters of an error that tables and pages show; a trial's record has all.
MOST_CHARACTERS = 4000
#: Characters that a terminal obeys; tabs and line ends are none.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def show_controls(text: str) -> str:
    r"""The text with control characters spelled out, so that a terminal obeys none.

    Example:
        >>> print(show_controls("\x1b[31mred"))
        \x1b[31mred
    """
    return CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def print_any_text() -> None:
    r"""Let this process print any text: what UTF-8 cannot hold is spelled out, as `\udc80`.

    A lone surrogate, as of an undecodable file name in an error, would end the process otherwise.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def describe_error(error: BaseException) -> str:
    """Class and text of an error, also of one whose text cannot be made."""
    name = type(error).__name__
    try:
        return f"{name}: {error}"
    except Exception as second:
        return f"{name}, whose text raises {type(second).__name__}"


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
