"""Damaged configurations: a plan or one `ReseedError` that names a file, never another exception.

`RESEED_FUZZ_SECONDS=600 pytest tests/planning/test_config_fuzz.py` tries new seeds for ten minutes.
"""

import os
import random
import shutil
import time
import traceback
from pathlib import Path

import pytest
import yaml
from reseed.core.errors import ReseedError
from reseed.planning.build import make_plan
from reseed.planning.project import load_project

CONFIG = Path(__file__).parents[2] / "config"
SECONDS = float(os.environ.get("RESEED_FUZZ_SECONDS", 0))
VALUES = [
    *(None, True, 0, 1, -1, 0.5, 1e-320, 1e308, float("nan"), float("inf"), 10**18, 10**400),
    *("", "a", "2024_05", "../x", "/etc/passwd", "\x00", "\ud800", "ü" * 300, "a:b", "a~b", "{x}"),
    *([], {}, [None], {"a": 1}, [[1], [2]], {"count": 10**18}, {"kind": "kfold", "folds": 10**18}),
    *("rf", "magic", "model", {"name": "magic"}, [{"name": "rf"}], {"mode": "tuned", "trials": -1}),
]
TEXTS = [
    "\t",
    "&a [*a]",
    "&a {<<: *a}",
    "- ",
    ": ",
    "!!python/object:os.system x",
    "{",
    "\x07",
    "'",
]


def places(node, path=()):
    """Paths of all values below a node of YAML."""
    if not isinstance(node, (dict, list)):
        return
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*path, key)
        yield from places(value, (*path, key))


def mutate(rng: random.Random, folder: Path) -> str:
    """Change one value, or the text, of one file; return what was done."""
    path = rng.choice(sorted(folder.glob("**/*.yaml")))
    text = path.read_text(encoding="utf-8")
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(TEXTS) + text[at + rng.choice([0, 0, 1, 20]) :]
        path.write_text(text, encoding="utf-8")
        return f"{path.name}: text at {at}"
    content = yaml.safe_load(text)
    *way, last = rng.choice(list(places(content)))
    node = content
    for key in way:
        node = node[key]
    kind = rng.randrange(4)
    if kind == 0:
        del node[last]
    elif kind == 1 and isinstance(node, dict):
        node[rng.choice(["a", "kind", 1, None, True, "x" * 99])] = node.pop(last)
    else:
        node[last] = rng.choice(VALUES)
    path.write_bytes(yaml.safe_dump(content, allow_unicode=True).encode("utf-8", "surrogatepass"))
    return f"{path.name}: {'.'.join(map(str, [*way, last]))}, kind {kind}"


def run_seed(seed: int, folder: Path) -> str:
    """What went wrong with a seed; empty for a plan or an error as it should be."""
    rng = random.Random(seed)
    copy = folder / f"config-{seed}"
    shutil.copytree(CONFIG, copy)
    done = mutate(rng, copy)
    scale = rng.choice(["smoke", "smoke", "demo", "cpu"])
    try:
        make_plan(load_project(copy, {"scale": scale, "results": str(folder / "results")}))
    except ReseedError as error:
        return "" if str(error).strip() else f"{seed}: {done}: an empty error"
    except BaseException:
        return f"{seed}: {done}, scale {scale}\n{traceback.format_exc()}"
    finally:
        shutil.rmtree(copy)
    return ""


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_configuration_is_one_error(seed, tmp_path):
    assert run_seed(seed, tmp_path) == ""


@pytest.mark.skipif(not SECONDS, reason="RESEED_FUZZ_SECONDS is not set")
@pytest.mark.timeout(0)
def test_new_damage_for_some_time(tmp_path):
    start, end = random.SystemRandom().randrange(10**9), time.monotonic() + SECONDS
    seed, found = start, []
    while time.monotonic() < end and len(found) < 5:
        found.append(run_seed(seed, tmp_path))
        found = list(filter(None, found))
        seed += 1
    assert found == [], "\n".join(found)
