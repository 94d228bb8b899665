# SPDX-License-Identifier: Apache-2.0
"""make release: one block and its parts as a self-contained package.  It is checked in an empty folder before it is written; equal sources
give equal bytes.  usage: python3 -B -m scripts.release.pack BUILD BLOCK [--out FILE]"""
import argparse
import hashlib
import io
import lzma
import os
import posixpath
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from cosim import manifest, params, parts
from synth import filelists
from tb.dpi.faces import Face, FaceError, files_of, predictor
from tb.prove.tool import ToolError

ROOT = Path(__file__).resolve().parent.parent.parent

HERE = Path(__file__).parent
SUFFIX = '.tar.xz'
EPOCH = 946684800  # mtime of every file: 2000-01-01, so that the bytes depend on the contents only
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LINK = re.compile(r'(?<!!)\[([^\][]+)\]\(([^()\s]+)\)')
PAPERS = 'docs/papers.md'
README = '''# {name} of memtwin {version}

{about}. [README of the block](rtl/{name}/README.md).

    ./check.sh                    # builds everything here with the tools that are installed, and runs the RTL beside its twin

| here | contents |
| --- | --- |
| `rtl/{name}/{name}.f` | the list of its sources for simulators and synthesis; paths from this folder. Top module: `{module}` |
| `rtl/*/*.core` | the same for FuseSoC: `fusesoc --cores-root . run --target=lint memtwin:rtl:{name}` |
| `rtl/*` | SystemVerilog: the block, {parts}and the cells of `rtl/lib` that it uses |
| `cmodel/blocks` | the twin in C, bit-accurate, and the one list of its ports, parameters and registers: [`{name}.h`](cmodel/blocks/{name}.h) |
| `bench` | the twin as a SystemVerilog module with the pins of `{module}`, over DPI-C, and a bench that runs it beside the RTL; a predictor for UVM, compiled but not run |
| `docs/papers.md` | the papers that the READMEs cite |

The tests of the block, its proofs and the commands that the READMEs name are in the repository of memtwin. License: [Apache-2.0](LICENSE).

## Parameters

| parameter | default | from | to |
| --- | ---: | ---: | ---: |
{parameters}

Sets of parameters that are tested:

{sets}
'''


class Package:
    """The files of a block's package: path -> contents."""

    def __init__(self, block, build='build'):
        params.known_block(block, 'BLOCK')
        self.block, self.sources = block, filelists.Sources(ROOT)
        self.blocks = self.needed(block)
        self.files = {}
        self.rtl()
        self.twins()
        self.bench(Path(build))
        for name in ['LICENSE', PAPERS, *(f'rtl/{b}/README.md' for b in self.blocks)]:
            self.copy(name)
        self.files['check.sh'] = (HERE / 'check.sh').read_bytes()
        self.files['README.md'] = self.readme().encode()
        self.links()
        self.files['SHA256SUMS'] = ''.join(
            f'{hashlib.sha256(data).hexdigest()}  {name}\n' for name, data in sorted(self.files.items())
        ).encode()

    def needed(self, block):
        """The block and its parts, recursively."""
        return list(dict.fromkeys([block, *(b for part in parts.of(block, ROOT) for b in self.needed(part))]))

    def copy(self, name):
        self.files[name] = (ROOT / name).read_bytes()

    def rtl(self):
        """Sources, properties and lists of the blocks; the cells of rtl/lib that they use."""
        modules = list(dict.fromkeys(m for b in self.blocks for m in self.sources.of(manifest.module(b))))
        cells = [m for m in modules if self.sources.path[m].parts[1] == 'lib']
        own = [m for m in modules if m not in cells]
        formal = [f for b in self.blocks for f in (f'rtl/{b}/{manifest.module(b)}_formal.sv',) if (ROOT / f).exists()]
        checkers = [
            m for f in formal for m in self.sources.instances.findall((ROOT / f).read_text()) if m not in modules
        ]
        headers = self.sources.includes(modules)
        for name in [
            *(str(self.sources.path[m]) for m in own + cells + checkers),
            *formal,
            *(f'rtl/lib/{h}' for h in headers),
            *(f'rtl/{b}/{b}.core' for b in self.blocks),
        ]:
            self.copy(name)
        for b in self.blocks:
            self.files[f'rtl/{b}/{b}.f'] = filelists.file_list(self.sources, b).encode()
        self.files['rtl/lib/lib.core'] = filelists.core(
            'lib', 'Cells that the blocks share', sorted({*cells, *checkers}), headers, [], ''
        ).encode()

    def twins(self):
        """The twins and every header that they include."""
        names = [f'{b}.{kind}' for b in self.blocks for kind in ('c', 'h')]
        while names:
            name = f'cmodel/blocks/{names.pop()}'
            if name not in self.files:
                self.copy(name)
                names += INCLUDE.findall(self.files[name].decode())

    def bench(self, build):
        """The twin behind DPI-C and the bench beside the RTL, at the first parameter set."""
        name, chosen = next(iter(manifest.read(self.block).sets.items()))
        face = Face(self.block, name, chosen, build)
        texts = files_of(face) | {f'mt_{self.block}_uvm_pkg.sv': predictor(face)}
        self.files |= {f'bench/{n}': text.encode() for n, text in texts.items()}

    def readme(self):
        listed = manifest.read(self.block)
        about = filelists.about(self.sources.text[manifest.module(self.block)])
        used = ', '.join(f'[{b}](rtl/{b}/README.md)' for b in self.blocks[1:])
        sets = '\n'.join(
            f'- `{n}`: {" ".join(f"{k}={v}" for k, v in p.items()) or "the defaults"}' for n, p in listed.sets.items()
        )
        rows = '\n'.join(
            f'| {n} | {default} | {low} | {high} |' for n, (default, low, high) in params.limits(self.block).items()
        )
        return README.format(
            name=self.block,
            version=version(),
            about=about,
            module=manifest.module(self.block),
            parts=f'its parts ({used}) ' if used else '',
            parameters=rows,
            sets=sets,
        )

    def links(self):
        """Links to files outside the package become plain text."""
        for name in [n for n in self.files if n.endswith('.md')]:
            text = self.files[name].decode()
            self.files[name] = LINK.sub(lambda m: m[0] if self.has(name, m[2]) else m[1], text).encode()

    def has(self, name, target):
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target.split('#')[0]))
        return (
            target.startswith(('http:', 'https:', '#'))
            or path in self.files
            or any(n.startswith(path + '/') for n in self.files)
        )

    def name(self):
        return f'memtwin-{self.block}-{version()}'

    def archive(self):
        """The bytes of the package."""
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode='w', format=tarfile.USTAR_FORMAT) as tar:
            for name, text in sorted(self.files.items()):
                entry = tarfile.TarInfo(f'{self.name()}/{name}')
                entry.size, entry.mtime, entry.mode = len(text), EPOCH, 0o755 if name.endswith('.sh') else 0o644
                tar.addfile(entry, io.BytesIO(text))
        return lzma.compress(data.getvalue(), preset=9)


