# The plan, and settings that the other rule files share.
import os
import sys
from contextlib import suppress
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# Version of the package that these rules need.
VERSION = "0.4.0"
INSTALL = (
    "by: pip install "
    f"'reseed[workflow] @ git+https://github.com/OWNER/reseed@v{VERSION}'"
)
# In a checkout the package is in `scripts`; otherwise it is installed.
SCRIPTS = Path(str(workflow.current_basedir)).parent / "scripts"
if SCRIPTS.is_dir():
    sys.path.insert(0, str(SCRIPTS))

try:
    import reseed
    from reseed.core.errors import ReseedError
    from reseed.pipeline import fork_server
    from reseed.pipeline.progress import failed_trials, show_progress
    from reseed.pipeline.workflow import RunMode, Workflow, find_config
except ImportError as error:
    sys.exit(
        f"{error}. Install the package {INSTALL}"
    )  # without Snakemake's lines of code
if reseed.__version__ != VERSION:
    sys.exit(
        f"This workflow needs reseed {VERSION}, and {reseed.__version__} is installed. "
        f"Install it {INSTALL}"
    )

if workflow.storage_settings.default_storage_provider:
    raise WorkflowError(
        "Results are hard links in one folder, on a file system that all jobs share: "
        "run without --default-storage-provider."
    )
MODE = RunMode(
    dry=workflow.output_settings.dryrun,
    is_main=workflow.is_main_process,
    has_records=str(getattr(workflow.workflow_settings, "persistence_backend", "file"))
    in ("file", "PersistenceBackend.FILE"),
)
PROGRESS = show_progress(logger, workflow.output_settings.quiet, MODE.dry)
try:
    plan = Workflow(find_config(SCRIPTS.parent), config, MODE, logger.warning)
    plan.check_targets(sys.argv)
    plan.remember_sources()
except ReseedError as error:
    raise WorkflowError(str(error)) from None
except OSError as error:
    raise WorkflowError(f"{error.filename}: {error.strerror}.") from None
PROGRESS.targets |= set(plan.project.studies)
PROGRESS.last_lines = plan.describe_broken()
shell.prefix(plan.shell_prefix)


# `<results>` in the paths of all rules.
pathvars:
    results=plan.layout.root,


# Names of the configuration; seeds are free. Each rule adds what else its wildcards match.
wildcard_constraints:
    study=plan.names.study,
    dataset=plan.names.dataset,
    scheme=plan.names.scheme,
    model=plan.names.model,
    hyperparameters=plan.names.hyperparameters,


# Text beside an exhibit in Snakemake's own report.
CAPTION = "../scripts/reseed/report/pages/templates/caption.rst"
