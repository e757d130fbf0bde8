"""Run a script in a fork of the run's warm process; where there is none, by itself."""

import os
import sys

from reseed.forkclient import ask

if __name__ == "__main__":
    status = ask(sys.argv[1:])
    if status is None:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    sys.exit(status)
