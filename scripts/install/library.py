# SPDX-License-Identifier: Apache-2.0
"""Links libmemtwin from the objects of the program, as a shared object with versioned symbols and as an archive of one object.

The shared object exports the functions that memtwin.map lists (node MEMTWIN_n) and those that the twins' headers declare (node
MEMTWIN_BLOCKS_n); n is MAJOR of the version, as in the name of the library.  The archive has one object because kernels, presets and
policies register themselves: the linker must take all of them.  Every other symbol is local there, too."""
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
API, LIST = ROOT / 'cmodel/lib/memtwin.h', ROOT / 'cmodel/lib/memtwin.map'
LIBRARIES = ['-lzstd', '-llzma', '-lz', '-lxxhash', '-lm', '-lpthread']


class Wrong(Exception):
    """An error in one line: the place, the value found, the values allowed."""


def version():
    found = re.search(r'^## (\d+)\.(\d+)\.(\d+)$', (ROOT / 'CHANGELOG.md').read_text(), re.M)
    if not found:
        raise Wrong('CHANGELOG.md: found no heading "## MAJOR.MINOR.PATCH"')
    return found.groups()


def major():
    return version()[0]


def names():
    """Names of the shared object: the file, the name for loading, the name for linking."""
    return f'libmemtwin.so.{".".join(version())}', f'libmemtwin.so.{major()}', 'libmemtwin.so'


def declared(text):
    """The functions that a header declares and does not define."""
    text = re.sub(r'/\*.*?\*/|^\s*#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.S | re.M)
    return sorted(re.findall(r'^(?!static\b|typedef\b|BITS_FUNCTION\b)[a-z][\w ]*[ *](\w+)\([^;{}]*\);', text, re.M))


def block_headers():
    return sorted((ROOT / 'cmodel/blocks').glob('*.h'))


def of_blocks():
    return sorted({f for h in block_headers() for f in declared(h.read_text())})


def of_machine():
    """The list of memtwin.map; memtwin.h must declare the same functions."""
    text = LIST.read_text()
    node = re.search(r'^MEMTWIN_(\d+) \{\s*global:(.*?)local:', text, re.S | re.M)
    if not node or node[1] != major():
        raise Wrong(
            f'cmodel/lib/memtwin.map: found node MEMTWIN_{node[1] if node else ""}, expected MEMTWIN_{major()}, by CHANGELOG.md'
        )
    listed, header = re.findall(r'(\w+);', node[2]), declared(API.read_text())
    if listed != header:
        only = sorted(set(listed) ^ set(header))
        raise Wrong(
            f'cmodel/lib/memtwin.map: its list is not that of memtwin.h, in order: {" ".join(only) or "another order"}'
        )
    return listed


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f'{command[0]}: status {done.returncode}: {(done.stderr or done.stdout).strip()[:1000]}')
    return done.stdout


def link_shared(out, cc, objects):
    real, soname, _ = names()
    script = out / 'exports.map'
    script.write_text(
        f'{LIST.read_text()}MEMTWIN_BLOCKS_{major()} {{\n  global:\n'
        + ''.join(f'    {f};\n' for f in of_blocks())
        + '};\n'
    )
    run(
        cc,
        '-shared',
        f'-Wl,-soname,{soname}',
        f'-Wl,--version-script={script}',
        '-Wl,-Bsymbolic',
        '-Wl,-z,defs',
        '-Wl,-z,text',
        '-Wl,-z,relro',
        '-Wl,-z,now',
        '-Wl,--as-needed',
        '-Wl,--strip-debug',
        *objects,
        *LIBRARIES,
        '-o',
        str(out / real),
    )
    return out / real


def link_static(out, cc, objects):
    exports, one, archive = out / 'exports.txt', out / 'memtwin.o', out / 'libmemtwin.a'
    exports.write_text(''.join(f'{f}\n' for f in of_machine() + of_blocks()))
    run(cc, '-r', '-nostdlib', *objects, '-o', str(one))
    run('objcopy', '--strip-debug', f'--keep-global-symbols={exports}', str(one))
    archive.unlink(missing_ok=True)
    run('ar', 'rcsD', str(archive), str(one))
    return archive


def link(out, cc, objects):
    """The shared object and the archive, in folder `out`."""
    of_machine()
    out.mkdir(parents=True, exist_ok=True)
    return link_shared(out, cc, objects), link_static(out, cc, objects)
