#!/usr/bin/python3
"""make check: the rules of the house, then the tools (format, cppcheck); make check-selftest plants what each must catch."""
import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from rules import RULES, Tree, face_table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHOWN = 20


def tracked(root):
    out = subprocess.run(['git', 'ls-files', '-z'], cwd=root, capture_output=True, text=True, check=True).stdout
    return [n for n in out.split('\0') if n and (root / n).is_file()]


def run(root, command):
    r = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return [line for line in (r.stdout + r.stderr).splitlines() if line.strip()] if r.returncode else []


def formatted(tree):
    """C and C++ that clang-format would write otherwise"""
    files = [n for n in tree.names if n.endswith(('.c', '.h', '.cpp', '.hpp'))]
    found = run(tree.root, ['clang-format', '--dry-run', '-Werror', *files])
    return [line for line in found if ': error:' in line or 'clang-format' in line[:12]]


def cppcheck(tree):
    """What cppcheck finds in the C"""
    command = ['cppcheck', '-q', '--std=c11', '--enable=warning', '--inline-suppr', '--error-exitcode=1', f'--suppressions-list={HERE}/cppcheck.txt',
               '--template={file}:{line}: {severity}: {message} [{id}]', '-Icmodel', '-Icmodel/blocks', 'cmodel']
    return [line for line in run(tree.root, command) if line.endswith(']')]


def check(tree, rules):
    passed = failed = 0
    for rule in rules:
        found = list(rule(tree))
        passed, failed = passed + (not found), failed + bool(found)
        print(f'{"FAIL" if found else "ok":5s}{rule.__name__:10s}{rule.__doc__}' + (f': {len(found)}' if found else ': none'))
        for line in found[:SHOWN]:
            print(f'     {line}')
    return passed, failed


# Rule -> file, what is appended to it (None: the file is taken away), part of what must be said.
PLANTS = [
    ('faces', 'rtl/mshr/README.md', None, 'rtl/mshr: no readme'),
    ('faces', 'cosim/dl_mshr.cpp', None, 'rtl/dl_mshr: no cosim'),
    ('faces', 'rtl/mshr/mshr_formal.sv', None, 'rtl/mshr: no formal'),
    ('faces', 'rtl/planted/planted.sv', 'module planted; endmodule\n', 'rtl/planted: no twin'),
    ('includes', 'cmodel/blocks/mshr.c', '#include <stdio.h>\n', '<stdio.h>'),
    ('includes', 'cmodel/blocks/mshr.c', '#include "base/error.h"\n', 'base/error.h'),
    ('includes', 'cmodel/trace/info.c', '#include "system/unit.h"\n', 'system/unit.h'),
    ('includes', 'cmodel/system/config.c', '#include "cli/command.h"\n', 'cli/command.h'),
    ('includes', 'cosim/run.cpp', '#include "system/gpu.h"\n', 'system/gpu.h'),
    ('includes', 'rtl/mshr/mshr.sv', '`include "dl_mshr_dau.sv"\n', 'dl_mshr_dau.sv'),
    ('prints', 'cmodel/system/config.c', 'void planted(void) { printf("x"); }\n', 'printf'),
    ('prints', 'cmodel/base/error.c', 'void planted(void) { exit(1); }\n', 'exit'),
    ('prints', 'cmodel/blocks/mshr.c', 'void *planted(void) { return malloc(1); }\n', 'heap'),
    ('languages', 'cmodel/system/planted.cpp', 'int planted;\n', 'planted.cpp'),
    ('words', 'cmodel/system/config.c', '/* TO' 'DO: planted */\n', 'TO' 'DO'),
    ('words', 'scripts/packages.txt', '/wo' 'rk/planted\n', '/wo' 'rk/'),
    ('sizes', 'rtl/mshr/mshr.sv', '// planted\n' * 400, 'limit is 400'),
    ('sizes', 'cmodel/system/config.c', '/* planted */\n' * 600, 'limit is 600'),
    ('targets', 'scripts/planted.mk', 'planted-target: ## planted\n\t@true\n', 'not .PHONY'),
    ('targets', 'rtl/mshr/README.md', '`make planted-target`\n', 'make planted-target'),
    ('formatted', 'cmodel/system/config.c', 'int  planted( void );\n', 'config.c'),
    ('cppcheck', 'cmodel/system/config.c', 'int planted(void);\nint planted(void)\n{\n    int a[2] = {0, 0};\n    return a[2];\n}\n', 'config.c'),
]


def selftest(rules, out):
    """Each rule, on a copy of the tree with one violation: it must say so, and of the copy without it must not."""
    names = tracked(ROOT)
    shutil.rmtree(out, ignore_errors=True)
    for n in names:
        (out / n).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / n, out / n)
    by_name = {r.__name__: r for r in rules}
    passed = failed = 0
    for rule, name, text, said in PLANTS:
        path, before = out / name, None
        new = name not in names
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None or not new:
            before = path.read_text()
        clean = list(by_name[rule](Tree(out, names)))
        if text is not None:
            path.write_text((before or '') + text)
        now = [n for n in names if text is not None or n != name] + ([name] if new else [])
        found = [line for line in by_name[rule](Tree(out, now)) if line not in clean]
        ok = any(said in line for line in found)
        passed, failed = passed + ok, failed + (not ok)
        print(f'{"ok" if ok else "FAIL":5s}{rule:10s}{name}: ' + (found[0] if found else 'nothing was said'))
        if new:
            path.unlink()
        else:
            path.write_text(before)
    unplanted = set(by_name) - {p[0] for p in PLANTS}
    for rule in sorted(unplanted):
        print(f'FAIL {rule}: no violation of it is planted')
    return passed, failed + len(unplanted)


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--selftest', action='store_true')
    a.add_argument('--out', default='build/check')
    args = a.parse_args()
    rules = [*RULES, formatted, cppcheck]
    if args.selftest:
        passed, failed = selftest(rules, ROOT / args.out / 'tree')
    else:
        tree = Tree(ROOT, tracked(ROOT))
        print('\n'.join(face_table(tree)))
        passed, failed = check(tree, rules)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
