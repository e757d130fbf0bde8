"""Random sequences end in the files of a fresh run (`tests/run_sequences.py` tries more)."""

import random
import sys

import pytest
from fault_harness.sequences import Bench, Result, add_result, read_results, run_sequence, summarise

FIXED = 11


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    bench = Bench(tmp_path_factory.mktemp("sequences"))
    yield bench
    bench.close()


@pytest.mark.workflow
@pytest.mark.skipif(sys.platform != "linux", reason="runs are forks of one process")
@pytest.mark.parametrize("which", ["fixed", "fresh"])
def test_a_random_sequence_ends_in_the_files_of_a_fresh_run(bench, which):
    seed = FIXED if which == "fixed" else random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # shown if the test fails
    result = run_sequence(bench, seed, least=1, most=2)
    assert result.violation == "", f"seed {seed}: {result.moves}"
    assert result.compared > 0


def test_a_series_goes_on_where_it_was_interrupted(tmp_path):
    path = tmp_path / "results.jsonl"
    assert read_results(path) == []
    results = [
        Result(4, ["prune", "run  → 0"], runs=1, compared=1),
        Result(5, ["kill_everything", "  after 1 s"], runs=2, kills=1, violation="differs: x\nlog"),
    ]
    for result in results:
        add_result(path, result)
    assert read_results(path) == results
    text = summarise(results)
    assert "2 random sequences (seeds 4 to 5) of 2 moves, 3 runs and 1 kill" in text
    assert "Violations: 1." in text
    assert "- seed 5: differs: x" in text
    assert "Moves: " in text
    assert "kill everything 1" in text


def test_a_section_of_the_page_is_replaced():
    from fault_harness.page import replace_section

    page = "# Page\n\n## One\n\ntext\n"
    added = replace_section(page, "Two", "new")
    assert added == "# Page\n\n## One\n\ntext\n\n## Two\n\nnew\n"
    assert replace_section(added, "Two", "newer") == added.replace("new", "newer")
    assert replace_section(added, "One", "x") == "# Page\n\n## One\n\nx\n\n## Two\n\nnew\n"
