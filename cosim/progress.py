# SPDX-License-Identifier: Apache-2.0
"""Progress of long runs: a line on stderr if no job has finished for a while."""
import sys
import threading
import time
from contextlib import contextmanager

QUIET = 15  # seconds
SHOWN = 4


@contextmanager
def watching(what, names):
    """names: future -> text, or a function that gives it.  Prints how many of them have ended and which are running, every QUIET seconds in which none ends."""
    begin, over = time.monotonic(), threading.Event()

    def watch():
        before = -1
        while not over.wait(QUIET):
            done = sum(f.done() for f in names)
            if done == before:
                running = [n() if callable(n) else n for f, n in names.items() if f.running()]
                more = f' and {len(running) - SHOWN} more' if len(running) > SHOWN else ''
                print(f'  {what}  {done:3d} of {len(names)} after {time.monotonic() - begin:4.0f} s; running: {", ".join(running[:SHOWN])}{more}', file=sys.stderr, flush=True)
            before = done

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
