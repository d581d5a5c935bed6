"""``python -m cpsat_tour``: the command line."""

from cpsat_tour.cli.main import main

if __name__ == "__main__":
    main()
