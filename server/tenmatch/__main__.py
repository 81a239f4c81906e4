"""`python -m tenmatch` is the same as `tenmatch`."""

from tenmatch.app.cli import main

main()
