# What the jobs of each stage read and are told: functions alone, in the order of the stages.

# --- where everything begins ---


def unproven(files):
    """Nothing; or an input of now, where files stand of which Snakemake has no record.

    Without one they pass for fresh, whatever has changed. What is made from them follows.
    """
    in_files = str(getattr(workflow.workflow_settings, "persistence_backend", "file"))
    return [renewed()] if in_files == "file" and unrecorded(files) else []


@cache
def renewed():
    """A file of now."""
    path = Path(RESULTS, "plan", "renewed")
    if workflow.is_main_process:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        logger.warning(
            f"Snakemake has no record of how files in {RESULTS} were made (they were copied, or "
            ".snakemake was removed): they are made again. Trials that the store holds are linked."
        )
    return str(path)


# --- data ---


def data_code(entry):
    """Hash of the code that prepares a dataset, its reader's module included."""
    return code_hash("reseed.jobs.prepare_data", find_reader(entry).module, project=Path.cwd())


# --- training ---

# Every trial's file as its rule's output: a job that lists it needs no search for who makes it.
TRIALS = {}


def trial_files(study):
    """The trial files of a study, each once."""
    return [TRIALS[file] for file in PLAN.trial_files(study)]


def every_trial():
    """The trial files of all studies, each once."""
    return list(dict.fromkeys(file for study in TRAINED for file in trial_files(study)))


@cache
def lost_trials(study):
    """The trial files that are gone while the study's table of them stands.

    Snakemake makes a missing file again only where it is asked for. Where the table is missing
    too, the table asks; and a list of every trial in each rule that needs them is what costs
    memory and time at 100,000 seeds.
    """
    if not os.path.exists(f"{RESULTS}/studies/{study}/metrics.parquet"):
        return []
    return [file for file in trial_files(study) if not os.path.exists(file)]


# --- collecting ---


def study_told(study, experiment=None):
    """What collecting a study is told."""
    return study_job(PROJECT, PLAN, study, experiment)


def given_results(study):
    """A study's `results:` entry; `{results}` in its path stands for the results folder."""
    entry = PROJECT.studies[study].results.model_dump()
    return entry | {"path": entry["path"].replace("{results}", RESULTS)}


def given_key(w):
    """Hash of the code that imports given results, of what it is told and of the user's files."""
    entry = given_results(w.study)
    return digest(
        code_hash("reseed.jobs.import_results"),
        entry,
        placeless(study_told(w.study)),
        file_stats([] if entry["made_from"] else [entry["path"]]),
    )


def given_told(w):
    """What importing given results is told."""
    return {"results": given_results(w.study), "study": study_told(w.study)}


# --- statistics ---


def told_code(family, kind):
    """The user's files behind a kind, with their hashes: jobs import them hours after this."""
    return own_files([kinds.find_kind(family, kind).module], [], Path.cwd())


def analysis_entry(w):
    """An analysis as configured."""
    return PROJECT.studies[w.study].analyses[w.analysis]


def analysis_inputs(w):
    """An analysis's tables; with per-item outputs where its kind reads them."""
    folder, entry = f"{RESULTS}/studies/{w.study}", analysis_entry(w)
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    if kinds.find_kind("analyses", entry.kind).reads != "metrics":
        trained = PROJECT.studies[w.study].experiments
        parts = ("scores", "targets", "curves") if trained else ("scores", "targets")
        for name in entry.experiments or trained or ["results"]:
            files += [f"{folder}/predictions/{name}/{part}.parquet" for part in parts]
    return files + published_files(entry)


def published_files(entry):
    """The tables of published numbers that an analysis reads."""
    names = entry.options.get("files", [])
    return [f"{CONFIG}/published/{name}.csv" for name in names]


def analysis_told(w):
    """What an analysis is told."""
    return {
        "study": os.path.abspath(f"{RESULTS}/studies/{w.study}"),
        "published": os.path.abspath(CONFIG / "published"),
        "trained": list(PROJECT.studies[w.study].experiments) or ["results"],
        "own_files": told_code("analyses", analysis_entry(w).kind),
        **analysis_entry(w).model_dump(),
    }


