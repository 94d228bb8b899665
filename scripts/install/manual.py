# SPDX-License-Identifier: Apache-2.0
"""memtwin.1: the manual page, made from the output of --help."""
import re

from scripts.install import command

SYNTAX = r'''A machine is chosen by
.BR \-\-preset ,
.B \-\-config
and
.BR \-\-set ,
which act in the order given, the later over the earlier, from the defaults on.
A workload is a kernel with its sizes, as
.BR spmv:rows=4096 ,
or the path of a trace.'''
STATUS = (
    ('0', 'success'),
    ('1', 'failure, or a comparison found a difference'),
    ('2', 'invalid command line or configuration'),
)
FILES = (
    ('share/memtwin', 'the RTL of the blocks with file lists, whose paths begin there: verilator \\-f rtl/mshr/mshr.f'),
    ('include/memtwin', 'headers of the library and of the twins'),
)


def roff(text):
    """Text as roff prints it; no line is a request."""
    text = (
        text.replace('\\', '\\e')
        .replace('-', '\\-')
        .replace("'", '\\(aq')
        .replace('`', '\\(ga')
        .replace('^', '\\(ha')
        .replace('~', '\\(ti')
    )
    return re.sub(r'^\.', r'\\&.', text, flags=re.M)


def option(o):
    names = ', '.join(rf'\fB{roff(n)}\fP' for n in (o.short, f'--{o.long}') if n)
    value = f'={chr(92)}fI{roff(o.value)}{chr(92)}fP' if o.value else ''
    return f'.TP\n{names}{f"[{value}]" if o.optional else value}\n{roff(o.text)}\n'


def paragraphs(lines):
    """Text as paragraphs; indented lines are kept."""
    out = ''
    for line in lines:
        if not line:
            continue
        out += f'.PP\n.EX\n{roff(line)}\n.EE\n' if line.startswith('  ') else f'.PP\n{roff(line)}\n'
    return out.replace('.EE\n.PP\n.EX\n', '')


def section(c):
    out = f'.SS memtwin {" ".join(c.words)}\n.B memtwin {" ".join(c.words)}\n{roff(c.usage)}\n'
    out += paragraphs(c.text or [c.summary[0].upper() + c.summary[1:] + '.'])
    for heading, options in c.groups:
        shown = [o for o in options if o.long not in command.EVERY]
        if heading and shown:
            out += f'.PP\n{roff(heading)}:\n'
        out += ''.join(map(option, shown))
    return out + paragraphs(c.after)


def page(program, version):
    what = command.said(program, '--help').splitlines()[0].partition(': ')[2]
    out = [
        '.\\" SPDX-License-Identifier: Apache-2.0\n',
        f'.TH MEMTWIN 1 "" "memtwin {version}" "User Commands"\n',
        f'.SH NAME\nmemtwin \\- {roff(what)}\n',
        '.SH SYNOPSIS\n.B memtwin\n.I COMMAND\n.RI [ OPTION ...]\n',
        f'.SH DESCRIPTION\n{SYNTAX}\n',
        '.SH COMMANDS\n',
        *map(section, command.commands(program)),
        '.PP\nEvery command takes\n.B \\-\\-help\nand\n.BR \\-\\-usage .\n',
        '.SH EXIT STATUS\n',
        *(f'.TP\n.B {n}\n{text}\n' for n, text in STATUS),
        '.SH FILES\nBelow the prefix of the installation:\n',
        *(f'.TP\n.I {n}\n{text}\n' for n, text in FILES),
    ]
    return ''.join(out)
