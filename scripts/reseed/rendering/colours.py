"""Colours that colour-blind readers can tell apart (Okabe and Ito), and dashes. Loads nothing."""

BLUE, RED, GREEN, ORANGE, SKY, PURPLE = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7",
)  # fmt: skip
BLACK, GREY, LIGHT = "#222222", "#777777", "#DDDDDD"
#: Colours of lines that stand for pairs, and their dashes after one round.
LINES = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY]
DASHES = ["-", "--", ":"]
