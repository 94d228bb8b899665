# SPDX-License-Identifier: Apache-2.0
"""make documented: runs every memtwin command of the documents as written, in one folder per document.  Machine runs are cut
after CUT cycles; DEEP=1 runs them in full.  (The rule "tested" of make check covers make targets.)
A document shows the output of a command between <!-- output: COMMAND --> and <!-- /output -->; it is compared, UPDATE=1 writes it.
usage: python3 -B -m scripts.documented BUILD [--full] [--update] [DOCUMENT ...]"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from scripts.check.check import Tree, files
from scripts.check.documents import code_lines, documents

ROOT = Path(__file__).resolve().parent.parent

CUT = 20000
# Input files of commands: name, and the command or text that creates it.
READ = {
    'traces/app': 'memtwin trace export vecadd:n=4096 -o traces/app',
    'my/gpgpusim.config': 'memtwin config --preset gpgpusim --format gpgpusim -o my',
    'SM7_QV100/gpgpusim.config': 'memtwin config --preset gpgpusim --format gpgpusim -o SM7_QV100',
    'accesses.txt': "printf 'R 1 10\\nR 1 11\\nF 1\\n' >accesses.txt",
}
# (document, word of the command): reason for skipping it; DEEP=1 skips none of LONG.
ADDED = {
    ('docs/your-mechanism.md', 'srrip'): 'make additions adds that policy first',
    ('docs/own-rtl.md', 'build/own'): 'make own-selftest runs this page',
}
LONG = {('docs/uvm-study.md', 'capse:'): '48 runs of large inputs, minutes: DEEP=1 runs it'}


def shown(tree, name):
    """(line, command) of each memtwin command; with optional words, once without and once with them."""
    for k, text in code_lines(tree, name):
        if re.match(r'(\$ )?(printf .*\| *)?(build/)?memtwin(-rtl)? ', text):
            text = text.removeprefix('$ ')
            yield k, re.sub(r' \[[^]]*\]', '', text)
            if '[' in text:
                yield k, re.sub(r'[][]', '', text)


def cut(text):
    """The same command with a cycle limit, if it accepts one (not with unified memory) and may run for long."""
    is_cut = re.search(r'memtwin(-rtl)? (run|cke) ', text) and not re.search(
        r'--until-end|--pool|--blocks|uvm|traces/small/', text
    )
    return f'{text} -s cke.cycles={CUT}' if is_cut else text


OUTPUT = re.compile(r'(<!-- output: (?P<command>.*?) -->\n```\n)(?P<body>.*?)(```\n<!-- /output -->)', re.S)


def outputs(name, update):
    """(line, command, whether its current output equals the document's) of each mark; writes differences on request."""
    path, found = ROOT / name, []
    text = path.read_text(encoding='utf-8')

    def printed(match):
        done = subprocess.run(
            ['bash', '-c', match['command']],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        new = done.stdout if not done.returncode else match['body']
        found.append(
            (
                text.count('\n', 0, match.start()) + 1,
                match['command'],
                not done.returncode and (update or new == match['body']),
            )
        )
        return match[1] + new + match[4]

    new = OUTPUT.sub(printed, text)
    if update and new != text:
        path.write_text(new, encoding='utf-8')
    return found


class Folder:
    def __init__(self, build, name):
        self.path = build / 'documented' / name.replace('/', '-')
        shutil.rmtree(self.path, ignore_errors=True)
        (self.path / 'traces').mkdir(parents=True)
        (self.path / 'build').symlink_to(build)
        (self.path / 'traces/small').symlink_to(ROOT / 'traces/small')
        self.env = {**os.environ, 'PATH': f'{build}:{os.environ["PATH"]}'}

    def run(self, text):
        return subprocess.run(
            ['bash', '-o', 'pipefail', '-c', text],
            cwd=self.path,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )


def main():
    parser = argparse.ArgumentParser(prog='documented')
    parser.add_argument('build')
    parser.add_argument('--full', action='store_true')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('documents', nargs='*')
    options = parser.parse_args()
    build, tree = Path(options.build).resolve(), Tree(ROOT, files(ROOT))
    passed = failed = 0
    for name in options.documents or documents(tree):
        for k, text, good in outputs(name, options.update):
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(
                    f'FAIL documented {name}:{k}: {text} prints something else, or fails; make documented UPDATE=1 writes it'
                )
        folder = None
        for k, text in shown(tree, name):
            without = ADDED if options.full else ADDED | LONG
            why = next((why for (document, word), why in without.items() if document == name and word in text), None)
            if why:
                print(f'left out {name}:{k}: {why}')
                continue
            if not folder:
                folder = Folder(build, name)
            for path, how in READ.items():
                if path in text and not (folder.path / path).exists():
                    folder.run(how).check_returncode()
            done = folder.run(text if options.full else cut(text))
            passed, failed = passed + (not done.returncode), failed + bool(done.returncode)
            if done.returncode:
                print(f'FAIL documented {name}:{k}: {text}\n  status {done.returncode}: {done.stderr.strip()[-400:]}')
    print(f'documented: {passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
