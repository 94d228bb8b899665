# SPDX-License-Identifier: Apache-2.0
"""A counterexample outside the prover: the real C, built by gcc, and the real RTL in Icarus, put into its state.

Both are written as small programs beside the result, so that a failure can be run again by hand.
"""
from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tb.prove import icarus
from tb.prove.rtl import pick_sources
from tb.prove.tool import ToolError, called

if TYPE_CHECKING:  # these import this file
    from tb.prove.block import Element
    from tb.prove.equiv import Equivalence
    from tb.prove.foreign import Related
    from tb.prove.solve import Obligation

Shown = dict[tuple[str, str], int | None]  # (kind, name) -> value, None where it has an X
WORD = 32


def words(value: int) -> list[int]:
    return [(value >> WORD * k) & 0xFFFFFFFF for k in range(32)]


def c_assign(base: str, e: Element, value: int) -> str:
    if e.kind == 'W1024':
        return '\n'.join(f'    {base}{e.text}[{k}] = 0x{w:x}u;' for k, w in enumerate(words(value)))
    return f'    {base}{e.text} = 0x{value:x}u{"ll" if value >> 32 else ""};'


def c_print(what: str, base: str, e: Element) -> str:
    if e.kind == 'W1024':
        show = f'for (int k = 31; k >= 0; k--) printf("%08x", {base}{e.text}[k]);'
    else:
        show = f'printf("%llx", (unsigned long long){base}{e.text});'
    return f'    printf("{what} {e.text} "); {show} puts("");'


