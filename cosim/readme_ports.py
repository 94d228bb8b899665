#!/usr/bin/env python3
"""The port table of a README is what describe prints: compares, or with --update writes, what stands between
<!-- describe BLOCK --> and <!-- /describe -->.  usage: readme_ports.py [--update] README DESCRIBE BLOCK"""
import subprocess
import sys

update = '--update' in sys.argv
readme, describe, block = [a for a in sys.argv[1:] if a != '--update']
table = subprocess.run([describe, '--markdown'], check=True, capture_output=True, text=True).stdout
text = open(readme).read()
begin, end = f'<!-- describe {block} -->\n', '<!-- /describe -->'
if begin not in text or end not in text.split(begin)[1]:
    sys.exit(f'FAIL readme {block}: {readme} has no "{begin.strip()}" ... "{end}"')
before, rest = text.split(begin)
new = before + begin + table + end + rest.split(end, 1)[1]
if update:
    open(readme, 'w').write(new)
elif new != text:
    sys.exit(f'FAIL readme {block}: port table of {readme} differs from its list; make ports-in-readme UPDATE=1 writes it')
