"""The snippets of docs/your-tracker.md run against the real packages, where they are installed."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "your-tracker.md").read_text("utf-8")
PACKAGES = ("sklearn", "skore", "mlflow", "wandb", "optuna", "inspect_ai")
SNIPPETS = dict(zip(PACKAGES, re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL), strict=True))
#: A task that needs no network; its model answers at random.
QUIZ = """task: quiz
dataset_path: json
dataset_kwargs: {data_files: {test: quiz.jsonl}}
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: ["yes", "no"]
doc_to_target: "{{answer}}"
metric_list: [{metric: acc, aggregation: mean, higher_is_better: true}]
"""


def run(command, folder, **variables):
    """Standard output of a command in a folder, which finds Reseed."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts"), **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_snippet_compares_the_models(package, tmp_path):
    if find_spec(package) is None:
        pytest.skip(f"needs {package}")
    code = SNIPPETS[package]
    assert package in code
    check = "\nassert len(found.verdicts) >= 1 and found.answer\n"
    text = run([sys.executable, "-c", code + check], tmp_path)
    assert "best mean" in text
    if package != "optuna":  # its settings do not differ much
        assert "better than" in text or "undecided" in text


@pytest.mark.skipif(find_spec("lm_eval") is None, reason="needs lm_eval")
def test_samples_of_lm_eval_are_paired(tmp_path):
    (tmp_path / "quiz.yaml").write_text(QUIZ)
    rows = [{"question": f"Is {i} even?", "answer": i % 2} for i in range(40)]
    (tmp_path / "quiz.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    commands = re.findall(r"^lm_eval .*$", TEXT, re.MULTILINE)
    assert len(commands) == 2
    program = shutil.which("lm_eval", path=str(Path(sys.executable).parent))
    for command in commands:
        changed = command.replace("--model hf", "--model dummy").replace("arc_easy", "quiz")
        words = [program, *changed.split()[1:], "--include_path", "."]
        run(words, tmp_path, HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    text = run([sys.executable, "-m", "reseed", "compare", "logs"], tmp_path)
    assert "org/new" in text
    assert "40 items" in text