class Replay:
    """Values of the state and inputs are numbers by element name; `name` is the obligation's, `cycles` those of a skip."""

    def __init__(
        self,
        eq: Equivalence | Related,
        name: str,
        state: dict[str, int],
        inputs: dict[str, int],
        folder: Path,
        cycles: int = 1,
    ) -> None:
        self.eq, self.block, self.name = eq, eq.block, name
        self.kind = name.split()[0]
        self.resets = self.kind == 'reset' or 'reset' in name.split(':')[0]
        self.state, self.inputs, self.folder, self.cycles = state, inputs, folder, cycles

    # ---- C
    def c_program(self) -> str:
        b, t = self.block.name, self.eq.twin
        cfg = ', '.join(f'.{n} = {v}' for n, v in self.eq.cfg.items())
        words = self.name.split()
        skip = f'{b}_skip(&{{}}, {self.cycles}ull{{}});'
        step = f'{b}_reset(&m);' if self.resets else f'{b}_tick(&m, &in);'
        if self.kind == 'frame':
            step = {'skip': skip.format('m', ''), 'step': f'{b}_step(&m, &in, &out);'}.get(words[1], step)
        if self.kind == 'skip':
            quiet = ' '.join(f'in.{e.name} = 0;' for e in self.eq.valid_inputs())
            step = '' if 'skip(0)' in words else f'{quiet} {skip.format("m", "")} {step}'
        action = 'skip' if self.kind == 'idle' else self.kind
        skips = f'{b}_skip(&s, {int("skip(0)" not in words)});'
        skips = skip.format('s', ' + 1') if self.kind == 'skip' and step else skips
        other = {'skip': f'    {skips}\n', 'step': f'    {b}_step(&s, &in, &out);\n'}.get(action, '')
        body = [c_assign('m.', e, self.state[e.text]) for e in self.eq.registers]
        body += [c_assign('in.', e, self.inputs[e.text]) for e in t.lists['in']]
        prints = [c_print('output', 'out.', e) for e in t.lists['out']]
        after = [c_print('next', 'm.', e) for e in self.eq.registers]
        before, middle = '', ''
        if self.kind == 'frame':  # the one object that eval or tick must leave alone
            watched = ('in.' if 'inputs' in self.name else 'm.') + self.name.split(': ')[1]
            watch = f'    printf("%s watched %llx\\n", "{{}}", (unsigned long long){watched});\n'
            before, middle = watch.format('output'), watch.format('other')
            after.append(watch.format('next'))
        if self.kind == 'invariant' and words[1] in self.eq.twin.fact_names:
            part = next((f'.{p}' for p in self.block.parts if words[1].startswith(p + '_invariant_')), '')
            after.append(f'    printf("next watched %d\\n", {words[1]}(&m{part}));')
        if self.kind in ('idle', 'step', 'skip'):
            after += [c_print('other', 's.', e) for e in self.eq.registers]
        if self.kind == 'step':
            after += [c_print('other', 'out.', e) for e in t.lists['out']]
        return (
            f'''/* Counterexample of the prover: the twin put into one state, evaluated and ticked once. */
#include "{self.block.c_file.resolve()}"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{{
    static struct {b} m;
    static struct {b}_in in;
    static struct {b}_out out;
    memset(&out, argc > 1 ? atoi(argv[1]) : 0, sizeof out); /* what eval does not write shows */
    const struct {b}_cfg cfg = {{{cfg}}};
    {b}_init(&m, &cfg);
'''
            + '\n'.join(body)
            + f'''
{before}    {b}_eval(&m, &in, &out);
{middle}'''
            + '\n'.join(prints)
            + f'''
    struct {b} s = m;
    (void)s;
{other}    {step}
'''
            + '\n'.join(after)
            + '\n    return 0;\n}\n'
        )

    def run_c(self) -> tuple[Shown, Shown, str]:
        source, binary = self.folder / 'replay.c', self.folder / 'replay'
        source.write_text(self.c_program())
        limits = ['-D' + d for d in self.block.limits(self.eq.params, self.eq.cfg)]
        flags = ['-I' + str(i) for i in self.block.include]
        called(
            [
                'gcc',
                '-std=c17',
                '-w',
                '-g',
                '-fsanitize=undefined',
                *limits,
                *flags,
                str(source),
                *map(str, self.block.part_files),
                '-o',
                str(binary),
            ]
        )
        r, again = (subprocess.run([str(binary), fill], capture_output=True, text=True) for fill in ('0', '1'))
        return read(r.stdout), read(again.stdout), r.stderr

    # ---- RTL
    def v_name(self, e: Element) -> str:
        one = self.eq.flat_name(f'{e.name}[{e.index}]') if e.index is not None else self.eq.flat_name(e.name)
        if one is not None:
            return 'dut.' + one
        return f'dut.{self.eq.flat_name(e.name)}[{(e.index or 0) * e.width} +: {e.width}]'

    def v_program(self) -> str:
        t = self.eq.twin
        params = ', '.join(f'.{n}({v})' for n, v in self.eq.cfg.items())
        ports = [('reg', e) for e in t.lists['in']] + [('wire', e) for e in t.lists['out']]
        declare = '\n'.join(f'  {kind} [{e.width - 1}:0] {e.name};' for kind, e in ports)
        connect = ', '.join(['.clk_i(clk_i)', '.rst_ni(rst_ni)'] + [f'.{e.name}({e.name})' for _, e in ports])
        put = [f'    {self.v_name(e)} = {e.width}\'h{self.state[e.text]:x};' for e in self.eq.registers]
        put += [f'    {e.name} = {e.width}\'h{self.inputs[e.text]:x};' for e in t.lists['in']]
        put += [
            f'    dut.{n} = {len(self.eq.extra[n])}\'b{str(int(self.resets)) * len(self.eq.extra[n])};'
            for n in sorted(self.eq.zero)
        ]
        show = [f'    $display("output {e.text} %h", {e.name});' for e in t.lists['out']]
        after = [f'    $display("next {e.text} %h", {self.v_name(e)});' for e in self.eq.registers]
        if self.kind == 'absent':
            after.append(f'    $display("next {self.name.split()[1]} %h", dut.{self.name.split()[1]});')
        reset = int(not self.resets)
        return (
            f'''// Counterexample of the prover: the RTL put into one state, one clock edge.
module replay;
  reg clk_i = 1'b0, rst_ni = 1'b{reset};
{declare}
  {self.block.module} #({params}) dut ({connect});
  initial begin
    #1;
'''
            + '\n'.join(put)
            + '\n    #1;\n'
            + '\n'.join(show)
            + '\n    clk_i = 1\'b1;\n    #1;\n'
            + '\n'.join(after)
            + '\n    $finish;\n  end\nendmodule\n'
        )

    def run_rtl(self) -> str:
        source, binary = self.folder / 'replay.v', self.folder / 'replay.vvp'
        source.write_text(self.v_program())
        files, include, libs = pick_sources(self.block.rtl_root, self.block.name, self.block.parts)
        icarus.build('replay', binary, [source, *files], include, libs)
        return icarus.run(binary)


