# SPDX-License-Identifier: Apache-2.0
"""Self-tests: how they run a command, expect its words, and count their checks (unittest; every subtest is a check)."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
import traceback
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHON = (sys.executable, '-B', '-m')
OF_MAKE = (
    'MAKEFLAGS',
    'MAKELEVEL',
    'MFLAGS',
    'MAKEOVERRIDES',
    'JOBS',
    'BUILD',
)  # variables that a make gives to its commands


@dataclass(frozen=True)
class Done:
    """A command that has ended.  `status, said = run(...)` unpacks it."""

    status: int
    out: str
    err: str

    @property
    def said(self):
        return self.out + self.err

    def __iter__(self):
        return iter((self.status, self.said))


def run(*command, cwd=ROOT, text=None, path=None, alone=False, env=None):
    """Runs a command.  path: a folder whose programs come first; alone: without the variables of the make that runs the self-test."""
    environment = {k: v for k, v in os.environ.items() if not alone or k not in OF_MAKE}
    if path:
        environment['PATH'] = f'{path}:{environment["PATH"]}'
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment | (env or {}),
        capture_output=True,
        text=True,
        errors='replace',
        check=False,
        input=text or '',
    )
    return Done(done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def background(*command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options):
    """A process that runs while a test goes on; a test that fails before it ends leaves none of its processes behind."""
    with subprocess.Popen(
        [str(word) for word in command], stdout=stdout, stderr=stderr, text=True, start_new_session=True, **options
    ) as process:
        try:
            yield process
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise


def has_ended(pid):
    """Whether the process has ended.  An orphan stays a zombie until the init process waits for it, which takes some of them half a minute."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] == 'Z'
    except OSError:
        return True


class Checks(unittest.TestCase):
    """A failed check does not end its test: the checks behind it run, too."""

    def expect(self, name, good, said=''):
        with self.subTest(name):
            if not good:
                self.fail(str(said).strip()[-2500:])

    def equal(self, name, found, wanted):
        self.expect(name, found == wanted, f'found {found!r}, expected {wanted!r}')

    def ended(self, name, done, good, *patterns, lines=None):
        """The command has ended well or not, as wanted, and has said all of this in at most so many lines, none of them Python's or Verilator's own."""
        missing = [p for p in patterns if not re.search(p, done.said)]
        length = len([line for line in done.said.splitlines() if line.strip()])
        right = (
            (done.status == 0) == good
            and not missing
            and not re.search(r'Traceback|\.hpp:', done.said)
            and (lines is None or length <= lines)
        )
        self.expect(name, right, f'status {done.status}, {length} lines, not found: {missing}\n{done.said}')


class Counted(unittest.TestResult):
    """Prints a line for a test and for each failed check.  A test without checks counts as one."""

    def __init__(self, name):
        super().__init__()
        self.name, self.passed, self.failed = name, 0, 0

    def startTest(self, test):
        super().startTest(test)
        self.before, self.begin = (self.passed, self.failed), time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        passed, failed = self.passed - self.before[0], self.failed - self.before[1]
        words = test.id().rpartition('.')[2].removeprefix('test_').replace('_', ' ')
        print(
            f'{"FAIL" if failed else "ok":5s}{words}: {passed} of {passed + failed} checks, {time.monotonic() - self.begin:.1f} s',
            flush=True,
        )

    def bad(self, what, error):
        self.failed += 1
        said = str(error[1]) if isinstance(error[1], AssertionError) else ''.join(traceback.format_exception(*error))
        print(f'FAIL {self.name} {what}: {said}', flush=True)

    def addSubTest(self, test, subtest, err):
        if err:
            self.bad(subtest._message, err)
        else:
            self.passed += 1

    def addSuccess(self, test):
        self.passed += self.before == (self.passed, self.failed)

    def addError(self, test, err):
        self.bad(test.id().rpartition('.')[2], err)

    addFailure = addError


def main(name, *cases, only=(), least=1):
    """Runs the tests of these classes in the order of their text; `only`: tests of these names.  The exit status."""
    tests = [
        case(n)
        for case in cases
        for n in vars(case)
        if n.startswith('test_') and (not only or n.removeprefix('test_') in only)
    ]
    result = Counted(name)
    unittest.TestSuite(tests).run(result)
    print(f'{name}: {result.passed} passed, {result.failed} failed')
    return 1 if result.failed or result.passed < least else 0