def version():
    """The first heading of CHANGELOG.md, as `memtwin --version` prints it."""
    return re.search(r'^## (\S+)', (ROOT / 'CHANGELOG.md').read_text(), re.M)[1]


def unpacked(archive, where):
    """The folder extracted by tar."""
    subprocess.run(['tar', '-xJf', '-', '-C', str(where)], input=archive, check=True)
    return next(Path(where).iterdir())


def checked(archive):
    """Runs check.sh in an empty folder outside this tree.  (passed, output)"""
    with tempfile.TemporaryDirectory(prefix='memtwin-release-') as where:
        done = subprocess.run(['./check.sh'], cwd=unpacked(archive, where), capture_output=True, text=True)
        return done.returncode == 0, done.stdout + done.stderr


def ours(path):
    """Whether a file is a package, which may be overwritten."""
    try:
        with tarfile.open(path, 'r:xz') as tar:
            return tar.next().name.startswith('memtwin-')
    except (tarfile.TarError, lzma.LZMAError, EOFError, AttributeError):
        return False


def target(out, package, build):
    """The file to write."""
    path = Path(out) if out else Path(build) / 'release' / f'{package.name()}{SUFFIX}'
    if not path.name.endswith(SUFFIX) or path.is_dir():
        raise params.ParamError(
            f'OUT={out}: found {"a folder" if path.is_dir() else f"a name without {SUFFIX}"}, expected a file NAME{SUFFIX}'
        )
    if path.exists() and not ours(path):
        raise params.ParamError(
            f'OUT={out}: found a file that is no package of memtwin, expected a new name or a package'
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write(path, data):
    new = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        new.write_bytes(data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('block')
    p.add_argument('--out')
    args = p.parse_args()
    try:
        package = Package(args.block, args.build)
        path = target(args.out, package, args.build)
        archive = package.archive()
        ok, said = checked(archive)
        if not ok:
            sys.exit(f'FAIL release {args.block}: its package does not build by itself:\n{said}')
        write(path, archive)
    except (params.ParamError, FaceError, ToolError) as e:
        sys.exit(f'release: {e}')
    except OSError as e:
        sys.exit(f'release: {e.filename}: {e.strerror}')
    print(
        f'{said.splitlines()[-1]}\nPASS release {args.block}: {len(package.files)} files; written: {path}\n     sha256 {hashlib.sha256(archive).hexdigest()}'
    )


if __name__ == '__main__':
    main()
