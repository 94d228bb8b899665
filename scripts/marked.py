# SPDX-License-Identifier: Apache-2.0
"""A generated table in a document, between <!-- NAME --> and <!-- /NAME -->."""
import sys


def keep(name, file, table, update):
    """Writes the table, or exits with an error if the document differs."""
    begin, end = f'<!-- {name} -->\n', f'<!-- /{name} -->'
    with open(file, encoding='utf-8') as f:
        text = f.read()
    if text.count(begin) != 1 or end not in text.split(begin)[1]:
        sys.exit(f'FAIL {name}: {file} has no "{begin.strip()}" ... "{end}"')
    before, after = text.split(begin)
    new = before + begin + table + end + after.split(end, 1)[1]
    if update:
        with open(file, 'w', encoding='utf-8') as f:
            f.write(new)
    elif new != text:
        sys.exit(f'FAIL {name}: the table of {file} is not what was counted; make {name} UPDATE=1 writes it')
