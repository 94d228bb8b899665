#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates makefiles from the manifests: "sets" in build/ names blocks and parameter sets, "rules" has one flat rule for each product.
usage: rules.py BUILD GOALS BLOCK SET PARAMS VEC ASKED MAKEFILE ...
Prints the rule files to include, and block/set for each set that BLOCK, SET, PARAMS and VEC select.  Refuses in one line an unknown block
or parameter, and a variable of the command line (ASKED) that no makefile reads for this goal.
A product depends on the text of its rule, kept in BUILD/rules/: it is built again when a parameter, a command or the list of sources changes."""
import os
import re
import sys
from pathlib import Path

import asked
import manifest
import params
import parts

VARIANTS = ('fast', 'waves')  # of lockstep; sc is SystemC's
RUNTIME = {'fast': ['verilated', 'verilated_threads'], 'waves': ['verilated', 'verilated_threads', 'verilated_fst_c'], 'sc': ['verilated', 'verilated_threads']}
BUILD = 'build'


# Where the faces of a block are.
def folders(block):
    return [f'rtl/{b}' for b in (block, *parts.of(block))] + ['rtl/lib']


def files(block, *kinds):
    return sorted(str(p) for folder in folders(block) for kind in kinds for p in Path(folder).glob(f'*.{kind}'))


def top(block):
    """File and module of its RTL."""
    return manifest.rtl_of(block), manifest.module(block)


def stimulus(block):
    """Random stimulus and coverage; it includes cosim/scenarios/<b>.cpp."""
    return f'cosim/{block}.cpp'


def twins(block):
    return ' '.join(f'$(O)/cmodel/blocks/{b}.o' for b in (block, *parts.of(block)))


def write(path, text):
    """Only what changes is written, and whole: other makes may read it."""
    path = Path(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f'{path.name}.{os.getpid()}')
        new.write_text(text)
        new.replace(path)


class Rules:
    """Text of makefiles; each product depends on its own rule's text."""

    def __init__(self):
        self.text = []

    def add(self, product, needs, *recipe):
        rule = f'{product}: {needs}\n' + ''.join(f'\t{line}\n' for line in recipe)
        kept = f'{BUILD}/rules/{product.removeprefix(BUILD + "/").replace("/", ".")}.rule'
        write(kept, rule)
        self.text.append(rule.replace('\n', f' {kept}\n', 1))


def defines(block, name, chosen):
    more = [f"'-DCOSIM_PARTS=\"$(CURDIR)/{BUILD}/cosim/{block}/parts.hpp\"'"] if parts.of(block) else []
    return ' '.join([f"-DCOSIM_BLOCK={block} -DCOSIM_LIST={block.upper()} -DCOSIM_SET_NAME='\"{name}\"' -DCOSIM_RTL=V{block}_{name} '-DCOSIM_SIGNAL(x)={top(block)[1]}__DOT__##x'",
                     f"'-DCOSIM_SET={''.join(f'c.{n}={v};' for n, v in chosen.items())}'", *more])


def parts_header(block):
    """For each part, the macros that state.hpp reads."""
    text = ''.join(f'#define STATE_TWIN {p}\n#define STATE_LIST {p.upper()}\n#define STATE_CFG {block}_{p}_cfg(&cfg)\n'
                   f'#define STATE_SIGNAL(x) {top(block)[1]}__DOT__u_{p}__DOT__##x\n#include "state.hpp"\n' for p in parts.of(block))
    if text:
        write(f'{BUILD}/cosim/{block}/parts.hpp', text)