def analysis_key(w):
    """Hash of an analysis's code, settings and published numbers (a file may be an older one)."""
    entry = analysis_entry(w)
    published = [Path(file) for file in published_files(entry)]
    return digest(
        code_hash("reseed.jobs.analyse", kinds.find_kind("analyses", entry.kind).module, project=Path.cwd()
        ),
        entry.model_dump(),
        *(file.read_text(encoding="utf-8", errors="replace") for file in published),
    )


# --- exhibits ---


# Exhibits that one process draws: their libraries take longer to load than most to draw.
EXHIBITS_A_JOB = 8


def exhibit_jobs():
    """(study, number, exhibits) of each job that draws."""
    for study, entry in PROJECT.studies.items():
        names = list(entry.exhibits)
        for number, start in enumerate(range(0, len(names), EXHIBITS_A_JOB), 1):
            yield study, number, names[start : start + EXHIBITS_A_JOB]


def exhibit_inputs(study, exhibit):
    """What an exhibit is drawn from: its analysis where it has one, and the study's tables."""
    folder, entry = (
        f"{RESULTS}/studies/{study}",
        PROJECT.studies[study].exhibits[exhibit],
    )
    files = [f"{folder}/metrics.parquet", f"{folder}/about.json"]
    reads = kinds.find_kind("exhibits", entry.kind).reads
    if reads == "repeated_fits" and study in TRAINED:
        files.append(f"{folder}/repeated_fits.parquet")
    if entry.analysis:
        files.append(f"{folder}/statistics/{entry.analysis}.parquet")
    return files


def exhibits_told(study, exhibits):
    """What drawing exhibits is told."""
    folder, entries = f"{RESULTS}/studies/{study}", PROJECT.studies[study].exhibits
    return {
        "results": os.path.abspath(RESULTS),
        "exhibits": [
            {
                "study": os.path.abspath(folder),
                "stem": f"{'tables' if is_table(study, exhibit) else 'figures'}/{exhibit}",
                "suffixes": list(suffixes(study, exhibit)),
                "inputs": list(map(os.path.abspath, exhibit_inputs(study, exhibit))),
                "key": exhibit_key(study, exhibit),
                "own_files": told_code("exhibits", entries[exhibit].kind),
                **entries[exhibit].model_dump(),
            }
            for exhibit in exhibits
        ],
    }


def exhibit_key(study, exhibit):
    """Hash of the code and the settings that draw an exhibit."""
    entry = PROJECT.studies[study].exhibits[exhibit]
    return digest(
        code_hash("reseed.jobs.draw", kinds.find_kind("exhibits", entry.kind).module, project=Path.cwd()
        ),
        entry.model_dump(),
    )


# --- the report ---


def study_page(study):
    """The page of one study."""
    return f"{RESULTS}/report/{study}.html"


def asked():
    """Studies that this run was asked for, and their pages: else all, and the index."""
    targets = set(workflow.dag_settings.targets)
    studies = [study for study in PROJECT.studies if study in targets]
    pages = [study_page(study) for study in studies]
    if not targets or targets & {"all", "report", REPORT}:
        studies, pages = list(PROJECT.studies), [*pages, REPORT]
    return studies, [page for page in pages if os.path.exists(page)]


def report_inputs(studies):
    """What pages are made from: every file of every exhibit, and the studies' facts."""
    return [
        file
        for study in studies
        for file in [
            f"{RESULTS}/studies/{study}/about.json",
            *(
                file
                for exhibit in PROJECT.studies[study].exhibits
                for file in exhibit_files(study, exhibit)
            ),
        ]
    ]


def report_told(studies, index):
    """What the report is told: each study's exhibits in the order of its page."""
    return {
        "results": RESULTS,  # as Snakemake names it: the page tells commands
        "index": index,
        "exhibits": {study: list(PROJECT.studies[study].exhibits) for study in studies},
    }


def report_key(studies):
    """Hash of the code of the report, of its templates, which are no Python, and of what it holds."""
    folder = SCRIPTS / "reseed" / "reporting" / "templates"
    templates = sorted([*folder.glob("*.html"), *folder.glob("*.css")])
    return digest(
        code_hash("reseed.jobs.report"),
        [file.read_text(encoding="utf-8") for file in templates],
        placeless(report_told(studies, False)),
    )


# --- checks ---


def everything():
    """Every setting with all its trials, as one job."""
    return [(planned, planned.trials) for planned in PLAN.settings.values()]
