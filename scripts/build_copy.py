# SPDX-License-Identifier: Apache-2.0
"""The copy of the tree in which make build-selftest changes files and runs make."""
import os
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from scripts.testing import OF_MAKE, Checks, run

BUILD = Path(sys.argv[1]).resolve()
TREE, TOOLS = BUILD / 'build-selftest/tree', BUILD / 'build-selftest/tools'
TB, LINT = 'build/tb/mshr/tiny', 'build/lint/mshr.tiny.ok'
V, SO, RUN, LOCKSTEP = (
    'build/rtl/mshr/tiny/V.a',
    'build/rtl/mshr/tiny.so',
    'build/cosim/engine/run.o',
    'build/cosim/mshr/lockstep.o',
)
MEMTWIN, RTL, TESTS, DESCRIBE, TWIN = (
    'build/memtwin',
    'build/memtwin-rtl',
    'build/obj/unit-tests',
    'build/describe/mshr',
    'build/obj/cmodel/blocks/mshr.o',
)
# Products that exist without a build: building them would test nothing more.
TOUCHED = [f'{TB}/main.o', f'{TB}/bench', LINT, TESTS]
GOALS = [SO, 'build/cosim/mshr/lockstep', MEMTWIN, RTL, TESTS, DESCRIBE, f'{TB}/bench', LINT]
ALWAYS = (
    'build/made',
    'build/headers',
    'build/generated',
    'build/obj/build/generated',
    'build/obj/tests',
    MEMTWIN,
    RTL,
    TESTS,
)  # a commit's name is in them, or nothing is built of them
KEPT = ('made', 'rules')


def of_a_user():
    """The environment without the variables that a parent make exports."""
    return {k: v for k, v in os.environ.items() if k not in OF_MAKE}


def in_tree(*command, path=None, **environment):
    return run(*command, cwd=TREE, path=path, alone=True, env=environment)


def remade(*arguments, goals=GOALS, **environment):
    """The products that make would rebuild.  The texts that products depend on are restored afterwards."""
    for d in KEPT:
        shutil.rmtree(TREE.parent / d, ignore_errors=True)
        shutil.copytree(TREE / 'build' / d, TREE.parent / d)
    _, said = in_tree('make', '-nk', '--debug=b', *goals, *arguments, **environment)
    for d in KEPT:
        shutil.rmtree(TREE / 'build' / d)
        shutil.copytree(TREE.parent / d, TREE / 'build' / d)
    return set(re.findall(r"Must remake target '(build/[^']+)'", said))


@contextmanager
def changed(path, old, new=None):
    """The file with `old` replaced (None: the file is deleted; new None: `old` appended); restored afterwards with its exact mtime."""
    path = TREE / path
    there = path.exists()
    text, stat = (path.read_text(), path.stat()) if there else ('', None)
    if old is None:
        path.unlink()
    elif new is None:
        path.write_text(text + old)
    else:
        if text.count(old) != 1:
            sys.exit(f'build-selftest: {path} has {text.count(old)} times: {old!r}')
        path.write_text(text.replace(old, new))
    try:
        yield
    finally:
        if there:
            path.write_text(text)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        else:
            path.unlink()


@contextmanager
def moved(path, new, *users):
    """The file at another place; `users` have its new name for the old one.  All is restored afterwards, with its mtime."""
    path, new, users = TREE / path, TREE / new, [TREE / user for user in users]
    kept = {user: (user.read_text(), user.stat()) for user in users}
    for user, (text, _) in kept.items():
        user.write_text(text.replace(path.name, new.name))
    path.rename(new)
    try:
        yield
    finally:
        new.rename(path)
        for user, (text, stat) in kept.items():
            user.write_text(text)
            os.utime(user, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def tool(name, text):
    """Puts a program of that name first on the PATH."""
    folder = TOOLS / f'{name}-{len(list(TOOLS.iterdir()))}'
    folder.mkdir()
    (folder / name).write_text(f'#!/bin/sh\n{text}\n')
    (folder / name).chmod(0o755)
    return str(folder)


def newer(name, option):
    """The tool, with another version."""
    return tool(name, f'[ "$*" = "{option}" ] && echo "another version" && exit\nexec {shutil.which(name)} "$@"')


class InCopy(Checks):
    def again(self, name, found, wanted, unwanted=()):
        missing, more = [w for w in wanted if w not in found], [u for u in unwanted if u in found]
        self.expect(
            name,
            not missing and not more,
            f'not built again: {" ".join(missing) or "none"}; needlessly: {" ".join(more) or "none"}',
        )

    def refused(self, command, said, lines=2):
        """make must fail with one line that contains this text; make adds its own line where a command failed."""
        done = in_tree(*(command if command[0][0] == '/' else ['make', '-j1', *command]))
        self.ended(f'{" ".join(command)} is refused', done, False, said, lines=lines)
