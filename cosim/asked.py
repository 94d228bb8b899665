# SPDX-License-Identifier: Apache-2.0
"""Targets that have a help text, and variables of make's command line that would be silently ignored: unknown ones, and selections that
the help of a goal does not name."""
import difflib
import re

LEAST = {'JOBS': 1, 'SEED': 0, 'CYCLES': 0}
CHOOSE = {'BLOCK', 'SET', 'PARAMS', 'SIZES', 'VEC', 'SCENARIO', 'BUGS', 'TEST', 'NAME', 'CLOCK_MHZ', 'PLATFORM', 'FPGA', 'SWEEP', 'OUT', 'RTL', 'TOP',
          'RELATION', 'DEPTH', 'EXECUTOR', 'CHUNK_SECONDS'}


def helped(text):
    """target -> its text"""
    return dict(re.findall(r'^([a-z-]+):.*?## ((?:use|verify|measure|develop): .*)$', text, re.M))


def no_numbers(given):
    for name, _, value in (word.partition('=') for word in given):
        if not re.fullmatch(r'0|[1-9][0-9]{0,17}', value) or int(value) < LEAST[name]:
            yield f'{name}: found "{value}", expected a whole number from {LEAST[name]} on'


def wrong(goals, names, text):
    read = set(re.findall(r'\$\((?:call said,)?(\w+)', text)) | set(re.findall(r'^(?:override )?(\w+) *[:?+]?=', text, re.M))
    read |= {name for names_of in re.findall(r'\$\(foreach \w+,([A-Z_ ]+),', text) for name in names_of.split()}
    texts = helped(text)
    for name in names:
        if name not in read:
            near = difflib.get_close_matches(name, [r for r in read if r.isupper()], 1, 0.5)
            yield f'{name}: no makefile reads it' + (f'; the nearest is {near[0]}' if near else '')
        for goal in goals:
            if name in CHOOSE and goal in texts and f'{name}=' not in texts[goal]:
                yield f'{name}: given, but make {goal} does not read it; it reads {", ".join(re.findall(r"[A-Z_]+(?==)", texts[goal])) or "no variable"}'
