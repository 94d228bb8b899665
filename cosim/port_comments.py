# SPDX-License-Identifier: Apache-2.0
"""The comments of a module's ports and parameters are the texts of the port list: compares them, or writes them with --update.
A comment stands behind its port, in rtl/BLOCK/mt_BLOCK.sv.  usage: python3 -B -m cosim.port_comments [--update] FOLDER BLOCK ...   FOLDER/BLOCK is the program that prints the list (describe.c)"""
import json
import re
import subprocess
import sys
from pathlib import Path

from cosim import manifest

# In every block, and in no list.
COMMON = {'clk_i': 'clock, rising edge', 'rst_ni': 'synchronous reset, active low'}
DECLARED = re.compile(
    r'\s*(?:(?:input|output)\s+(?:wire\s+)?logic\b.*?|parameter\s+int\s+)\b(?P<name>\w+)\s*(?:=[^,/]*?)?(?P<comma>,?)\s*(?://(?P<text>.*))?'
)


def declared(lines: list[str]) -> list[tuple[int, re.Match[str]]]:
    """(line number, match) of each parameter and port of a module's head, one a line."""
    head = next((k for k, line in enumerate(lines) if line.startswith('module ')), len(lines))
    end = next((k for k, line in enumerate(lines) if k > head and line == ');'), len(lines))
    return [(k, m) for k in range(head, end) if (m := DECLARED.fullmatch(lines[k]))]


def commented(path: Path, text: str, meanings: dict[str, str]) -> tuple[str, list[str]]:
    """The text with the comment of each port as listed, in one column; the differences."""
    lines = text.split('\n')
    found = declared(lines)
    code = {k: lines[k].split('//')[0].rstrip() for k, _ in found}
    column = max(map(len, code.values()), default=0) + 2
    differ = []
    for k, m in found:
        meaning = meanings.pop(m['name'], None)
        have = (m['text'] or '').strip()
        if meaning is None:
            differ.append(f'{path}:{k + 1}: {m["name"]}: is not in the port list')
        elif have != meaning:
            differ.append(f'{path}:{k + 1}: {m["name"]}: comment "{have}", the port list has "{meaning}"')
            lines[k] = f'{code[k]:{column}}// {meaning}'
    return '\n'.join(lines), differ + [f'{path}: {n}: is in the port list, not in the module' for n in meanings]


def agrees(describe: str, block: str, update: bool) -> bool:
    """Whether the comments of a block match its list; `update` writes them."""
    listed = json.loads(
        subprocess.run([f'{describe}/{block}', '--json'], check=True, capture_output=True, text=True).stdout
    )
    source = Path(manifest.rtl_of(block))
    meanings = COMMON | {p['name']: p['text'] for side in ('params', 'in', 'out') for p in listed[side]}
    new, differ = commented(source, source.read_text(), meanings)
    if update:
        source.write_text(new)
    elif differ:
        print('\n'.join(differ))
        print(f'FAIL comments {block}: {source} differs from the port list; make port-comments UPDATE=1 writes them')
    return update or not differ


def main() -> None:
    update = '--update' in sys.argv
    describe, *blocks = [a for a in sys.argv[1:] if a != '--update']
    agreed = [agrees(describe, b, update) for b in blocks]
    print(f'port-comments: {sum(agreed)} of {len(blocks)} blocks agree')
    sys.exit(not all(agreed))


if __name__ == '__main__':
    main()
