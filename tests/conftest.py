"""What holds for all tests."""

from __future__ import annotations

import signal

from hypothesis import settings

# A shell that runs its jobs in the background has them ignore Ctrl-C, and the programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# An example may take its time on a machine with other work.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
