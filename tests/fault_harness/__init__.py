"""Faults on purpose: kill a run, damage its files, feed it hostile input, and see what comes of it.

`workspace` copies the pipeline into a folder of its own and runs Snakemake there; `compare` says
whether two results folders hold the same numbers; `kills` ends runs at random moments; `damage`
and `hostile` try one fault each; `page` writes docs/reliability.md from what happened.
"""


def load_cases() -> dict:
    """Every case there is, by name: importing their modules registers them."""
    import fault_harness.damage
    import fault_harness.hostile  # noqa: F401
    from fault_harness.outcome import CASES

    return CASES
