"""trec_eval, and logs of Inspect compressed by Zstandard."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import reseed
from reseed import ReseedError
from reseed.readers.sources import open_source

LOGS = Path(__file__).parent / "logs"


def _trec_eval(path, tag, values):
    """Output of `trec_eval -q -m map -m num_ret`: names padded to 22 characters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for query, value in values.items():
        lines += [f"{'num_ret':22s}\t{query}\t100", f"{'map':22s}\t{query}\t{value:.4f}"]
    mean = np.mean(list(values.values()))
    lines += [f"{'runid':22s}\tall\t{tag}", f"{'num_q':22s}\tall\t{len(values)}",
              f"{'map':22s}\tall\t{mean:.4f}"]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")


def test_output_of_trec_eval(tmp_path):
    rng = np.random.default_rng(0)
    values = {
        (tag, seed): {f"{q}": round(rng.random(), 4) for q in range(301, 311)}
        for tag in ("bm25", "dense")
        for seed in (1, 2, 3)
    }
    for (tag, seed), one in values.items():
        _trec_eval(tmp_path / tag / f"seed_{seed}" / "eval.txt", tag, one)
    found = reseed.compare(tmp_path)
    assert found.leaderboard["n"].tolist() == [3, 3]
    for tag, mean in found.leaderboard.set_index("model")["mean"].items():
        runs = [np.mean(list(one.values())) for (name, _), one in values.items() if name == tag]
        assert mean == pytest.approx(np.mean(runs), abs=1e-12)
    assert set(found.leaderboard["metric"]) == {"map"}
    assert found.verdicts["covers"].item() == "new seeds and new items"


def test_damaged_output_of_trec_eval_is_refused(tmp_path):
    path = tmp_path / "run" / "eval.txt"
    _trec_eval(path, "bm25", {"1": 0.5, "2": 0.25})
    whole = path.read_text()
    path.write_text(whole[: whole.index("runid")])
    with pytest.raises(ReseedError, match="has no line `runid`"):
        open_source(path)
    path.write_text("map                   \tall\t0.5\n")
    with pytest.raises(ReseedError, match=r"holds no scores of queries. Run `trec_eval -q`"):
        open_source(path)
    path.write_text(whole + "map\t3\n")
    with pytest.raises(ReseedError, match=r"trec_eval -q \(line 8: .*Run `trec_eval -q` again"):
        open_source(path)


def test_logs_of_inspect_compressed_with_zstandard(tmp_path):
    """The file was written with zipfile-zstd, as Inspect writes it with INSPECT_USE_ZSTD."""
    path = tmp_path / "log.eval"
    shutil.copy(LOGS / "zstandard.eval", path)
    table = open_source(path)
    assert table.frame["value"].tolist() == [1, 0, 1, 1]
    assert table.frame["model"].unique().tolist() == ["m/zstd"]
    content = bytearray(path.read_bytes())
    content[200] ^= 255  # in a sample
    path.write_bytes(bytes(content))
    with pytest.raises(ReseedError, match="cannot be read as Inspect logs"):
        open_source(path)
