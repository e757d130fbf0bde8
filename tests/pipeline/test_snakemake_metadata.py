"""Outputs without a record of Snakemake, and results that another run wrote."""

from pathlib import Path

import pytest
from reseed.core.layout import ResultsLayout
from reseed.core.run_token import start_run
from reseed.pipeline.snakemake_metadata import forget_foreign_records, list_untracked, token_copy

persistence = pytest.importorskip("snakemake.persistence.file")


def test_records_are_read_where_snakemake_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = ["short ü.txt", "/".join(["long" * 40] * 4)]
    snakemake = persistence.FilePersistence(nolock=True)
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert list_untracked([*files, "is not there"]) == files
    for file in files:
        snakemake._io_write(snakemake._metadata_path, {}, file)
    assert list_untracked(files) == []


def test_records_of_an_exchanged_results_folder_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    snakemake = persistence.FilePersistence(nolock=True)
    files = ["results/studies/x.csv", f"results/{'long' * 60}/y.csv", "results2/z.csv"]
    for file in files:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
        snakemake._io_write(snakemake._metadata_path, {}, file)
    token = Path(ResultsLayout("results").run_token)
    assert forget_foreign_records("results") == 0  # no run yet
    start_run(token, token_copy("results"), environment={})
    assert forget_foreign_records("results") == 0
    assert list_untracked(files) == []
    token.write_text("of an earlier run")
    assert forget_foreign_records("results") == 2
    assert list_untracked(files) == files[:2]
