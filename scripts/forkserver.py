"""Keep libraries loaded for the jobs of one run, until whoever started this ends."""

import argparse
import signal
import socket
import sys

from reseed.forkserver import serve
from reseed.scripting import limit_threads


def main() -> None:
    """Serve the socket that was inherited; the end of standard input is the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listener", type=int, required=True, help="file descriptor of a socket")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # its jobs answer to it, and whoever started it
    limit_threads(1)
    serve(socket.socket(fileno=arguments.listener), sys.stdin.fileno())


if __name__ == "__main__":
    main()
