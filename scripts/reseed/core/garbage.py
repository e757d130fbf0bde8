"""Collect garbage rarely: what a process of Reseed makes, it needs until it ends."""

import atexit
import gc


def collect_rarely() -> None:
    """Let this process collect garbage a hundred times less often, and not when it ends.

    A collection visits all objects of all imported libraries, which takes 0.1 s; a plan of 10⁵
    trials is millions of objects.
    """
    gc.set_threshold(200_000, 20, 100)
    atexit.register(gc.freeze)
