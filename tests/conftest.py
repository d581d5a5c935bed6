"""What holds for all tests."""

from __future__ import annotations

import signal

# A shell that runs its jobs in the background has them ignore Ctrl-C, and the programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
