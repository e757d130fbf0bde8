"""Draw docs/rule-graph.svg: the rules of the workflow, from `snakemake --rulegraph`.

Edges that a longer path implies are left out. Needs `dot` (Graphviz).
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

#: Rules that a study can do without: a path through them does not replace a direct edge.
_OPTIONAL = {"export", "import_runs", "collect_items", "repeat", "search", "shard", "weights"}
_NODE = re.compile(r'^\s*(\d+)\[label = "([^"]+)"', re.MULTILINE)
_EDGE = re.compile(r"^\s*(\d+) -> (\d+)", re.MULTILINE)


def read_edges(dot: str) -> set[tuple[str, str]]:
    """Return the edges between rules of a rule graph in the language of Graphviz.

    The target `all` is left out, and the rules of single weights are one.
    """
    rules = {node: name.partition(".")[0] for node, name in _NODE.findall(dot)}
    edges = {(rules[a], rules[b]) for a, b in _EDGE.findall(dot)}
    return {(a, b) for a, b in edges if b != "all"}


def remove_shortcuts(edges: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the edges without those that a longer path through required rules implies."""

    def is_shortcut(edge: tuple[str, str]) -> bool:
        seen, waiting = set(), [edge[0]]
        while waiting:
            node = waiting.pop()
            following = {b for a, b in edges - {edge} if a == node} - seen
            seen |= following
            waiting += following - _OPTIONAL
        return edge[1] in seen

    return {edge for edge in edges if not is_shortcut(edge)}


def format_graph(edges: Iterable[tuple[str, str]]) -> str:
    """Return the graph of rules in the language of Graphviz."""
    lines = [f'  "{a}" -> "{b}";' for a, b in sorted(edges)]
    style = "  rankdir=LR; node [shape=box, style=rounded, fontname=sans, fontsize=11];"
    return "\n".join(["digraph rules {", style, *lines, "}", ""])


def main() -> None:
    """Run snakemake and Graphviz, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", default="smoke", help="scale of the studies")
    parser.add_argument("--output", type=Path, default=Path("docs/rule-graph.svg"))
    options = parser.parse_args()
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "dot"]
    command += ["--config", f"scale={options.scale}"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    graph = format_graph(remove_shortcuts(read_edges(run.stdout)))
    svg = subprocess.run(["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True)
    options.output.write_text(svg.stdout, encoding="utf-8")
    print(f"{options.output}: {graph.count('->')} edges between rules")


if __name__ == "__main__":
    main()
