"""``python -m cpsat_tour``: the command line. A Ctrl-C while it is loaded ends the process without a traceback, so that
nothing is loaded before its handler is set but this module and its package."""

import os
import signal
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Load the command line and run it."""
    signal.signal(signal.SIGINT, _leave)
    import gc  # this and what follows under the handler above

    gc.disable()  # until the command is loaded, of which nothing is garbage
    from cpsat_tour.cli.main import main as command_line

    command_line()


def _leave(_signal: int, _frame: FrameType | None) -> None:
    """End the process at once, as after Ctrl-C."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
