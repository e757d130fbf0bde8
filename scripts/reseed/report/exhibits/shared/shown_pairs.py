"""Shown differences: their count, with those under a condition, and by model."""

from dataclasses import dataclass, field


@dataclass
class Others:
    """The models compared with one: those it beat, those that beat it, equivalent ones, others."""

    won: list[str] = field(default_factory=list)
    equal: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, vars(self).values()))
