"""Fault injection: kill runs, damage their files, supply hostile input, and check the outcome.

`workspace` copies the pipeline into a new folder and runs Snakemake there. `compare` compares the
numbers of two results folders. `kills` kills runs at random moments. Each function of `damage` and
`hostile` tries one fault. `page` writes a page of the outcomes.
"""


def load_cases() -> dict:
    """Return all cases by name; importing their modules registers them."""
    import fault_harness.damage
    import fault_harness.hostile  # noqa: F401
    from fault_harness.outcome import CASES

    return CASES
