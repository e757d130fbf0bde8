"""A custom table of the results of my_analysis, with a claim about them."""

from reseed.comparison.claims import phrases
from reseed.comparison.claims.claim import Claim
from reseed.comparison.claims.estimates import Sample
from reseed.report.rendering.data import metric_title
from reseed.report.rendering.tables import Rows


def table(data, options):
    """Return one row of text for each row of the analysis, with the numbers behind it."""
    results, rows = data.statistics, Rows()
    for row in results.itertuples():
        cells = {"Model": data.model(row.model), "n": str(row.n), "Worst seed": f"−{row.loss:.4f}"}
        rows.add(cells, section=data.dataset(row.dataset))
    claims = [worst_seeds(results)] if len(results) else []
    return rows.table(data, results, footnote=data.scale, claims=claims)


def worst_seeds(results):
    """How far the worst seed is from the mean. Each number is computed from these rows."""
    shown = "{:.4f}".format
    return Claim(
        name="worst_seed",
        finding="the distance of the worst seed from the mean is {loss}",
        headline="Distance of the worst seed from the mean: {middle}",
        rows=results,
        phrases={
            "loss": phrases.pooled(results, "loss", shown, noun="model", title=metric_title),
            "middle": phrases.centre(results, "loss", shown, title=metric_title),
        },
        sample=Sample.of(results, "n", "seed"),
    )
