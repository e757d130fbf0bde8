# Shell functions that every job uses.
set -euo pipefail
# The job ends with the process that started this shell (reseed.pipeline.parent_watch).
export RESEED_PARENT=$PPID
RESEED_PIPELINE=${BASH_SOURCE[0]%/*}
# Snakemake removes PYTHONPATH from jobs in conda environments.
export PYTHONPATH="${RESEED_PYTHONPATH:-${PYTHONPATH:-}}"

# Python as a fork of the run's fork server, where there is one (reseed.pipeline.fork_server). It names
# the signal that ended the job.
python() {
    local rc=0
    if [ -n "${RESEED_FORKSERVER:-}" ]; then
        command python -ES "$RESEED_PIPELINE/fork_client.py" "$@" || rc=$?
    else
        command python "$@" || rc=$?
    fi
    if [ "$rc" -gt 128 ]; then
        echo "Error: the process was ended by signal $((rc - 128)) ($(meaning_of_signal $((rc - 128))))." \
            "What it finished is kept: run again." >&2
    fi
    return "$rc"
}

# What a signal that ended a job usually means.
meaning_of_signal() {
    case "$1" in
        2) echo "interrupted, as by Ctrl-C" ;;
        4) echo "a library was built for another processor" ;;
        6) echo "aborted: a compiled library found an error that it cannot handle, often damaged" \
            "memory or too little of it; its message is above" ;;
        8) echo "a division by zero in a compiled library" ;;
        7 | 11) echo "invalid access to memory by a compiled library, as by two versions of OpenMP" ;;
        9) echo "killed, often because memory ran out" ;;
        15) echo "terminated, for example by a scheduler at its time limit" ;;
        *) kill -l "$1" ;;
    esac
}
