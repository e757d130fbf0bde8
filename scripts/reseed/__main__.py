"""`python -m reseed`: same as the command `reseed`."""

from reseed.cli import main

main()
