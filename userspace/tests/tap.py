# SPDX-License-Identifier: GPL-2.0
"""Points of a test in Python, as TAP."""
import sys

count = failures = 0


def check(text, good, why=""):
    """A point; why it is not good is shown."""
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {text}{'' if good else f' # {why}'}")


def done():
    """Ends the test: its plan, and exit status 1 if a point failed."""
    print(f"1..{count}")
    sys.exit(failures > 0)
