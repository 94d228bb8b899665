# SPDX-License-Identifier: Apache-2.0
"""Progress of long runs: a line on stderr if no job has finished for a while."""
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any
import sys
import threading
import time
from contextlib import contextmanager

QUIET = 15  # seconds
SHOWN = 4


@contextmanager
def watching(what: str, names: dict[Future[Any], str | Callable[[], str]]) -> Iterator[None]:
    """names: future -> text, or a function that gives it.  Prints how many of them have ended and which are running, every QUIET seconds in which none ends."""
    begin, over = time.monotonic(), threading.Event()

    def watch() -> None:
        before = -1
        while not over.wait(QUIET):
            done = sum(f.done() for f in names)
            if done == before:
                running = [n() if callable(n) else n for f, n in names.items() if f.running()]
                more = f' and {len(running) - SHOWN} more' if len(running) > SHOWN else ''
                print(
                    f'  {what}  {done:3d} of {len(names)} after {time.monotonic() - begin:4.0f} s; running: {", ".join(running[:SHOWN])}{more}',
                    file=sys.stderr,
                    flush=True,
                )
            before = done

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
