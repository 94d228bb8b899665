# SPDX-License-Identifier: Apache-2.0
"""Runs make and shows one line of progress instead of a line for each file: the step, how many of how many, seconds.  On a terminal the line is
written over; otherwise there is one every STEP seconds.  All other output is passed on.  usage: python3 -B -m scripts.progress make [ARGUMENT ...]"""
import re
import subprocess
import sys
import time

VERBS = 'AS|CC|CXX|LINK|VLT'  # of recipes that build a file
BUILDS = re.compile(rf'  ({VERBS}) +(\S.*)')
STEP = 5
WIDTH = 100


def total(command):
    """How many files make would build now: each recipe begins with an echo."""
    done = subprocess.run(
        [*command, '-n'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, close_fds=False
    )
    return sum(bool(re.match(rf'echo "  ({VERBS}) ', line)) for line in done.stdout.splitlines())


class Line:
    def __init__(self, count):
        self.count, self.built, self.begun, self.shown = count, 0, time.monotonic(), 0.0
        self.terminal = sys.stdout.isatty()

    def seconds(self):
        return time.monotonic() - self.begun

    def step(self, what):
        self.built += 1
        words = f'  building {self.built} of {max(self.count, self.built)}, {self.seconds():.0f} s'
        if self.terminal:
            print(f'\r{words + "  " + what:<{WIDTH}.{WIDTH}}', end='', flush=True)
        elif self.seconds() - self.shown >= STEP:
            self.shown = self.seconds()
            print(words, flush=True)

    def clear(self):
        if self.terminal and self.built:
            print(f'\r{"":<{WIDTH}}\r', end='', flush=True)

    def end(self, good):
        self.clear()
        if self.built:
            print(
                f'  built {self.built} files in {self.seconds():.0f} s'
                if good
                else f'  stopped after {self.built} of {self.count} files',
                flush=True,
            )


def main():
    command = sys.argv[1:]
    sys.stdout.reconfigure(errors='surrogateescape')
    line, summed = Line(total(command)), False
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, errors='surrogateescape', close_fds=False
    ) as make:
        for text in make.stdout:
            builds = BUILDS.fullmatch(text.rstrip('\n'))
            if builds:
                line.step(builds[2])
                continue
            if line.built and line.built >= line.count and not summed:
                line.end(True)  # the lines behind it are no longer of the build
                summed = True
            line.clear()
            sys.stdout.write(text)
            sys.stdout.flush()
        status = make.wait()
    if not summed:
        line.end(status == 0)
    return status


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
