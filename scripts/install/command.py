# SPDX-License-Identifier: Apache-2.0
"""Reads commands, options, their texts and their allowed names from the help of the program."""
import os
import re
import subprocess
from dataclasses import dataclass, field

WIDE = {**os.environ, 'ARGP_HELP_FMT': 'rmargin=100000,opt-doc-col=60', 'LC_ALL': 'C'}
EVERY = ('help', 'usage')
END = 'Mandatory or optional arguments to long options'


@dataclass
class Option:
    short: str
    long: str
    value: str
    text: str
    optional: bool = False  # the value may be left out


@dataclass
class Command:
    words: list  # ['trace', 'info']
    summary: str
    usage: str = ''  # of its arguments
    text: list = field(default_factory=list)  # paragraphs before its options
    groups: list = field(default_factory=list)  # [heading, options]
    after: list = field(default_factory=list)  # lines after them

    def options(self):
        return [o for _, options in self.groups for o in options]


def said(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, env=WIDE)
    if done.returncode:
        raise ValueError(f'{program} {" ".join(words)}: status {done.returncode}, expected 0')
    return done.stdout


def listed(text):
    """The rows "  name   summary" of a help."""
    return re.findall(r'^  ([a-z_]\w*) +(\S.*)$', text, re.M)


OPTION = re.compile(r'^  (?:(-\S), |    )--([a-z-]+)(?:=(\S+)|(\[=\S+\]))? *(.*)$')


def read(program, words, summary):
    """A command by its --help."""
    c, lines = Command(words, summary), said(program, *words, '--help').splitlines()
    usage = re.match(r'Usage: (.*)', lines[0])
    c.usage = usage[1].split(' ', 1 + len(words))[1 + len(words)]
    heading, below, ended = '', False, False
    for line in lines[1:]:
        ended |= line.startswith(END)
        option = None if ended else OPTION.match(line)  # examples below may begin with an option
        if option:
            below = True
            if not c.groups or c.groups[-1][0] != heading:
                c.groups.append([heading, []])
            short, long, value, optional, text = (part or '' for part in option.groups())
            c.groups[-1][1].append(Option(short, long, value or optional[2:-1], text, bool(optional)))
        elif re.match(r' \S.*:$', line):
            heading = line.strip().rstrip(':')
        elif not line:
            heading = heading if not below else ''
            (c.after if below else c.text).append('')
        elif not line.startswith(END):
            (c.after if below else c.text).append(line)
    return c


def commands(program):
    """All commands, subcommands after their command."""
    found = []
    for name, summary in listed(
        said(program, '--help').partition('COMMAND [OPTION...]')[2].partition('\n  memtwin ')[0]
    ):
        lines = said(program, name, '--help')
        if 'VERB' not in lines.splitlines()[0]:
            found.append(read(program, [name], summary))
            continue
        found.append(Command([name], summary, 'VERB ...'))
        found += [read(program, [name, verb], text) for verb, text in listed(lines)]
    return found


def choices(command):
    """The alternatives of a command's argument: "l1d|mshr"."""
    words = command.usage.split()
    return words[-1].split('|') if words and '|' in words[-1] and words[-1].islower() else []


def presets(program):
    return re.findall(r'^  (\S+)', said(program, 'list', 'presets'), re.M)


def kernels(program):
    """name -> its options"""
    text = said(program, 'list', 'kernels')
    common = re.findall(r'^  (\w+) ', text.split('every kernel:')[1], re.M)
    found, options = {}, []
    for line in text.split('every kernel:')[0].splitlines():
        name = line.split()[0]
        if line.startswith('  '):
            options.append(name)
        else:
            options = found[name] = []
    return {name: options + common for name, options in found.items()}


def blocks(program):
    return sorted(set(said(program, 'list', 'blocks').split()[1:]))


def keys(program):
    """option -> its legal words; none for a number"""
    header, *rows = said(program, 'list', 'options').splitlines()
    at, found = header.index('allowed'), {}
    for row in rows:
        allowed = re.match(r'-?\d+\.\.|(\w+(?:, \w+)*) ', row[at:])
        found[row.split()[0]] = allowed[1].split(', ') if allowed[1] else []
    return found
