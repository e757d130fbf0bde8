"""Every path below the results folder.

Paths are strings: Snakemake takes strings, and a plan names up to 10⁵ of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reseed.core.coordinates import Coordinates, Setting

#: File that describes a prepared dataset, or weights, beside its data files.
META = "meta.json"
#: Per-item tables that are collected of an experiment that was trained here.
PREDICTION_TABLES = ("scores", "targets", "curves")
#: Neighbouring data seeds whose splits are in one file. The borders follow from the seed.
SPLITS_PER_FILE = 20
#: Folders of the files that rules declare as outputs.
DECLARED = ("data", "weights", "splits", "tuning", "trials", "studies", "report")


#: Committed reference results of the studies, below the project's folder.
REFERENCES = "results/reference"
#: Of a study, below `REFERENCES`: each statement with what the runs say about it.
EVIDENCE = "evidence.json"
#: Of a study's reference results. Raw outputs that are too large are tables without rows.
REFERENCE_FILES = (
    "about.json", EVIDENCE, "study.json", "SHA256SUMS", "trials.parquet", "predictions.parquet",
    "targets.parquet",
)  # fmt: skip


#: Reference results that come with the library: those of its repository, or of its wheel.
_SHIPPED = tuple(Path(__file__).resolve().parents[n] / REFERENCES for n in (3, 1))


def find_reference(root: Path, study: str) -> Path | None:
    """The evidence of a study below the project's folder of references, else the library's.

    None where there is none.
    """
    paths = (folder / study / EVIDENCE for folder in (root, *_SHIPPED))
    return next((path for path in paths if path.is_file()), None)


@dataclass(frozen=True)
class StudyLayout:
    """Paths below the folder of one study."""

    folder: str

    @property
    def metrics(self) -> str:
        """Table with one row a trial and experiment."""
        return f"{self.folder}/metrics.parquet"

    @property
    def about(self) -> str:
        """Facts about the study (`reseed.core.study_info`)."""
        return f"{self.folder}/about.json"

    @property
    def evidence(self) -> str:
        """What the runs say about each statement of the study."""
        return f"{self.folder}/{EVIDENCE}"

    @property
    def reference(self) -> list[str]:
        """What `reseed reference` copies to be committed (`report.pages.reference`)."""
        return [f"{self.folder}/reference/{name}" for name in REFERENCE_FILES]

    @property
    def repeated_fits(self) -> str:
        """Table of the trials that were trained twice."""
        return f"{self.folder}/repeated_fits.parquet"

    @property
    def predictions(self) -> str:
        """Folder of the per-item tables, one folder an experiment."""
        return f"{self.folder}/predictions"

    def prediction_tables(
        self, experiment: str, tables: Sequence[str] = PREDICTION_TABLES
    ) -> list[str]:
        """Per-item tables of an experiment."""
        return [f"{self.predictions}/{experiment}/{table}.parquet" for table in tables]

    def statistics(self, analysis: str, suffix: str = ".parquet") -> str:
        """Table of an analysis."""
        return f"{self.folder}/statistics/{analysis}{suffix}"

    def exhibit(self, exhibit: str, is_table: bool) -> str:
        """Path of an exhibit's files, without suffix."""
        return f"{self.folder}/{'tables' if is_table else 'figures'}/{exhibit}"


