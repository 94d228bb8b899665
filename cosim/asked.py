# SPDX-License-Identifier: Apache-2.0
"""Variables of make's command line that would be silently ignored: unknown ones, and selections that the help of a goal does not
name."""
import difflib
import re

CHOOSE = {'BLOCK', 'SET', 'PARAMS', 'SIZES', 'VEC', 'SCENARIO', 'BUGS', 'TEST', 'NAME'}


def wrong(goals, names, text):
    read = set(re.findall(r'\$\((\w+)', text)) | set(re.findall(r'^(?:override )?(\w+) *[:?+]?=', text, re.M))
    helped = dict(re.findall(r'^([a-z-]+):.*?## (.*)$', text, re.M))
    for name in names:
        if name not in read:
            near = difflib.get_close_matches(name, [r for r in read if r.isupper()], 1, 0.5)
            yield f'{name}: no makefile reads it' + (f'; the nearest is {near[0]}' if near else '')
        for goal in goals:
            if name in CHOOSE and goal in helped and f'{name}=' not in helped[goal]:
                yield f'{name}: given, but make {goal} does not read it; it reads {", ".join(re.findall(r"[A-Z]+(?==)", helped[goal])) or "no variable"}'
