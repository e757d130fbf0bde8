"""Pretrained weights: files under their own names, with a hash of their bytes."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packing import fetch
from reseed.config.datasets import Weights
from reseed.core.errors import Damaged, ReseedError
from reseed.core.layout import ResultsLayout
from reseed.core.module_finder import SCRIPTS
from reseed.data.files import read_weights_meta
from reseed.data.sources import Fetched
from reseed.data.weights import prepare_weights
from reseed.pipeline.spec_files import SpecFiles
from reseed.planning.specs import WeightsSpec

ROOT = Path(__file__).parents[2]
ENTRIES = sorted((ROOT / "config" / "weights").glob("*.yaml"))


def own(folder, **files):
    folder.mkdir(exist_ok=True)
    paths = {}
    for name, data in files.items():
        (folder / name).write_bytes(data)
        paths[f"package/model/{name}"] = folder / name
    return Fetched(paths, {"kind": "file"}, ["source 1: ok"])


def entry(**fields):
    sources = [{"kind": "file", "path": "model"}]
    return Weights(**{"name": "tiny", "title": "Tiny", "sources": sources, **fields})


def test_files_keep_their_names_and_get_a_hash(tmp_path):
    fetched = own(tmp_path / "from", model=b"weights", config=b"{}")
    meta = prepare_weights(tmp_path / "tiny", entry(), fetched)
    assert (tmp_path / "tiny" / "model").read_bytes() == b"weights"
    assert sorted(p.name for p in (tmp_path / "tiny").iterdir()) == ["config", "meta.json", "model"]
    assert meta.files["model"]["sha256"] == hashlib.sha256(b"weights").hexdigest()
    assert read_weights_meta(tmp_path / "tiny") == meta


def test_hash_depends_on_names_and_bytes_only(tmp_path):
    def hash_of(**files):
        return prepare_weights(tmp_path / "w", entry(), own(tmp_path / "f", **files)).sha256

    first = hash_of(model=b"weights", config=b"{}")
    assert hash_of(config=b"{}", model=b"weights") == first
    other = own(tmp_path / "g", model=b"weights", config=b"{}")
    assert prepare_weights(tmp_path / "w", entry(citation="corrected"), other).sha256 == first
    assert hash_of(model=b"Weights", config=b"{}") != first
    assert hash_of(model=b"weights", settings=b"{}") != first
    assert not (tmp_path / "w" / "config").exists(), "a model could load it"
    assert (tmp_path / "w.replaced" / "config").read_bytes() == b"{}", "it may be the user's"


def test_damaged_weights_are_detected(tmp_path):
    prepare_weights(tmp_path / "w", entry(), own(tmp_path / "f", model=b"weights"))
    (tmp_path / "w" / "model").write_bytes(b"weightz")
    for damage in (None, (tmp_path / "w" / "model").unlink):
        if damage:
            damage()
        with pytest.raises(Damaged) as caught:
            read_weights_meta(tmp_path / "w")
        assert caught.value.files == (tmp_path / "w" / "model", tmp_path / "w" / "meta.json")


@pytest.mark.parametrize(
    ("sources", "fields", "message"),
    [
        ([["a/x", "b/x"]], {}, "two files would have the same name"),
        ([["meta.json"]], {}, "two files would have the same name"),
        ([["a/x"], ["b/x", "y"]], {}, r"its sources have other files: \['x'\], \['x', 'y'\]"),
        ([["{x}"]], {}, "cannot have the name '{x}'"),
        ([["x"]], {"converter": "m:f"}, "need each other"),
        ([["x"]], {"files": ["y"]}, "need each other"),
    ],
)
def test_names_of_files_are_known_before_any_is_fetched(sources, fields, message):
    with pytest.raises(ValueError, match=message):
        entry(sources=[{"kind": "file", "path": one} for one in sources], **fields)
    assert entry(sources=[{"kind": "url", "url": "https://h/a/x", "sha256": "0" * 64}] * 2,
    ).file_names == ["x"]  # fmt: skip


def test_converter_makes_the_files_of_the_model(tmp_path, monkeypatch):
    text = "def double(files): return {'model': 2 * files['export'].read_bytes()}"
    (tmp_path / "my_weights.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    fetched = own(tmp_path / "from", export=b"ab")
    made = entry(converter="my_weights:double", files=["model"])
    meta = prepare_weights(tmp_path / "w", made, fetched)
    assert list(meta.files) == ["model"]
    assert (tmp_path / "w" / "model").read_bytes() == b"abab"
    for change, message in (
        ({"converter": "my_wrong:double"}, "module my_wrong cannot be imported"),
        (
            {"files": ["config", "model"]},
            r"made \['model'\], but `files` names \['config', 'model'\]",
        ),
    ):
        with pytest.raises(ReseedError, match=message):
            prepare_weights(tmp_path / "w", made.model_copy(update=change), fetched)


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.stem)
def test_entries_are_complete(path):
    weights = Weights(**yaml.safe_load(path.read_text()))
    assert weights.name == path.stem
    assert weights.citation
    for source in weights.sources:
        packages = getattr(source, "packages", [source])
        assert all(one.members for one in packages) or source.kind == "file"


def test_job_fetches_the_weights_of_its_spec(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"weights")
    source = {"kind": "file", "path": str(tmp_path / "model.bin")}
    specs = SpecFiles(ResultsLayout(str(tmp_path)))

    def run():
        weights = entry(sources=[source])
        path = specs.write(WeightsSpec(str(tmp_path / "results"), weights))
        command = [sys.executable, "-P", "-m", "reseed.jobs.prepare_weights", path]
        environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )

    done = run()
    assert done.returncode == 0, done.stderr
    meta = read_weights_meta(tmp_path / "results" / "weights" / "tiny")
    assert list(meta.files) == ["model.bin"]
    source["sha256"] = "0" * 64
    done = run()
    assert done.returncode == 1
    assert done.stderr.startswith("Error: config/weights/tiny.yaml: no source could be used")


def test_real_weights_load_without_pickled_code(tmp_path):
    """EfficientNet-Lite0 from the package index; tensors only."""
    torch = pytest.importorskip("torch")
    data = yaml.safe_load((ROOT / "config" / "weights" / "efficientnet_lite0.yaml").read_text())
    try:
        fetched = fetch(data["sources"], tmp_path / "downloads", None, lambda line: None)
    except ReseedError as error:
        if "wrong checksum" in str(error):
            raise
        pytest.skip(str(error))
    prepare_weights(tmp_path / "w", Weights(**data), fetched)
    (path,) = (tmp_path / "w").glob("*.pth")
    state = torch.load(path, weights_only=True)
    count = sum(t.numel() for name, t in state.items() if "running" not in name and t.ndim)
    assert 4.6e6 < count < 4.7e6  # 4.7 million, as the entry says
