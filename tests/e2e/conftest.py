"""A shell that starts the tests in the background has them ignore Ctrl-C, and with them all that they start."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
