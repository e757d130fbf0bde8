"""What `reseed` says about commands and options that it does not know."""

import pytest
from reseed.cli import main


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compar", "runs.csv"], "reseed: error: there is no command 'compar'. Did you mean"),
        (["compare", "runs.csv", "--htlm", "a.html"], "unknown arguments: --htlm a.html. Did you"),
        (
            ["gate", "a.csv", "--baseline", "b.csv", "--margin", "1", "--metrik", "f1"],
            "'--metric'?",
        ),
        (["--verison"], "the following arguments are required: command"),
    ],
)
def test_unknown_words_lead_to_the_nearest_known_one(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_the_usage_is_that_of_the_command(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "table.tex", "--rnus", "5"])
    assert capsys.readouterr().err.startswith("usage: reseed compare ")