def verilated(r, block, name, chosen, variant, out):
    """The RTL as C++.  Every warning is fatal, UNOPTFLAT above all."""
    file, module = top(block)
    lists = [f'cmodel/blocks/{b}_ports.h' for b in (block, *parts.of(block))]
    prefix = f'V{block}_{name}'
    r.add(f'{out}/V.a', ' '.join(files(block, 'sv', 'svh', 'vlt') + lists) + ' $(COSIM_HOW)',
          f'@rm -rf {out} && mkdir -p {out}/rtl', f'@echo "  VLT  {block}/{name} ({variant})"',
          "@{ echo '`verilator_config'; " + ' '.join(f'$(call COSIM_REGISTERS,{b},{b.upper()},{top(b)[1]});' for b in (block, *parts.of(block))) + f' }} >{out}/public.vlt',
          f'@$(VERILATE) $(COSIM_VLT_{variant}) --top-module {module} --prefix {prefix} --Mdir {out}/rtl {" ".join(f"-y {f}" for f in folders(block))} '
          f'{" ".join(f"-G{n}={v}" for n, v in chosen.items())} {out}/public.vlt {" ".join(files(block, "vlt"))} {file}',
          f'@$(MAKE) -s -C {out}/rtl -f {prefix}.mk {prefix}__ALL.a OBJCACHE=ccache OPT_FAST=$(COSIM_OPT_{variant}) OPT_SLOW=-O0 OPT_GLOBAL=-O1 >{out}/build.log 2>&1 '
          f'|| {{ cat {out}/build.log; exit 1; }}', f'@cp {out}/rtl/{prefix}__ALL.a $@')


def runtime(variant):
    return ' '.join(f'{BUILD}/cosim/runtime/{variant}/{n}.o' for n in RUNTIME[variant])


def linked(r, program, objects, libraries):
    r.add(program, objects, f'@$(CXX) $(filter %.o %.a,$^) {libraries} -o $@')


def lockstep(r, block, name, chosen):
    for variant in VARIANTS:
        out = f'{BUILD}/cosim/{block}/{name}/{variant}'
        verilated(r, block, name, chosen, variant, out)
        r.add(f'{out}/lockstep.o', f'{stimulus(block)} {out}/V.a', f'@echo "  CXX  {block}/{name} ({variant})"',
              f'@$(COSIM_COMPILE) $(COSIM_DEF_{variant}) {defines(block, name, chosen)} -isystem {out}/rtl -c $< -o $@')
        linked(r, f'{out}/lockstep', f'{out}/lockstep.o {out}/V.a {twins(block)} $(COSIM_C) $(COSIM_ENGINE) {runtime(variant)}', '-lz -lpthread')


def in_machine(r, block, name, chosen):
    out = f'{BUILD}/cosim/{block}/{name}/fast'
    r.add(f'{out}/rtl_set.o', f'cosim/rtl_set.cpp {out}/V.a', f'@echo "  CXX  {block}/{name} (face rtl)"',
          f'@$(COSIM_COMPILE) $(COSIM_DEF_fast) {defines(block, name, chosen)} -isystem {out}/rtl -c $< -o $@')


def systemc(r, block, name, chosen):
    out = f'{BUILD}/tb/{block}/{name}'
    verilated(r, block, name, chosen, 'sc', out)
    r.add(f'{out}/main.o', f'tb/systemc/main.cpp {out}/V.a $(TB_HOW)', f'@echo "  CXX  {block}/{name} (SystemC)"',
          f'@$(TB_COMPILE) $(COSIM_DEF_sc) {defines(block, name, chosen)} -isystem {out}/rtl -c $< -o $@')
    linked(r, f'{out}/bench', f'{out}/main.o {out}/V.a $(BLOCKS:%=$(O)/cmodel/blocks/%.o) $(COSIM_C) {BUILD}/cosim/engine/engine.o {runtime("sc")}', '-lsystemc -lpthread')