@dataclass(frozen=True)
class ResultsLayout:
    """Paths below the results folder.

    root: the results folder. It may be relative: rules name files as the configuration does.
    """

    root: str

    # --- what is made once -----------------------------------------------------------------------

    @property
    def cache(self) -> str:
        """Folder of the cache entries, by key (`reseed.trials.entries`)."""
        return f"{self.root}/store"

    @property
    def downloads(self) -> str:
        """Folder of the downloaded source files."""
        return f"{self.root}/downloads"

    @property
    def specs(self) -> str:
        """Folder of the job specs, by checksum (`reseed.pipeline.spec_files`)."""
        return f"{self.root}/plan"

    @property
    def touched_marker(self) -> str:
        """Empty file that is newer than any untracked result."""
        return f"{self.specs}/touched"

    @property
    def run_token(self) -> str:
        """File that identifies the current run (`reseed.core.run_token`)."""
        return f"{self.specs}/run"

    @property
    def data_hashes(self) -> str:
        """Hashes of large data files (`reseed.pipeline.data_files`)."""
        return f"{self.specs}/data_hashes.json"

    @property
    def source_memory(self) -> str:
        """Facts of source files by the hash of their bytes (`reseed.core.source_facts`)."""
        return f"{self.specs}/sources.json"

    def checked_options(self, checksum: str) -> str:
        """Empty file: options with this checksum are valid."""
        return f"{self.specs}/options/{checksum}"

    def log(self, name: str) -> str:
        """Log of a job."""
        return f"{self.root}/logs/{name}.log"

    # --- data ------------------------------------------------------------------------------------

    def data(self, dataset: str) -> str:
        """Folder of a prepared dataset."""
        return f"{self.root}/data/{dataset}"

    def data_meta(self, dataset: str) -> str:
        """Description of a prepared dataset."""
        return f"{self.data(dataset)}/{META}"

    def weights(self, name: str) -> str:
        """Folder of pretrained weights."""
        return f"{self.root}/weights/{name}"

    def splits(self, dataset: str, scheme: str, data_seed: int) -> str:
        """Rows of the splits that a data seed and its neighbours draw (`split_seeds`)."""
        return f"{self.root}/splits/{dataset}/{scheme}/{splits_name(data_seed)}.parquet"

    # --- trials ----------------------------------------------------------------------------------

    def block(self, setting: Setting, block: str) -> str:
        """File of a block of trials, one row a trial (`reseed.core.blocks`)."""
        return f"{self.root}/trials/{setting.folder}/{block}.parquet"

    def tried(self, dataset: str, model: str) -> str:
        """File that says that a user's model trains on a few rows of a dataset."""
        return f"{self.root}/trials/{dataset}/tried/{model}.json"

    def search(self, setting: Setting, at: Coordinates, suffix: str = ".json") -> str:
        """Winner (`.json`) or log (`.parquet`) of the search at these coordinates."""
        return f"{self.root}/{search_name(setting, at)}{suffix}"

    def search_shard(
        self, setting: Setting, at: Coordinates, rung: int, number: int, shards: int
    ) -> str:
        """File that says that the fits of a shard of a search are finished."""
        name = f"rung-{rung}/shard-{number}-of-{shards}"
        return f"{self.root}/{search_name(setting, at)}/{name}.json"

    # --- studies ---------------------------------------------------------------------------------

    def study(self, name: str) -> StudyLayout:
        """Paths of a study."""
        return StudyLayout(f"{self.root}/studies/{name}")

    def study_page(self, name: str) -> str:
        """Page of a study."""
        return f"{self.root}/report/{name}.html"

    def study_bundle(self, name: str) -> str:
        """Archive of a study's figures, tables, claims and citations."""
        return f"{self.root}/report/{name}.zip"

    @property
    def index_page(self) -> str:
        """Page that lists all studies."""
        return f"{self.root}/report/index.html"


def search_name(setting: Setting, at: Coordinates) -> str:
    """Name of a search: the path of its files below the results folder, without suffix."""
    return f"tuning/{setting.folder}/{at.partition}/{at.seed_name}"


def split_seeds(data_seed: int) -> range:
    """Data seeds whose splits are in one file with this one's."""
    first = data_seed // SPLITS_PER_FILE * SPLITS_PER_FILE
    return range(first, min(first + SPLITS_PER_FILE, 2**32))


def splits_name(data_seed: int) -> str:
    """`data-seeds-20-39`: name of the file with the split of a data seed."""
    seeds = split_seeds(data_seed)
    return f"data-seeds-{seeds[0]}-{seeds[-1]}"
