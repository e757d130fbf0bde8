"""`python -m reseed`: the same as the command `reseed`."""

from reseed.cli import main

main()
