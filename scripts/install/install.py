# SPDX-License-Identifier: Apache-2.0
"""make install, make uninstall: the program, the library, headers, RTL, examples, manual page and completion under DESTDIR/PREFIX.
usage: python3 -B -m scripts.install.install install|uninstall PREFIX DESTDIR BUILD CC PROGRAM OBJECT...

Everything is written to a folder next to its destination, then renamed file by file, so a failure leaves the tree unchanged.
share/memtwin/installed lists the files; uninstall removes these, and folders that become empty."""
import os
import shutil
import sys
from pathlib import Path

from scripts.install import completion, library, manual
from scripts.install.library import ROOT, Wrong
from synth import filelists

LIST = 'share/memtwin/installed'
PC = '''# SPDX-License-Identifier: Apache-2.0
prefix={prefix}
exec_prefix=${{prefix}}
libdir=${{prefix}}/lib
includedir=${{prefix}}/include
datadir=${{prefix}}/share/memtwin

Name: memtwin
Description: Cycle-level GPU memory systems, and bit-accurate twins of their hardware blocks
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -lmemtwin
Libs.private: {libraries}
'''


def both_languages(text):
    """Wraps the declarations of a twin's header in extern "C", for C++."""
    lines = text.splitlines(keepends=True)
    begin = 1 + max(i for i, line in enumerate(lines) if line.startswith(('#include', '#define MEMTWIN_')))
    end = max(i for i, line in enumerate(lines) if line.startswith('#endif'))
    lines[begin:end] = [
        '\n#ifdef __cplusplus\nextern "C" {\n#endif\n',
        *lines[begin:end],
        '\n#ifdef __cplusplus\n}\n#endif\n',
    ]
    return ''.join(lines)


def headers():
    found = {f'include/memtwin/{p.name}': p.read_text() for p in library.block_headers()}
    wrapped = {n: both_languages(t) if library.declared(t) else t for n, t in found.items()}
    systemc = {
        f'include/memtwin/{n}': (ROOT / 'tb' / folder / n).read_text()
        for folder, n in (('tlm', 'tlm.hpp'), ('systemc', 'twin_module.hpp'))
    }
    return {**wrapped, 'include/memtwin/memtwin.h': library.API.read_text(), **systemc}


def tree(folder, to, *suffixes):
    return {
        f'{to}/{p.relative_to(ROOT / folder)}': p
        for p in sorted((ROOT / folder).rglob('*'))
        if p.is_file() and p.name.endswith(suffixes)
    }


def layout(prefix, build, cc, program, objects):
    """Path below the prefix -> a file, a text, or the file that a link names."""
    shared, archive = library.link(build / 'lib', cc, objects)
    stripped, sources = build / 'lib/memtwin', filelists.Sources(ROOT)
    library.run('objcopy', '--strip-debug', program, str(stripped))
    version = '.'.join(library.version())
    found = {
        'bin/memtwin': stripped,
        f'lib/{shared.name}': shared,
        'lib/libmemtwin.a': archive,
        **headers(),
        'lib/pkgconfig/memtwin.pc': PC.format(prefix=prefix, version=version, libraries=' '.join(library.LIBRARIES)),
        'share/man/man1/memtwin.1': manual.page(program, version),
        'share/bash-completion/completions/memtwin': completion.script(program),
        **tree('rtl', 'share/memtwin/rtl', '.sv', '.svh', '.core'),
        **{f'share/memtwin/rtl/{b}/{b}.f': filelists.file_list(sources, b) for b in sources.blocks()},
        **tree('examples', 'share/doc/memtwin/examples', ''),
        'share/memtwin/python/memtwin.py': ROOT / 'scripts/results/memtwin.py',
        **{f'share/doc/memtwin/{n}': ROOT / n for n in ('LICENSE', 'CHANGELOG.md')},
        'share/doc/memtwin/library.md': ROOT / 'cmodel/lib/README.md',
    }
    for name in library.names()[1:]:
        found[f'lib/{name}'] = ('link', shared.name)
    return found


