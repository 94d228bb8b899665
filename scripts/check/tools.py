# SPDX-License-Identifier: Apache-2.0
"""Rules that run a tool.  Tool output is printed unchanged.  A missing tool, or one that checked no file, is a failure."""
import os
import re
import subprocess

CLANG_FORMAT = '14'  # other versions break lines elsewhere
ANALYSED = ('cmodel', 'tests', 'traces', 'examples')


def run(tree, command, stdin=None):
    """Exit status and output."""
    environment = {k: v for k, v in os.environ.items() if k not in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')}
    try:
        r = subprocess.run(command, cwd=tree.root, input=stdin, capture_output=True, text=True, env=environment)
    except FileNotFoundError:
        return 127, [f'{command[0]}: not installed; make setup installs what scripts/packages.txt names']
    return r.returncode, [line for line in (r.stdout + r.stderr).splitlines() if line.strip()]


def formatted(tree):
    """C and C++ are as clang-format writes them"""
    _, version = run(tree, ['clang-format', '--version'])
    if not re.search(rf'version {CLANG_FORMAT}\.', version[0]):
        yield f'{version[0]}: expected version {CLANG_FORMAT}'
        return
    files = [n for n in tree.names if n.endswith(('.c', '.h', '.cpp', '.hpp'))]
    status, found = run(tree, ['clang-format', '--dry-run', '-Werror', *files])
    if status:
        yield from sorted(
            {line.split(':')[0] + ': clang-format -i writes it differently' for line in found if ': error:' in line}
        ) or found


def cppcheck(tree):
    """cppcheck finds no error, warning, performance or portability issue"""
    files = [n for folder in ANALYSED for n in tree.under(folder, '.c')]
    here = 'scripts/check'
    status, found = run(
        tree,
        [
            'cppcheck',
            '-j2',
            '--std=c11',
            '--enable=warning,performance,portability',
            '--error-exitcode=1',
            '-D__x86_64__',
            f'--include={here}/cppcheck.h',
            f'--suppressions-list={here}/cppcheck.txt',
            '-Icmodel',
            '-Icmodel/blocks',
            '-Itests',
            '--file-list=-',
            '--template={file}:{line}: {severity}: {message} [{id}]',
        ],
        '\n'.join(files),
    )
    checked = {m[1] for m in (re.match(r'Checking (\S+)[: ]', line) for line in found) if m}
    for n in sorted(set(files) - checked):
        yield f'{n}: was not analysed'
    said = [line for line in found if re.search(r': (error|warning|performance|portability): .*\[\w+\]$', line)]
    yield from dict.fromkeys(said)
    if status and not said:
        yield from found[-5:]


def of_blocks(tree):
    return [f'BLOCK={" ".join(tree.only)}'] if tree.only else []


def lint_rtl(tree):
    """RTL of every parameter set passes Verilator -Wall, Yosys and Icarus; its ports and registers are those listed"""
    status, found = run(tree, ['make', '-j2', '-k', 'lint-rtl', *of_blocks(tree)])
    if status or not re.search(r'lint-rtl: ([1-9]\d*) of \1 ', '\n'.join(found)):
        yield from [line for line in found if not line.startswith(('  LINT', 'make: Target', 'make: ***'))] or found


def legal_sizes(tree):
    """The rules between parameters in the manifests are those of the RTL (MT_PARAM_CHECK), at sizes on both sides of each"""
    status, found = run(tree, ['/usr/bin/python3', '-B', '-m', 'cosim.sizes', 'rules', 'build', *tree.only])
    if status or not re.search(r'^sizes: ([1-9]\d*) of \1 blocks passed', '\n'.join(found), re.M):
        yield from [line for line in found if line.startswith('FAIL')] or found


def port_comments(tree):
    """The comment of each port and parameter in the RTL is its meaning in the port list"""
    status, found = run(tree, ['make', '-j2', 'port-comments', *of_blocks(tree)])
    if status:
        yield from [line for line in found if not line.startswith('make: ***')] or found


def shell(tree):
    """Shell scripts are clean in shellcheck"""
    files = [n for n in tree.names if n.endswith('.sh') or re.match(r'#!.*\b(ba|da)?sh\b', tree.text(n)[:40])]
    status, found = run(tree, ['shellcheck', '-f', 'gcc', '-S', 'warning', *files])
    if status:
        yield from found


TOOLS = [formatted, cppcheck, lint_rtl, legal_sizes, port_comments, shell]
