"""`python -m reseed`: same as the command `reseed`."""

from reseed.cli import main

if __name__ == "__main__":
    main()