def put(path, what):
    """Writes a file of the layout."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(what, tuple):
        path.symlink_to(what[1])
    elif isinstance(what, str):
        path.write_text(what)
        path.chmod(0o644)
    else:
        shutil.copyfile(what, path)
        path.chmod(0o755 if os.access(what, os.X_OK) else 0o644)


def root_of(prefix, destdir):
    """The checked folder to write to, and PREFIX as seen by programs."""
    if not prefix.startswith('/') or any(c.isspace() or c in '"\'$\\#' for c in prefix):
        raise Wrong(f'PREFIX: found "{prefix}", expected an absolute path without blanks, quotes, $, \\ and #')
    if destdir and not destdir.startswith('/'):
        raise Wrong(f'DESTDIR: found "{destdir}", expected an absolute path, or none')
    root = Path(f'{destdir}{os.path.normpath(prefix)}')
    there = next(p for p in (root, *root.parents) if os.path.lexists(p))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise Wrong(
            f'{root}: {there} is {"not writable" if there.is_dir() else "no folder"}, expected a folder to write into'
        )
    return root


def listed(root):
    """The files of an installation, from its list; empty without a list."""
    path = root / LIST
    names = path.read_text().splitlines() if path.is_file() else []
    for n in names:
        if n.startswith('/') or '..' in n.split('/'):
            raise Wrong(f'{path}: found "{n}", expected paths below {root}')
    return names


def remove(root, names):
    for n in names:
        (root / n).unlink(missing_ok=True)
    for folder in sorted(
        {p for n in names for p in (root / n).parents if root in p.parents}, key=lambda p: -len(p.parts)
    ):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def stage(root, files):
    """All files in a folder on the same file system.  On a failure it is removed, with the folders created for it."""
    missing = [p for p in (root, *root.parents) if not p.exists()]
    staged = root / f'.memtwin.{os.getpid()}'
    try:
        staged.mkdir(parents=True)
        for name, what in files.items():
            put(staged / name, what)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        for folder in missing:
            if folder.is_dir():
                folder.rmdir()
        raise
    return staged


def blocked(root, files):
    """A destination that is a folder, or that is below a file."""
    for name in files:
        path = root / name
        for p in (path, *(q for q in path.parents if root in q.parents)):
            if os.path.lexists(p) and (p.is_dir() and not p.is_symlink()) == (p == path):
                raise Wrong(
                    f'{path}: {p} is {"a folder" if p == path else "no folder"}, expected {"a file or nothing" if p == path else "a folder"}'
                )


def foreign(root, files, before):
    """A file at a destination that no make install has written."""
    for name in files:
        if name not in before and os.path.lexists(root / name):
            raise Wrong(
                f'{root / name}: found a file that make install has not written, expected none: remove it, or choose another PREFIX'
            )


def install(prefix, destdir, build, cc, program, *objects):
    root = root_of(prefix, destdir)
    files = layout(os.path.normpath(prefix), Path(build), cc, program, objects)
    files = {
        LIST: ''.join(f'{n}\n' for n in sorted([*files, LIST])),
        **files,
    }  # the list first: a killed make install can be repeated
    blocked(root, files)
    before = listed(root)
    foreign(root, files, before)
    staged = stage(root, files)
    try:
        for name in files:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(staged / name, root / name)
    finally:
        shutil.rmtree(staged)
    remove(root, [n for n in before if n not in files])
    print(f'  INSTALL {len(files)} files below {root}')


def uninstall(prefix, destdir, *_):
    root = root_of(prefix, destdir)
    names = listed(root)
    if not names:
        raise Wrong(f'{root}/{LIST}: found no list of installed files, expected one from make install')
    remove(root, names)
    print(f'  REMOVE {len(names)} files below {root}')


def main():
    try:
        {'install': install, 'uninstall': uninstall}[sys.argv[1]](*sys.argv[2:])
    except (Wrong, OSError, ValueError) as e:
        print(f'make {sys.argv[1]}: {e}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
