# SPDX-License-Identifier: Apache-2.0
"""make artifact: the sources of the last commit as build/artifact/memtwin-VERSION.tar.xz, for a reviewer who may have no network.
DEBS=1 adds the Debian packages that the commands of README.md need, with an index that apt reads; make setup takes them from there.  They are
compressed already, so that archive is a plain one: memtwin-VERSION-debs.tar.
usage: python3 -B -m scripts.artifact.pack BUILD [--debs]

The archive depends on the commit alone (without the packages): files in the order of their names, with the time of the commit.  It is unpacked once
more into an empty folder, and its program must print the version of this one."""
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEBS = 'debs'  # scripts/setup.sh looks there, for packages and their index
INDEX = 'Packages'


def run(*command, cwd=ROOT):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'artifact: {" ".join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}')
    return done.stdout


def version():
    """(MAJOR.MINOR.PATCH of CHANGELOG.md, short name of the last commit of the sources)."""
    heading = re.search(r'^## (\S+)', (ROOT / 'CHANGELOG.md').read_text(), re.M)[1]
    return heading, run('git', 'log', '-1', '--format=%h', '--', 'cmodel', 'rtl', 'cosim', 'traces').strip()


def packages(folder):
    """Downloads the packages of make setup with all dependencies, as for an empty system."""
    names = sorted({p for f in ROOT.glob('*/packages.txt') for p in f.read_text().split()})
    (folder / 'partial').mkdir(parents=True, exist_ok=True)
    nothing = folder / 'status'
    nothing.write_text('')
    run(
        'apt-get',
        '-o',
        f'Dir::State::status={nothing}',
        '-o',
        f'Dir::Cache::archives={folder}',
        '-o',
        'Debug::NoLocking=1',
        '-y',
        '--no-install-recommends',
        '--download-only',
        'install',
        *names,
    )
    debs = sorted(folder.glob('*.deb'))
    (folder / INDEX).write_text('\n'.join(map(described, debs)))
    return [*debs, folder / INDEX]


def described(deb):
    """The entry of a package in the index."""
    data = deb.read_bytes()
    control = run('dpkg-deb', '--field', deb)
    return f'{control}Filename: ./{deb.name}\nSize: {len(data)}\nSHA256: {hashlib.sha256(data).hexdigest()}\n'


def pack(path, name, commit, debs):
    """The archive of HEAD, the commit's name (cmodel/cli/version.sh reads it where there is no git), and the packages."""
    time = int(run('git', 'log', '-1', '--format=%ct'))
    tree = subprocess.run(
        ['git', 'archive', '--format=tar', 'HEAD'], cwd=ROOT, stdout=subprocess.PIPE, check=True
    ).stdout
    files = {'.commit': (f'{commit}\n'.encode(), 0o644)}
    with tarfile.open(fileobj=io.BytesIO(tree)) as tar:
        files |= {m.name: (tar.extractfile(m).read(), m.mode & 0o777) for m in tar if m.isfile()}
    files |= {f'{DEBS}/{p.name}': (p.read_bytes(), 0o644) for p in debs}
    new = path.with_name(path.name + '.new')
    with tarfile.open(new, 'w') if debs else tarfile.open(new, 'w:xz', preset=6) as tar:
        for file in sorted(files):
            data, mode = files[file]
            info = tarfile.TarInfo(f'{name}/{file}')
            info.size, info.mode, info.mtime = len(data), mode, time
            tar.addfile(info, io.BytesIO(data))
    new.replace(path)


def check(path, name, wanted):
    """Unpacks the archive and builds the program there."""
    folder = path.parent / 'check'
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run('tar', 'xf', path, cwd=folder)
    run('make', '-s', '-j2', 'build/memtwin', cwd=folder / name)
    said = run(folder / name / 'build/memtwin', '--version').strip()
    if said != f'memtwin {wanted}':
        sys.exit(f'artifact: the unpacked program prints "{said}", expected "memtwin {wanted}"')
    shutil.rmtree(folder)


def main():
    build = Path(sys.argv[1])
    changed = run('git', 'status', '--porcelain', '--untracked-files=normal', '--', '.', ':!.ci')
    if changed:
        sys.exit(
            f'artifact: found changes ({len(changed.splitlines())} files), expected a clean tree: the archive is that of the last commit'
        )
    number, commit = version()
    folder = (ROOT / build / 'artifact').resolve()
    folder.mkdir(parents=True, exist_ok=True)
    debs, name = packages(folder / DEBS) if '--debs' in sys.argv else [], f'memtwin-{number}'
    path = folder / (f'{name}-debs.tar' if debs else f'{name}.tar.xz')
    pack(path, name, commit, debs)
    check(path, name, f'{number} ({commit})')
    print(f'{path}: {path.stat().st_size / 1e6:.1f} MB, commit {commit}')


if __name__ == '__main__':
    main()
