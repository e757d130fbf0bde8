"""Download files over HTTP; certificate and proxy are those of `requests` (REQUESTS_CA_BUNDLE,
HTTPS_PROXY).
"""

import hashlib
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

import pooch
import requests

from reseed.core.errors import ReseedError

#: Seconds to connect, and between two bytes.
TIMEOUT = (10, 60)
#: Most bytes of a file; the largest of the papers' files has 0.4 GB.
LARGEST = 20_000_000_000
#: Seconds before each retry of a failed connection.
RETRY_PAUSES = (1, 3)
#: HTTP errors that may be temporary.
_TEMPORARY_ERRORS = {429, 500, 502, 503, 504}


class SourceError(ReseedError):
    """One source of a dataset cannot be used; the text says why."""


class _BoundedFile:
    """A file for a download, which refuses more than `LARGEST` bytes."""

    def __init__(self, file: IO[bytes], url: str):
        self._file, self._url, self._left = file, url, LARGEST

    def write(self, chunk: bytes) -> int:
        self._left -= len(chunk)
        if self._left < 0:
            raise SourceError(
                f"{remove_credentials(self._url)} sends more than {LARGEST / 1e9:g} GB."
                " Download it yourself, and give `kind: file`"
            )
        return self._file.write(chunk)

    def flush(self) -> None:
        self._file.flush()


class _Downloader(pooch.HTTPDownloader):
    """Downloads of a bounded size: a server may send bytes for ever."""

    def __call__(self, url: str, output_file: Any, *arguments: Any, **options: Any) -> Any:
        with open(output_file, "w+b") as file:
            return super().__call__(url, _BoundedFile(file, url), *arguments, **options)


def download_file(url: str, folder: Path, name: str, sha256: str | None) -> Path:
    """Download `url` into `folder` unless the verified file exists; return its path.

    sha256: of the bytes; None only if the members of the file are verified. Raises SourceError.
    """
    key = sha256 or hashlib.sha256(url.encode()).hexdigest()
    path = Path(folder) / f"{key[:12]}-{name}"
    if not sha256:  # pooch would take any existing file; it replaces one with a wrong checksum
        path.unlink(missing_ok=True)
    pooch.get_logger().setLevel(logging.ERROR)
    fetcher = _Downloader(progressbar=False, timeout=TIMEOUT)

    def retrieve() -> str:
        expected = f"sha256:{sha256}" if sha256 else None
        return pooch.retrieve(url, expected, path.name, path.parent, downloader=fetcher)

    try:
        return Path(_retry(retrieve))
    except requests.RequestException as error:
        what = "cannot be reached" if _is_connection_error(error) else "broke off"
        raise SourceError(f"{remove_credentials(url)} {what}: {_find_reason(error)}") from None
    except ValueError as error:
        match = re.search(r"but got '?([0-9a-f]{64})", str(error))
        reason = match[1] if match else error
        raise SourceError(
            f"wrong checksum of {name}: expected sha256 {sha256}, found {reason}"
        ) from None


def _retry(action: Callable[[], str]) -> str:
    """Return the result of `action`; retry after a pause if the failure may be temporary."""
    for pause in RETRY_PAUSES:
        try:
            return action()
        except (requests.ConnectionError, requests.Timeout, requests.HTTPError) as error:
            if error.response is not None and error.response.status_code not in _TEMPORARY_ERRORS:
                raise
        time.sleep(pause)
    return action()


def remove_credentials(url: str) -> str:
    """Return the address without user name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _is_connection_error(error: requests.RequestException) -> bool:
    return isinstance(error, requests.ConnectionError | requests.Timeout | requests.HTTPError)


def _find_reason(error: requests.RequestException) -> str:
    """Return the innermost cause in one line; requests wraps it in three exceptions."""
    if error.response is not None:
        return f"HTTP {error.response.status_code} {error.response.reason}"
    cause: BaseException = error
    while cause.args and isinstance(cause.args[-1], BaseException):
        cause = cause.args[-1]
    inner = getattr(cause, "reason", None)
    text = str(inner if isinstance(inner, BaseException) else cause)
    text = re.sub(r"^<?urllib3\.\S+ object at 0x\w+>?:?\s*", "", text)
    text = re.sub(r"^\w*Connection\(host=.*?\):\s*", "", text)
    return f"{type(error).__name__}: {text}"
