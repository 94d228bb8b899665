# SPDX-License-Identifier: Apache-2.0
"""make release-selftest: each block's package builds in an empty folder, has valid links, and is reproducible; every tool detects a missing
file.  usage: python3 -B -m scripts.release.selftest BUILD [BLOCK ...]"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cosim import params
from scripts.release import pack
from scripts.release.pack import Package

BUILD = sys.argv[1]
PLANTED = 'gmmu'  # has parts, cells and headers
passed = failed = 0


def expect(name, ok, said=''):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f'{"PASS" if ok else "FAIL"} release-selftest {name}{"" if ok else ": " + str(said).strip()[-400:]}', flush=True)


def broken_links(folder):
    """Relative links in the documents without a target."""
    for page in folder.rglob('*.md'):
        for _, target in pack.LINK.findall(page.read_text()):
            if not target.startswith(('http:', 'https:', '#')) and not (page.parent / target.split('#')[0]).exists():
                yield f'{page.relative_to(folder)}: {target}'


def broken_cores(folder):
    """Files and cores that a FuseSoC core names and the package lacks."""
    cores = {f'memtwin:rtl:{p.stem}' for p in folder.glob('rtl/*/*.core')}
    for core in folder.glob('rtl/*/*.core'):
        text = core.read_text()
        yield from (f'{core.name}: {f}' for f in re.findall(r'- ([\w.]+\.svh?)\b', text) if not (core.parent / f).exists())
        yield from (f'{core.name}: {d}' for d in re.findall(r'memtwin:rtl:\w+', text) if d not in cores)


def package(block):
    archive = Package(block).archive()
    with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
        folder = pack.unpacked(archive, where)
        done = subprocess.run(['./check.sh'], cwd=folder, capture_output=True, text=True)
        expect(f'{block}: builds in an empty folder', done.returncode == 0 and 'skip' not in done.stdout, done.stdout + done.stderr)
        wrong = [*broken_links(folder), *broken_cores(folder)]
        expect(f'{block}: links and cores lead somewhere', not wrong and folder.name == f'memtwin-{block}-{pack.version()}', wrong)
    expect(f'{block}: the same bytes twice', Package(block).archive() == archive)


def planted():
    """Deletes a file or changes a byte: the tool in charge must detect it."""
    with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
        folder = pack.unpacked(Package(PLANTED).archive(), where)
        for gone in (('rtl/cap/mt_cap.sv', 'cmodel/blocks/lease_table.h'), ('rtl/lib/mt_assert.svh', 'cmodel/blocks/bits.h')):
            kept = {name: (folder / name).read_bytes() for name in (*gone, 'SHA256SUMS')}
            for name in kept:
                (folder / name).unlink()
            done = subprocess.run(['./check.sh'], cwd=folder, capture_output=True, text=True)
            expect(f'without {" and ".join(gone)} every tool fails', done.returncode != 0 and all(f'FAIL {t} ' in done.stdout for t in ('verilator', 'iverilog', 'yosys', 'cc')), done.stdout)
            for name, data in kept.items():
                (folder / name).write_bytes(data)
        (folder / 'README.md').write_text((folder / 'README.md').read_text() + '[x](nothing.md)\n')
        done = subprocess.run(['./check.sh'], cwd=folder, capture_output=True, text=True, env={'PATH': str(tools_of(where, 'sha256sum', 'sed', 'basename', 'tr', 'mktemp', 'rm', 'head', 'dirname'))})
        expect('a file that was changed is seen; tools that are missing are named', done.returncode != 0 and 'FAIL every file' in done.stdout and 'skip yosys' in done.stdout, done.stdout + done.stderr)
        expect('a link that leads nowhere is seen', list(broken_links(folder)) == ['README.md: nothing.md'])


def tools_of(where, *names):
    """A folder with only these programs."""
    folder = Path(where) / 'bin'
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def refused(name, text, *arguments):
    done = subprocess.run([sys.executable, '-B', '-m', 'scripts.release.pack', BUILD, *arguments], capture_output=True, text=True)
    expect(name, done.returncode != 0 and text in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)


def main():
    refused('an unknown block is refused', 'found "gmmuu", expected one of', 'gmmuu')
    refused('no block is refused', 'BLOCK: found "", expected one of', '')
    refused('another kind of file is refused', 'expected a file NAME.tar.xz', 'mshr', '--out', f'{BUILD}/mshr.zip')
    refused('a file that cannot be written is refused', 'release: ', 'mshr', '--out', '/proc/nothing/mshr.tar.xz')
    own, package_of = (Path(BUILD) / f'release-selftest/{name}.tar.xz' for name in ('own', 'package'))
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("a user's")
    package_of.write_bytes(Package('mshr').archive())
    refused("a user's file is kept", 'found a file that is no package', 'mshr', '--out', str(own))
    expect('a package is replaced', own.read_text() == "a user's" and pack.target(str(package_of), None, BUILD) == package_of)
    try:
        for block in sys.argv[2:]:
            package(block)
    except params.ParamError as e:
        sys.exit(f'release-selftest: {e}')
    planted()
    print(f'release-selftest: {passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
