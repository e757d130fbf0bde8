"""
My own study on a cluster
=========================

A study is a few small files. This page writes them, runs the study on this machine, and shows what
changes on a cluster: one option. It takes ten minutes, and needs Reseed with its extra ``workflow``.
"""

# sphinx_gallery_thumbnail_path = "gallery/inherent_randomness-figure3.png"
import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import reseed

project = Path(mkdtemp(prefix="my-study-"))
(project / "config" / "datasets").mkdir(parents=True)
(project / "config" / "models").mkdir()
(project / "config" / "studies").mkdir()

# %%
# The data
# --------
# A table of 200 rows. A dataset is the file and a description of it; in its description you say what
# the target is, and which rows belong together (``group:``), if any do.

rng = np.random.default_rng(0)
table = pd.DataFrame(rng.normal(size=(200, 4)), columns=["a", "b", "c", "d"])
noise = rng.normal(scale=0.7, size=200)
table["outcome"] = np.where(table["a"] * table["b"] + table["c"] + noise > 0, "yes", "no")
table.to_csv(project / "loans.csv", index=False)

(project / "config" / "datasets" / "loans.yaml").write_text("""\
name: loans
title: Our loans
task: binary
target: outcome
positive: "yes"
sources: [{kind: file, path: loans.csv}]
""")

# %%
# The models
# ----------
# A model is a function that returns a scikit-learn estimator, and a file that names it. The function
# gets one seed for each role; here the estimator takes one.

(project / "my_models.py").write_text('''\
"""Two models of our own."""

from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

KINDS = {"forest": RandomForestClassifier, "extra": ExtraTreesClassifier}


def make(task, n_classes, hyperparameters, seeds, device, threads):
    """Return an estimator with `fit` and `predict`."""
    kind = KINDS[hyperparameters["kind"]]
    return kind(hyperparameters["trees"], random_state=seeds["init"], n_jobs=threads)
''')

for kind, title in {"forest": "Random forest", "extra": "Extra trees"}.items():
    (project / "config" / "models" / f"{kind}.yaml").write_text(f"""\
name: {kind}
title: {title}
factory: my_models:make
hyperparameters: {{kind: {kind}, trees: 10}}
seconds_per_trial: 0.1
""")

# %%
# The study
# ---------
# Two repeats of five folds, two model seeds. Verdicts, tables, figures and a page are included.

(project / "config" / "studies" / "loans.yaml").write_text("""\
name: loans
title: Which model for our loans?
datasets: [loans]
models: [forest, extra]
splits: [{kind: kfold, folds: 5}]
experiments:
  folds:
    seeds:
      data: {count: 2}
      model: {count: 2}
""")
(project / "config" / "config.yaml").write_text("scale: demo\n")

# %%
# The rules
# ---------
# Your ``Snakefile`` takes Reseed's rules as a module: from its repository, or from a copy in a folder
# above this one.

tag = f"v{reseed.__version__}"
address = f'github("OWNER/reseed", path="workflow/Snakefile", tag="{tag}")'
copies = (folder / "workflow" / "Snakefile" for folder in (Path.cwd(), *Path.cwd().parents))
copy = next((f'"{path}"' for path in copies if path.exists()), None)
(project / "Snakefile").write_text(f"""\
module reseed:
    snakefile: {copy or address}
    config: config

use rule * from reseed

onstart:
    reseed.onstart()

onsuccess:
    reseed.onsuccess()

onerror:
    reseed.onerror()
""")

# %%
# The plan
# --------
# A dry run checks every file and lists the jobs; nothing is trained. Mistakes in the files are all
# reported now.


def run(*arguments):
    """Run Snakemake in the project's folder and print the end of its output."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        env=inherited | {"COLUMNS": "100", "RESEED_DATA_MIRROR": ""},
        capture_output=True, text=True, cwd=project,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout + done.stderr


plan = run("--cores", "1", "--dry-run", "--quiet", "all")
print("jobs planned:", "nothing" if "Nothing to be done" in plan else "yes")

# %%
# The run
# -------
# In the project's folder you type ``snakemake --cores 2 loans``. Kill it at any time and start it again: only what
# is missing is made.

_ = run("--cores", "2", "--quiet", "all")
sorted(path.name for path in (project / "results" / "studies" / "loans" / "tables").glob("*.md"))

# %%
# The results are plain files: the trials, the statistics, and the page ``results/report/index.html``.

statistics = project / "results" / "studies" / "loans" / "statistics"
pairs = pd.read_parquet(statistics / "pairs.parquet")
pairs[["model_a", "model_b", "difference", "low", "high", "p", "outcome"]]

# %%
# On a cluster
# ------------
# The same study, the same files, and the folder ``profiles`` of Reseed's repository. On a login node, on a
# file system that all nodes share:
#
# .. code-block:: sh
#
#     pip install snakemake-executor-plugin-slurm==2.8.0
#     snakemake --profile profiles/slurm --config block_seconds=1800
#
# ``block_seconds`` is the training time of one job: a job of Slurm takes seconds to start, so give it
# half an hour of work. The partition, account and memory are the block at the top of
# ``profiles/slurm/config.yaml``. ``reseed cost`` estimates hours and disk before you submit. Kubernetes,
# PBS and others: :doc:`/cluster`. (This page ran on one machine; the tests run a real Slurm.)
