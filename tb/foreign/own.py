# SPDX-License-Identifier: Apache-2.0
"""RTL of one's own everywhere: every command of docs/own-rtl.md runs, in the order of the page; wrong ports, another reset, a combinational loop and
missing files are each told with file, line, found and expected.
usage: python3 -B -m tb.foreign.own BUILD"""
import re
import shutil
import sys
from pathlib import Path

from scripts.testing import PYTHON, ROOT, Checks, main, run

PAGE = ROOT / 'docs/own-rtl.md'
MSHR = ROOT / 'examples/own_mshr'
BUILD = Path(sys.argv[1])
FOLDER = BUILD / 'own-selftest'
# A word of a command of the page: the text that the command must print.
PRINTS = {
    'make cosim': r'PASS cosim mshr/tiny .* RTL=examples/own_mshr',
    'make rtl': r'own    \S*/own/mshr/l1d.so\nown    \S*/own/mshr/l2.so',
    'compare': r'all \d+ counters of 1 result agree',
    'make synth': r'mshr/e4: own \d+ um2 and \d+ MHz, ours \d+ um2',
    'make prove': r'BOUNDED +mshr .*equal for 3 cycles',
    'make xprop': r'PASS xprop mshr/tiny .*outputs equal',
    'make tb': r'tb: [1-9]\d* passed, 0 failed',
    'make coverage': r'PASS coverage mshr .* RTL=examples/own_mshr TOP=own_mshr',
    'make formal': r'formal: 4 of 4 runs proved',
    'make dpi': r'PASS dpi mshr/tiny',
}


def commands():
    return re.findall(r'^    ((?:make|build/memtwin)\b.*)$', PAGE.read_text(), re.M)


def changed(name, *pairs, file='own_mshr.sv'):
    """A copy of the design with texts replaced that are there once."""
    folder = FOLDER / name
    shutil.copytree(MSHR, folder)
    text = (folder / file).read_text()
    for old, new in pairs:
        assert text.count(old) == 1, f'{old}: found {text.count(old)} times in {file}'
        text = text.replace(old, new)
    (folder / file).write_text(text)
    return folder


def line_of(folder, text, file='own_mshr.sv'):
    lines = (folder / file).read_text().splitlines()
    return f'{folder / file}:' + str(1 + next(k for k, line in enumerate(lines) if text in line)) + ':'


def prepared(path, state='0'):
    """The first part of a build.  Without make, which would read every manifest."""
    out = FOLDER / 'out'
    out.mkdir(exist_ok=True)
    words = ['Entries=2', 'Slots=2', 'AddrW=4', 'InfoW=4', 'DataW=3']
    return run(*PYTHON, 'cosim.own_rtl', 'prepare', 'mshr', path, 'own_mshr', state, BUILD, out, *words)


