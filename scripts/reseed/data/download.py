"""Get bytes over HTTP: from an address, or a file of the Python package index as pip sees it.

Nothing is installed and no code of a package runs: the index is only asked where the file is
(simple repository API, PEP 503 and PEP 691). Index, certificate and proxy are those pip uses.
"""

import html.parser
import re
from functools import cache
from pathlib import Path
from urllib.parse import urljoin, urlsplit, urlunsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

TIMEOUT = (10, 60)  # seconds: to connect, between two bytes
_JSON = "application/vnd.pypi.simple.v1+json"


class SourceError(Exception):
    """Why one source of a dataset cannot be used."""


def save(url: str, path: Path) -> None:
    """Stream what is at ``url`` into ``path``. Raises SourceError."""
    with _get(url, stream=True) as response, open(path, "wb") as stream:
        try:
            for chunk in response.iter_content(1 << 20):
                stream.write(chunk)
        except requests.RequestException as error:
            raise SourceError(f"download of {_safe(url)} broke off: {_reason(error)}") from None


def package_url(source: dict) -> str:
    """Address of one file of a package on the index. Raises SourceError."""
    project = re.sub(r"[-_.]+", "-", source["package"]).lower()
    problems = []
    for index in index_urls():
        page = f"{index.rstrip('/')}/{project}/"
        try:
            files = _files(_get(page, headers={"Accept": f"{_JSON}, text/html;q=0.1"}))
        except SourceError as error:
            problems.append(str(error))
            continue
        if source["filename"] in files:
            return files[source["filename"]]
        problems.append(f"{_safe(page)} lists no {source['filename']}")
    raise SourceError("; ".join(problems) or "pip is set to use no index")


def index_urls() -> list[str]:
    """Index addresses in pip's order: its environment variables, its files, its default."""
    settings = _pip_settings()
    main = settings.get("index-url") or _pip_default()
    extra = settings.get("extra-index-url", "").split()
    return [url for url in (main, *extra) if url and url.startswith(("http://", "https://"))]


def _pip_settings() -> dict[str, str]:
    """pip's settings by name; later sources (environment last) win, as in pip itself."""
    try:
        from pip._internal.configuration import Configuration
    except ImportError as error:
        raise SourceError(f"pip is needed to know the package index: {error}") from None
    configuration = Configuration(isolated=False)
    configuration.load()
    settings = {}
    # Sections in the order in which pip applies them to its download command.
    for section in ("global", "download", ":env:"):
        for key, value in configuration.items():
            if key.startswith(section + "."):
                settings[key[len(section) + 1 :]] = str(value)
    return settings


def _pip_default() -> str:
    from pip._internal.models.index import PyPI

    return PyPI.simple_url


@cache
def _session() -> requests.Session:
    session = requests.Session()
    retry = Retry(
        total=3, connect=2, backoff_factor=0.5, status_forcelist=(429, 500, 502, 503, 504)
    )
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=retry))
    try:
        settings = _pip_settings()
    except SourceError:  # without pip a plain address can still be fetched
        return session
    if settings.get("cert"):
        session.verify = settings["cert"]
    if settings.get("proxy"):
        session.proxies = {"http": settings["proxy"], "https": settings["proxy"]}
    return session


def _get(url: str, **options) -> requests.Response:
    try:
        response = _session().get(url, timeout=TIMEOUT, **options)
        response.raise_for_status()
    except requests.RequestException as error:
        raise SourceError(f"{_safe(url)} cannot be reached: {_reason(error)}") from None
    return response


def _files(response: requests.Response) -> dict[str, str]:
    """File name → address of an index page, JSON or HTML."""
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


def _safe(url: str) -> str:
    """The address without a user name or password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


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
