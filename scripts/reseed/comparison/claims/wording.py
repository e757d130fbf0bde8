"""Words that a claim's sentence may not use: equality that no test shows, and numbers as words."""

from __future__ import annotations

import re

# A test that does not reject, or an interval that includes the null, shows none of these.
_EQUALITY = re.compile(
    r"\b(equal(?! numbers?\b)|equally|same|identical(ly)?|indistinguishable"
    r"|alike|like|similar(ly)?|comparable|unchanged|unaffected"
    r"|agrees?|match(es)?|coincides?|no (effect|influence|change)"
    r"|no difference(?! (is )?(shown|has))|(do|does|did) not (differ|change|matter|depend)"
    r"|makes? no difference|no (wider|narrower|larger|smaller|greater|better|worse) than"
    r"|(is|are|be|was|were) (a )?Gaussians?"
    r"|(?<!times )as (?!(many|well|long|soon|if)\b)(\w+ ){1,4}as)\b",
    re.IGNORECASE,
)
_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty"
    "|seventy|eighty|ninety|hundred|thousand|dozen"
)
# Numbers from three on: `one` and `two` are pronouns and parts of definitions, too.
_NUMBER_WORD = re.compile(rf"\b({_WORDS.removeprefix('two|')}|twice|thrice)\b", re.IGNORECASE)
# A title that reads as a number or a count: `70`, `3 models`, `20 %`, `four of them`.
_COUNT = re.compile(rf"([−+-]?\d[\d.,]*|(?i:one|{_WORDS}))(\s*%|\s+[a-z]|\s*$)")


def find_equality(text: str) -> str:
    """The first words of the text that state equality; empty without any."""
    match = _EQUALITY.search(text)
    return match[0] if match else ""


def find_number(literal: str) -> str:
    """The first number of the text, in digits or as a word; empty without any."""
    match = re.search(r"\d+", literal) or _NUMBER_WORD.search(literal)
    return match[0] if match else ""


def quote_count(title: str) -> str:
    """The title; in quotation marks if it reads as a number or a count: `“70”`, `“3 models”`."""
    return f"“{title}”" if _COUNT.match(title.strip()) else title
