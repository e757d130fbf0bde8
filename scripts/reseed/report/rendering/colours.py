"""Colours for colour-blind readers (Okabe and Ito), and dashes. Imports nothing."""

BLUE, RED, GREEN, ORANGE, SKY, PURPLE = (
    "#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7",
)  # fmt: skip
BLACK, GREY, LIGHT = "#222222", "#777777", "#DDDDDD"