def twin(r, block, name, chosen):
    """The scenarios on the twin alone, with the sanitizers of the unit tests; needs no Verilator."""
    out = f'{BUILD}/cosim/{block}/{name}/twin'
    of = (block, *parts.of(block))
    r.add(out, ' '.join(['cosim/twin.cpp', *(f'cmodel/blocks/{b}.c' for b in of)]) + ' $(TWIN_HOW)', '@mkdir -p $(@D)', f'@echo "  CXX  {block}/{name} (twin)"',
          *(f'@$(CC) -std=c17 $(TWIN_FLAGS) $(CPPFLAGS) -c cmodel/blocks/{b}.c -o {out}.{b}.o' for b in of),
          f'@ccache $(CXX) -std=c++20 $(TWIN_FLAGS) -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -DCOSIM_TWIN -MMD -MP -MT {out} -MF {out}.d {defines(block, name, chosen)} -c $< -o {out}.o',
          f'@$(CXX) $(TWIN_FLAGS) {out}.o {" ".join(f"{out}.{b}.o" for b in of)} -o $@')


def netlist(r, block, name, chosen):
    """Lockstep with a netlist (gates.hpp) in place of the RTL; one program serves every library."""
    out = f'{BUILD}/synth/lockstep/{block}/{name}'
    header = f'{BUILD}/cosim/{block}/parts.hpp' if parts.of(block) else ''
    r.add(f'{out}/lockstep.o', f'{stimulus(block)} {header} $(COSIM_HOW)', '@mkdir -p $(@D)',
          f'@$(COSIM_COMPILE) $(COSIM_DEF_fast) -DCOSIM_NETLIST {defines(block, name, chosen)} -c $< -o $@')
    linked(r, f'{out}/lockstep', f'{out}/lockstep.o {twins(block)} $(COSIM_C) $(COSIM_ENGINE) {runtime("fast")}', '-lz -lpthread')


def lint(r, block, name, chosen):
    """Verilator, Icarus and Yosys, warnings fatal; then ports and registers against the list."""
    file, module = top(block)
    out, sources, include = f'{BUILD}/lint/{block}.{name}', ' '.join(files(block, 'sv')), ' '.join(f'-I{f}' for f in folders(block))
    r.add(f'{out}.ok', f'{" ".join(files(block, "sv", "svh", "vlt"))} synth/lint_ports.py {BUILD}/describe/{block} $(LINT_HOW)', '@mkdir -p $(@D)', f'@echo "  LINT {block} {name}"',
          f'@verilator --lint-only -Wall {include} --top-module {module} {" ".join(f"-G{n}={v}" for n, v in chosen.items())} {" ".join(files(block, "vlt"))} {file}',
          f'@iverilog -g2012 -Wall -Wno-timescale {include} -s {module} {" ".join(f"-P{module}.{n}={v}" for n, v in chosen.items())} -o /dev/null {sources} >{out}.icarus 2>&1 '
          f'|| {{ cat {out}.icarus; false; }}',
          f"@yosys -q -e '.*' -p 'read_verilog -sv {include} {sources}; hierarchy -check -top {module} {' '.join(f'-chparam {n} {v}' for n, v in chosen.items())}; proc; "
          f"check -assert; write_json {out}.rtl.json'",
          f'@{BUILD}/describe/{block} --json {" ".join(f"{n}={v}" for n, v in chosen.items())} >{out}.list.json',
          f'@python3 synth/lint_ports.py {out}.list.json {out}.rtl.json {module}', '@touch $@')


def dpi(r, bench):
    """The twin behind DPI-C beside the RTL in SystemVerilog, tb/dpi/<b>_dpi_tb.sv: a parameter set called dpi."""
    block = bench.name.removesuffix('_dpi_tb.sv')
    out, c = f'{BUILD}/tb/{block}/dpi', f'tb/dpi/{block}_dpi.c'
    r.add(f'{out}/bench', f'{bench} {c} {" ".join(files(block, "sv", "svh"))} cmodel/blocks/{block}_ports.h $(O)/cmodel/blocks/{block}.o $(TB_HOW)', '@rm -rf $(@D) && mkdir -p $(@D)',
          f'@echo "  VLT  {block}/dpi"', f'@$(CC) $(CPPFLAGS) $(filter-out -Wmissing-prototypes,$(CFLAGS)) -c {c} -o $(@D)/dpi.o',
          f'@$(VERILATOR) --binary -O3 -fno-life -Wall -Wno-BLKSEQ -Irtl/lib {" ".join(f"-y {f}" for f in folders(block))} -MAKEFLAGS OBJCACHE=ccache --Mdir $(@D)/rtl -o sim $< '
          f'$(abspath $(@D)/dpi.o $(filter %.o,$^)) >$(@D)/build.log 2>&1 || {{ cat $(@D)/build.log; exit 1; }}',
          "@printf '#!/bin/sh\\n# --seed n --cycles n\\n\"$$(dirname \"$$0\")\"/rtl/sim \"+seed=$$2\" \"+cycles=$$4\" | grep -v \"Verilog .finish\"\\n' >$@", '@chmod +x $@')
    return f'{block}/dpi'


