# SPDX-License-Identifier: Apache-2.0
"""make release-selftest: each block's package builds in an empty folder, has valid links, and is reproducible; every tool detects a missing
file.  usage: python3 -B -m scripts.release.selftest BUILD [BLOCK ...]"""
import re
import shutil
import sys
import tempfile
from pathlib import Path

from cosim import manifest
from scripts.release import pack
from scripts.release.pack import Package
from scripts.testing import PYTHON, Checks, main, run

BUILD = sys.argv[1]
PLANTED = 'gmmu'  # has parts, cells and headers


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
        yield from (
            f'{core.name}: {f}' for f in re.findall(r'- ([\w.]+\.svh?)\b', text) if not (core.parent / f).exists()
        )
        yield from (f'{core.name}: {d}' for d in re.findall(r'memtwin:rtl:\w+', text) if d not in cores)


def tools_of(where, *names):
    """A folder with only these programs."""
    folder = Path(where) / 'bin'
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return folder


class Packages(Checks):
    def refused(self, name, text, *arguments):
        self.ended(name, run(*PYTHON, 'scripts.release.pack', BUILD, *arguments), False, text, lines=1)

    def package(self, block):
        archive = Package(block, BUILD).archive()
        with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
            folder = pack.unpacked(archive, where)
            done = run('./check.sh', cwd=folder)
            self.expect(f'{block}: builds in an empty folder', done.status == 0 and 'skip' not in done.out, done.said)
            self.expect(
                f'{block}: runs beside its twin there', f'ok   lockstep {block}: RTL and twin' in done.out, done.said
            )
            wrong = [*broken_links(folder), *broken_cores(folder)]
            self.expect(
                f'{block}: links and cores lead somewhere',
                not wrong and folder.name == f'memtwin-{block}-{pack.version()}',
                wrong,
            )
        self.expect(f'{block}: the same bytes twice', Package(block, BUILD).archive() == archive)

    def test_refusals(self):
        self.refused('an unknown block is refused', 'found "gmmuu", expected one of', 'gmmuu')
        self.refused('no block is refused', 'BLOCK: found "", expected one of', '')
        self.refused(
            'another kind of file is refused', 'expected a file NAME.tar.xz', 'mshr', '--out', f'{BUILD}/mshr.zip'
        )
        self.refused(
            'a file that cannot be written is refused', 'release: ', 'mshr', '--out', '/proc/nothing/mshr.tar.xz'
        )
        own, package_of = (Path(BUILD) / f'release-selftest/{name}.tar.xz' for name in ('own', 'package'))
        own.parent.mkdir(parents=True, exist_ok=True)
        own.write_text("a user's")
        package_of.write_bytes(Package('mshr', BUILD).archive())
        self.refused("a user's file is kept", 'found a file that is no package', 'mshr', '--out', str(own))
        self.expect(
            'a package is replaced',
            own.read_text() == "a user's" and pack.target(str(package_of), None, BUILD) == package_of,
        )

    def test_packages(self):
        for block in sys.argv[2:]:
            self.package(block)

    def test_lockstep(self):
        """A bug in the RTL of a package: its bench finds it."""
        with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
            folder = pack.unpacked(Package('warp_quota', BUILD).archive(), where)
            bug = next(
                b for b in manifest.read('warp_quota').bugs if b.name == 'rtl-refill'
            )  # at the first parameter set
            manifest.plant(bug, folder)
            done = run('./check.sh', cwd=folder)
            self.expect(
                'a bug in the RTL is found in lockstep',
                done.status != 0 and 'FAIL lockstep warp_quota' in done.out and 'rtl=0x' in done.out,
                done.said,
            )

    def test_planted(self):
        """Deletes a file or changes a byte: the tool in charge must detect it."""
        with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
            folder = pack.unpacked(Package(PLANTED, BUILD).archive(), where)
            for gone in (
                ('rtl/cap/mt_cap.sv', 'cmodel/blocks/lease_table.h'),
                ('rtl/lib/mt_assert.svh', 'cmodel/blocks/bits.h'),
            ):
                kept = {name: (folder / name).read_bytes() for name in (*gone, 'SHA256SUMS')}
                for name in kept:
                    (folder / name).unlink()
                done = run('./check.sh', cwd=folder)
                self.expect(
                    f'without {" and ".join(gone)} every tool fails',
                    done.status != 0
                    and all(f'FAIL {t} ' in done.out for t in ('verilator', 'iverilog', 'yosys', 'cc')),
                    done.out,
                )
                for name, data in kept.items():
                    (folder / name).write_bytes(data)
            (folder / 'README.md').write_text((folder / 'README.md').read_text() + '[x](nothing.md)\n')
            done = run(
                './check.sh',
                cwd=folder,
                env={
                    'PATH': str(
                        tools_of(where, 'sha256sum', 'sed', 'basename', 'tr', 'mktemp', 'rm', 'head', 'dirname')
                    )
                },
            )
            self.expect(
                'a file that was changed is seen; tools that are missing are named',
                done.status != 0 and 'FAIL every file' in done.out and 'skip yosys' in done.out,
                done.said,
            )
            self.expect('a link that leads nowhere is seen', list(broken_links(folder)) == ['README.md: nothing.md'])


if __name__ == '__main__':
    sys.exit(main('release-selftest', Packages))
