"""What `verify` finds and refuses."""

import os
from types import SimpleNamespace

import pytest
from reseed.config.datasets import Weights
from reseed.core.errors import ReseedError
from reseed.data.sources import Fetched
from reseed.data.weights import prepare_weights
from reseed.jobs.verify import _check_weights, check, run
from reseed.pipeline.runner import Granted
from reseed.planning.specs import ReplayStep, TrainSpec, VerifySpec


def test_nothing_to_verify_is_an_error(tmp_path):
    """A step without inputs is planned although none of its files exists."""
    training = TrainSpec(str(tmp_path), "report", False, None, ())
    step = ReplayStep("report", str(tmp_path / "spec.json"), (), ("report/index.html",))
    with pytest.raises(ReseedError, match="Nothing to verify"):
        run(VerifySpec(training, None, steps=(step,)), Granted(0))


def test_a_changed_table_of_a_reference_is_found_and_left(tmp_path):
    folder, results = tmp_path / "reference" / "paper", tmp_path / "results"
    for path, text in (
        (folder / "about.json", "{}"),
        (folder / "SHA256SUMS", f"{'0' * 64}  trials.parquet\n"),
        (folder / "trials.parquet", "garbage"),
        (results / "report" / "index.html", "page"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    step = ReplayStep("report", str(results / "spec.json"), (), ("report/index.html",))
    spec = VerifySpec(
        TrainSpec(str(results), "report", False, None, ()),
        None,
        steps=(step,),
        references=str(tmp_path / "reference"),
    )
    with pytest.raises(ReseedError, match=r"trials\.parquet: differs from its checksum") as caught:
        run(spec, Granted(0))
    assert "Nothing is deleted" in str(caught.value)
    assert (folder / "trials.parquet").read_text() == "garbage"


def test_weights_of_equal_size_and_time_are_hashed(tmp_path, capsys):
    """Else every trial that starts from them would be blamed for not repeating."""
    (tmp_path / "model").write_bytes(b"weights")
    folder = tmp_path / "results" / "weights" / "tiny"
    sources = [{"kind": "file", "path": "model"}]
    entry = Weights(name="tiny", title="Tiny", sources=sources)
    prepare_weights(folder, entry, Fetched({"model": tmp_path / "model"}, {"kind": "file"}))
    model = SimpleNamespace(weights="tiny")
    setting = SimpleNamespace(spec=SimpleNamespace(model=model), trials=(1,))
    training = SimpleNamespace(results=str(tmp_path / "results"), settings=(setting,))
    assert list(_check_weights(training)) == []
    status = (folder / "model").stat()
    (folder / "model").write_bytes(b"Weights")
    os.utime(folder / "model", ns=(status.st_atime_ns, status.st_mtime_ns))
    spec = SimpleNamespace(
        training=training, steps=(), references=str(tmp_path / "none"), config=""
    )
    [finding] = check(spec, Granted())
    assert finding.files == (folder / "meta.json",)
    assert finding.text == "model beside it has other bytes than it says"
    assert "Trials are not checked" in capsys.readouterr().out
