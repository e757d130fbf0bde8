# Shell functions that every job uses.
set -euo pipefail
# The job ends with the process that started this shell (reseed.pipeline.parent_watch).
export RESEED_PARENT=$PPID
RESEED_PIPELINE=$(dirname "${BASH_SOURCE[0]}")
# Snakemake removes PYTHONPATH from jobs in conda environments.
export PYTHONPATH="${RESEED_PYTHONPATH:-${PYTHONPATH:-}}"

# Python as a fork of the run's fork server, where there is one (reseed.pipeline.fork_server).
python() {
    if [ -n "${RESEED_FORKSERVER:-}" ]; then
        command python -ES "$RESEED_PIPELINE/fork_client.py" "$@"
    else
        command python "$@"
    fi
}

# Run a job with its output in a log, and name there the signal that ended it.
job() {
    local log="$1" rc=0
    shift
    "$@" > "$log" 2>&1 || rc=$?
    if [ "$rc" -gt 128 ]; then
        echo "Error: the process was ended by signal $((rc - 128)) (9: killed, often for want of" \
            "memory; 15: asked to end). What it finished is kept: run again." >> "$log"
    fi
    return "$rc"
}
