"""Files that stand without a record of Snakemake's."""

import pytest
from reseed.records import unrecorded

persistence = pytest.importorskip("snakemake.persistence.file")


def test_a_record_is_found_where_snakemake_puts_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = ["short ü.txt", "/".join(["long" * 40] * 4)]
    snakemake = persistence.FilePersistence(nolock=True)
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert unrecorded([*files, "is not there"]) == files
    for file in files:
        snakemake._io_write(snakemake._metadata_path, {}, file)
    assert unrecorded(files) == []
