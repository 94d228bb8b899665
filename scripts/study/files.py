# SPDX-License-Identifier: Apache-2.0
"""Atomic file writes."""
import os
import pathlib


def write_whole(path, text):
    """Replaces a file atomically: a full disk or a signal leaves the old one."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
