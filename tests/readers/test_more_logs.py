"""trec_eval, TREC runs, and logs of Inspect compressed by Zstandard."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import reseed
from reseed import ReseedError
from reseed.readers.options import ReadOptions
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


def _trec_run(path, tag, rng, queries=8):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for query in range(1, queries):  # the last query has no results
        for rank, document in enumerate(rng.permutation(20)[:10]):
            lines.append(f"q{query} Q0 d{document} {rank + 1} {10 - rank:.2f} {tag}")
    path.write_text("\n".join(lines) + "\n")


def test_trec_runs_are_scored_by_the_library(tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(1)
    qrels = tmp_path / "qrels.txt"
    judged = [f"q{q} 0 d{d} {rng.integers(0, 3)}" for q in range(1, 9) for d in range(0, 20, 2)]
    qrels.write_text("\n".join(judged) + "\n")
    for tag in ("bm25", "dense"):
        for seed in (1, 2):
            _trec_run(tmp_path / tag / f"seed_{seed}" / "top.run", tag, rng)
    with pytest.raises(ReseedError, match=r"(?s)several metrics.*nDCG@10.*AP.*RR"):
        reseed.compare(tmp_path)
    for name in ("nDCG@10", "AP", "ndcg_cut_10"):
        table = open_source(tmp_path, ReadOptions(metric=name)).frame
        measure = ir_measures.nDCG @ 10 if name != "AP" else ir_measures.AP
        for (tag, seed), rows in table.groupby(["model", "seed"]):
            run = tmp_path / tag / f"seed_{seed}" / "top.run"
            expected = ir_measures.calc_aggregate(
                [measure], list(ir_measures.read_trec_qrels(str(qrels))),
                list(ir_measures.read_trec_run(str(run))),
            )  # fmt: skip
            assert len(rows) == 8
            assert rows["value"].mean() == pytest.approx(expected[measure], abs=1e-15)
    assert reseed.compare(tmp_path, metric="AP").leaderboard["n"].tolist() == [2, 2]
    with pytest.raises(ReseedError, match="'best' is no measure of ir_measures"):
        open_source(tmp_path, ReadOptions(metric="best"))


def test_trec_runs_need_one_file_of_judgements(tmp_path):
    _trec_run(tmp_path / "bm25" / "top.run", "bm25", np.random.default_rng(1))
    with pytest.raises(ReseedError, match=r"0 files of judgements \(qrels\) beside TREC runs"):
        open_source(tmp_path)


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