def read(text: str) -> Shown:
    """'output name hex' lines -> {('output', name): number or None when the simulator says x}."""
    found = {}
    for line in text.splitlines():
        m = re.fullmatch(r'(output|next|other) (\S+) ([0-9a-fxzXZ]+)', line)
        if m:
            found[m[1], m[2]] = int(m[3], 16) if re.fullmatch('[0-9a-f]+', m[3]) else None
    return found


def confirm(
    eq: Equivalence, o: Obligation, state: dict[str, int], inputs: dict[str, int], folder: Path
) -> tuple[str, bool]:
    """The real faces' outputs in the counterexample, in a line, and whether that confirms the failure.  Whether they can be built does
    not change the verdict: the counterexample stands."""
    try:
        return replayed(eq, o, state, inputs, folder)
    except ToolError as e:
        return str(e), False


def skipped_cycles(eq: Equivalence, o: Obligation) -> int:
    """n of skip(n) in a counterexample."""
    return sum(o.model.get(lit >> 1, 0) << i for i, lit in enumerate(eq.cycles))


def replayed(
    eq: Equivalence, o: Obligation, state: dict[str, int], inputs: dict[str, int], folder: Path
) -> tuple[str, bool]:
    kind, rest = o.name.split(' ', 1)
    element = rest.split(':')[0].split()[0]
    folder.mkdir(parents=True, exist_ok=True)
    r = Replay(eq, o.name, state, inputs, folder, skipped_cycles(eq, o))
    c, again, c_errors = r.run_c()
    if kind == 'undefined':
        hit = [x for x in c_errors.splitlines() if 'runtime error' in x]
        return f'C (gcc, UBSan) {hit[0].split("/")[-1] if hit else "no error"}', bool(hit)
    if kind == 'idle':
        a, b = c.get(('next', element)), c.get(('other', element))
        return f'C (gcc) after tick {show(a)}, after skip(1) {show(b)}', a != b
    if kind == 'skip':
        a, b = c.get(('next', element)), c.get(('other', element))
        return (
            f'C (gcc) skip(n), then a tick {show(a)}, skip(n + 1) {show(b)}'
            if 'tick' in rest
            else f'C (gcc) {show(a)}, after skip(0) {show(b)}',
            a != b,
        )
    if kind == 'step':
        as_what = rest.split()[-1]
        a, b = c.get(('output' if as_what == 'eval' else 'next', element)), c.get(('other', element))
        return f'C (gcc) after {as_what} {show(a)}, after step {show(b)}', a != b
    if kind == 'frame':
        a, b, d = (c.get((when, 'watched')) for when in ('output', 'other', 'next'))
        return f'C (gcc) before {show(a)}, after eval {show(b)}, after {rest.split()[0]} {show(d)}', len({a, b, d}) > 1
    if kind == 'invariant' and element in eq.twin.fact_names:
        a = c.get(('next', 'watched'))
        return f'C (gcc) {show(a)}', a == 0
    if kind == 'invariant':
        a = c.get(('next', element))
        return f'C (gcc) {show(a)}', a is not None and a >= int(rest.split()[2])
    v = read(r.run_rtl())
    if kind == 'absent':
        return f'RTL (Icarus) {show(v.get(("next", element)))}', v.get(('next', element)) not in (None, 0)
    key = ('output' if kind == 'output' else 'next', element)
    a, b = c.get(key), v.get(key)
    if a != again.get(key):
        return f'C (gcc) leaves it as it was, RTL (Icarus) {show(b)}', True
    return f'C (gcc) {show(a)}, RTL (Icarus) {show(b)}', key in c and key in v and a != b


def show(n: int | None) -> str:
    return 'x' if n is None else str(n) if n < 1024 else hex(n)