def of_set(r, block, name, chosen):
    for rules in (lockstep, systemc, twin, netlist, lint):
        rules(r, block, name, chosen)


def everything(listed):
    """All named sets, and their rules."""
    r = Rules()
    for variant, names in RUNTIME.items():
        for n in names:
            r.add(f'{BUILD}/cosim/runtime/{variant}/{n}.o', f'$(VERILATOR_INCLUDE)/{n}.cpp $(COSIM_HOW)', '@mkdir -p $(@D)', f'@echo "  CXX  {n}.cpp ({variant})"',
                  f'@ccache $(CXX) -std=c++17 -O3 $(COSIM_DEF_{variant}) -I$(VERILATOR_INCLUDE) -I$(VERILATOR_INCLUDE)/vltstd -c $< -o $@')
    machine = [(m, s) for m in listed for s in m.machine.get('sets', [])]
    for m in listed:
        parts_header(m.name)
        for name, chosen in m.sets.items():
            of_set(r, m.name, name, chosen)
    for m, s in machine:
        in_machine(r, m.name, s, m.sets[s])
    lists = {'BLOCKS': [m.name for m in listed], 'MACHINE_SETS': [f'{m.name}/{s}' for m, s in machine], 'CAPTURED': [f'{m.name}/{s}' for m in listed for s in m.captures],
             'TB_DPI': [dpi(r, b) for b in sorted(Path('tb/dpi').glob('*_dpi_tb.sv'))]}
    write(f'{BUILD}/sets.mk', ''.join(f'{n} := {" ".join(words)}\n' for n, words in lists.items()))
    write(f'{BUILD}/rules.mk', '\n'.join(r.text))


def given(build, block, name, text, vec):
    """A set of one's own, or that of a .vec file: (file with its rules or None, block/set)."""
    if text and name not in ('', 'custom'):
        raise params.ParamError(f'SET: found "{name}" and PARAMS="{text}", expected one of the two')
    wanted = '' if name.startswith('custom') else name
    found = params.set_of_vec(vec, block, wanted, text) if vec else params.set_of(block, text)
    block, name, chosen = found
    if name in manifest.read(block).sets:
        return None, f'{block}/{name}'
    r = Rules()
    of_set(r, block, name, chosen)
    write(f'{build}/rules-{block}-{name}.mk', '\n'.join(r.text))
    return f'{build}/rules-{block}-{name}.mk', f'{block}/{name}'


def main():
    global BUILD
    BUILD, goals, block, name, text, vec, variables, *makefiles = sys.argv[1:]
    try:
        for said in asked.wrong(goals.split(), variables.split(), '\n'.join(Path(p).read_text() for p in makefiles)):
            raise params.ParamError(said)
        known = manifest.blocks()
        for b in block.split() if 'new' not in goals.split() else []:
            params.known_block(b)
        listed = [manifest.read(b) for b in known]
        everything(listed)
        own, selected = given(BUILD, block, name, text, vec) if text or vec else (None, None)
        every = [f'{m.name}/{s}' for m in listed for s in m.sets if m.name in (block.split() or known) and name in ('', s)]
        print(f'{BUILD}/rules.mk', own or '', selected or ' '.join(every))
    except params.ParamError as e:
        print(e)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
