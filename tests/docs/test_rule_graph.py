"""The picture of the rules leaves out what other edges imply."""

from rule_graph import format_graph, read_edges, remove_shortcuts

DOT = """
  0[label = "all", color = "0"];
  1[label = "train", color = "0"];
  3[label = "split", color = "0"];
  4[label = "prepare_table", color = "0"];
  1 -> 0
  3 -> 1
  4 -> 3
  4 -> 1
  5[label = "search", color = "0"];
  3 -> 5
  5 -> 1
"""


def test_edges_that_a_longer_path_implies_are_left_out():
    direct = {
        ("prepare_table", "split"),
        ("split", "train"),
        ("split", "search"),
        ("search", "train"),
    }
    edges = read_edges(DOT)
    assert edges == {*direct, ("prepare_table", "train")}
    assert remove_shortcuts(edges) == direct
    assert format_graph(edges).count("->") == 5
