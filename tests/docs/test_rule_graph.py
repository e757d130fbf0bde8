"""The rules of one stage become one node of the graph of stages."""

from rule_graph import find_stage, format_graph, merge_stages, remove_shortcuts

DOT = """
  0[label = "all", color = "0"];
  1[label = "train-digits-forest-0", color = "0"];
  2[label = "train-digits-trees-0", color = "0"];
  3[label = "split-digits", color = "0"];
  4[label = "data-digits", color = "0"];
  1 -> 0
  2 -> 0
  3 -> 1
  3 -> 2
  4 -> 3
  4 -> 1
  5[label = "search-digits", color = "0"];
  3 -> 5
  5 -> 1
"""


def test_rules_of_a_stage_are_merged():
    direct = {("data", "split"), ("split", "train"), ("split", "search"), ("search", "train")}
    edges = merge_stages(DOT)
    assert edges == {*direct, ("data", "train")}
    assert remove_shortcuts(edges) == direct
    assert format_graph(edges).count("->") == 5


def test_stage_of_a_rule():
    rules = ("report", "train-x-y", "collect-study")
    assert [find_stage(rule) for rule in rules] == ["report", "train", "collect"]