class Own(Checks):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)

    def refused(self, name, path, *texts):
        done = prepared(path)
        self.ended(name, done, False, *texts)
        self.expect(f'{name}: no trace of Python', 'Traceback' not in done.said, done.said)

    def test_taken(self):
        self.ended('the design as it is', prepared(MSHR), True)

    def test_ports(self):
        folder = changed(
            'ports',
            ('  output logic [1:0]             error_o', '  output logic [2:0]             error_o'),
            ('assign error_o      = error_q', "assign error_o      = {1'b0, error_q}"),
            ('  output logic                   rsp_valid_o,\n', '  output logic                   rsp_valid,\n'),
            ('assign rsp_valid_o     =', 'assign rsp_valid     ='),
        )
        self.refused(
            'ports',
            folder,
            re.escape(line_of(folder, '[2:0]             error_o'))
            + ' error_o: found an output of 3 bits, expected an output of 2 bits',
            re.escape(line_of(folder, 'module own_mshr')) + ' rsp_valid_o: found no port, expected an output of 1 bits',
            re.escape(line_of(folder, 'rsp_valid,')) + ' rsp_valid: found a port that the block does not have',
        )

    def test_reset(self):
        folder = changed(
            'async', ('always_ff @(posedge clk_i) begin', 'always_ff @(posedge clk_i or negedge rst_ni) begin')
        )
        self.refused(
            'an asynchronous reset',
            folder,
            re.escape(line_of(folder, 'negedge rst_ni'))
            + r' rst_ni: found registers that the falling edge of it sets, expected the rising edge of clk_i alone',
        )
        text = (MSHR / 'own_mshr.sv').read_text().replace('rst_ni', 'rst_i').replace('.rst_i(rst_i)', '.rst_ni(~rst_i)')
        folder = changed('name')
        (folder / 'own_mshr.sv').write_text(text)
        self.refused(
            'a reset of another name',
            folder,
            'rst_ni: found no port, expected an input of 1 bits, the reset: synchronous, active low',
            re.escape(line_of(folder, ' rst_i,')) + ' rst_i: found a port that the block does not have',
        )
        folder = changed('clock', ('always_ff @(posedge clk_i) begin', 'always_ff @(negedge clk_i) begin'))
        self.refused(
            'another clock edge',
            folder,
            re.escape(line_of(folder, 'negedge clk_i')) + ' clk_i: found registers that the falling edge',
        )

    def test_polarity(self):
        folder = changed('high', ('if (!rst_ni) begin', 'if (rst_ni) begin'), file='own_mshr_entry.sv')
        self.refused(
            'a reset that is active high',
            folder,
            re.escape(line_of(folder, 'if (rst_ni) begin', 'own_mshr_entry.sv'))
            + ' rst_ni: found registers that are reset while it is 1, expected while it is 0',
        )

    def test_loop(self):
        folder = changed(
            'loop', ("assign req_ready_o     = 1'b1;", 'assign req_ready_o     = req_valid_i ^ req_ready_o;')
        )
        self.refused(
            'a combinational loop',
            folder,
            re.escape(line_of(folder, 'output logic                   req_ready_o'))
            + ' req_ready_o: found a combinational loop through it',
        )
        folder = changed(
            'bits',
            (
                "assign req_ready_o     = 1'b1;",
                "logic [1:0] v;\n  assign v[0] = 1'b1;\n  assign v[1] = v[0];\n  assign req_ready_o     = v[1];",
            ),
        )
        self.ended('bits of a signal that depend on others of it are no loop', prepared(folder), True)

    def test_missing(self):
        self.refused('nothing there', FOLDER / 'nothing', 'nothing: found nothing, expected a folder, a file list')
        listing = FOLDER / 'files.f'
        listing.write_text(f'{MSHR}/own_mshr.sv\n{MSHR}/own_entry.sv\n')
        self.refused(
            'a file of the list',
            listing,
            re.escape(f'{listing}:2: found "{MSHR}/own_entry.sv", expected a file that is there'),
        )
        folder = changed('module')
        (folder / 'own_mshr_entry.sv').unlink()
        self.refused('a module', folder, r'own_mshr\.sv:\d+:\d+: Cannot find file containing module: .own_mshr_entry')

    def test_machine(self):
        """A set at other parameters than the machine's does not stand in."""
        for words, said in (
            ('mshr=none', '--rtl mshr=none: found nothing there, expected a set of RTL'),
            (
                f'mshr={FOLDER}',
                r'found no RTL with these parameters, expected: make rtl BLOCK=mshr PARAMS="Entries=32 Slots=8',
            ),
        ):
            done = run(BUILD / 'memtwin-rtl', 'run', 'vecadd:n=1000', '--rtl', words)
            self.ended(f'--rtl {words.split("/")[0]}', done, False, said)

    def test_synth(self):
        for words, said in (
            (['CLOCK_MHZ=100', 'BLOCK=mshr'], 'found CLOCK_MHZ= as well, expected RTL= alone, or with FPGA='),
            (['SET=e4'], r'found \d+ blocks, expected one BLOCK='),
        ):
            self.ended(
                f'synth {words[0]} is refused',
                run('make', 'synth', *words, f'RTL={MSHR}', 'TOP=own_mshr', alone=True),
                False,
                said,
            )

    def test_page(self):
        listed = commands()
        self.expect(
            'the page has commands for all of these', all(any(word in c for c in listed) for word in PRINTS), listed
        )
        for command in listed:
            texts = [text for word, text in PRINTS.items() if word in command]
            self.ended(f'page: {command}', run('bash', '-c', command, alone=True), True, *texts)


if __name__ == '__main__':
    sys.exit(main('own-selftest', Own))
