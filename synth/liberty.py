# SPDX-License-Identifier: Apache-2.0
"""The parts of a liberty file that synthesis needs: units, cells with areas, and the inverter, buffer and NAND2 cells."""
import gzip
import re
from pathlib import Path

from synth import gates

SI = {'f': 1e-15, 'p': 1e-12, 'n': 1e-9, 'u': 1e-6, 'm': 1e-3, '': 1.0}


def state_of(body):
    """The flip-flop of a cell: names of its state, and the functions of its pins."""
    ff = re.search(r'\bff\s*\(\s*"?(\w+)"?\s*,\s*"?(\w+)"?\s*\)\s*\{(.*?)\}', body, re.S)
    return {'q': ff[1], 'qn': ff[2]} | dict(re.findall(r'\b(\w+)\s*:\s*"([^"]*)"', ff[3])) if ff else None


def read_cells(text):
    starts = list(re.finditer(r'\bcell\s*\(\s*"?([\w.]+)"?\s*\)', text))
    for m, end in zip(starts, [s.start() for s in starts[1:]] + [len(text)]):
        body = text[m.end() : end]
        area = re.search(r'\barea\s*:\s*([\d.]+)', body)
        parts = re.split(r'\bpin\s*\(\s*"?(\w+)"?\s*\)', re.sub(r'pg_pin', 'power', body))
        pins = {name: re.search(r'\bdirection\s*:\s*"?(\w+)', pin) for name, pin in zip(parts[1::2], parts[2::2])}
        load = re.search(
            r'\bdirection\s*:\s*"?input.*?\bcapacitance\s*:\s*"?([\d.eE+-]+)|\bcapacitance\s*:\s*"?([\d.eE+-]+)',
            body,
            re.S,
        )
        yield m[1], {
            'area': float(area[1]) if area else 0.0,
            'functions': re.findall(r'\bfunction\s*:\s*"([^"]*)"', body),
            'state': state_of(body),
            'logic': {
                n: f[1]
                for n, pin in zip(parts[1::2], parts[2::2])
                if (f := re.search(r'\bfunction\s*:\s*"([^"]*)"', pin))
            },
            'inputs': [n for n, d in pins.items() if d and d[1] == 'input'],
            'outputs': [n for n, d in pins.items() if d and d[1] == 'output'],
            'load': float(load[1] or load[2]) if load else 0.0,
            'ff': bool(re.search(r'\bff\s*\(', body)),
            'latch': bool(re.search(r'\blatch\s*\(', body)),
            'dont_use': bool(re.search(r'dont_use\s*:\s*"?true', body)),
        }


class Liberty:
    def __init__(self, path):
        data = Path(path).read_bytes()
        self.text = (gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data).decode(errors='replace')
        plain = re.sub(r'/\*.*?\*/', '', self.text, flags=re.S)
        found = re.search(r'\blibrary\s*\(\s*"?([\w.-]+)"?\s*\)', self.text)
        if not found:
            raise ValueError(f'{path}: found no "library (NAME)", expected a liberty file, plain or gzipped')
        self.name = found[1]
        self.time = self.unit('time_unit', 's')  # seconds
        self.leakage = self.unit('leakage_power_unit', 'W')
        number, prefix = re.search(r'capacitive_load_unit\s*\(\s*([\d.]+)\s*,\s*"?([fpn])f"?', self.text, re.I).groups()
        self.cap = float(number) * SI[prefix.lower()]  # farad
        self.voltage = float(re.search(r'\bnom_voltage\s*:\s*([\d.]+)', self.text)[1])
        self.cells = dict(read_cells(plain))
        self.inverter = self.smallest(r'\(?\s*(!\s*\w+|\w+\s*\')\s*\)?', 1)
        self.buffer = self.smallest(r'\(?\s*\w+\s*\)?', 1)
        self.nand2 = self.smallest(r'.*', 2, nand=True)
        self.flip_flops = {n for n, c in self.cells.items() if c['ff']}

    def unit(self, name, letter):
        number, prefix = re.search(rf'\b{name}\s*:\s*"?([\d.]+)\s*([fpnum]?){letter}"?', self.text).groups()
        return float(number) * SI[prefix]

    def smallest(self, function, inputs, nand=False):
        """The smallest single-output cell with this function."""

        def fits(c):
            if (
                len(c['functions']) != 1
                or len(c['inputs']) != inputs
                or len(c['outputs']) != 1
                or c['ff']
                or c['latch']
                or c['dont_use']
                or not c['area']
            ):
                return False
            return is_nand2(c['functions'][0]) if nand else bool(re.fullmatch(function, c['functions'][0].strip()))

        names = [n for n, c in self.cells.items() if fits(c)]
        if not names:
            raise ValueError(f'library {self.name}: found no cell {"NAND2" if nand else function} with {inputs} inputs')
        return min(names, key=lambda n: (self.cells[n]['area'], n))


def is_nand2(function):
    """By truth table: libraries write it as !(A & B), (!A) | (!B), (A B)' ..."""
    names = sorted(set(re.findall(r'[A-Za-z]\w*', function)))
    if len(names) != 2:
        return False
    try:
        tree = gates.Function(function).tree
    except ValueError:
        return False
    return [gates.value(tree, dict(zip(names, (a, b)))) for a in (0, 1) for b in (0, 1)] == [1, 1, 1, 0]
