#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates makefiles from the manifests: "sets" in build/ names blocks, parameter sets and targets, "rules" has one flat rule for each product.
usage: rules.py BUILD GOALS BLOCK SET PARAMS VEC RTL TOP STATE GIVEN MAKEFILES [NUMBER=value ...]
Prints the rule files to include, and block/set for each set that BLOCK, SET, PARAMS and VEC select.  Refuses in one line an unknown block
or parameter, a variable of the command line (GIVEN) that no makefile reads for this goal, and a NUMBER that is none.
A product depends on the text of its rule, kept in BUILD/rules/: it is built again when a parameter, a command or the list of sources changes."""
import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import asked
import manifest
import own_rtl
import params
import parts

LOCKSTEPS = ('fast', 'waves')  # variants of lockstep; sc is SystemC's
DEFINES = {'fast': '-DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0', 'waves': '-DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DCOSIM_TRACE', 'sc': '-DVM_SC=1 -DVM_TRACE=0 -DVM_TRACE_FST=0'}
VERILATE = {'fast': '--assert', 'waves': '--assert --trace-fst', 'sc': '--sc'}
COMPILE = {'fast': '$(COSIM_COMPILE)', 'waves': '$(COSIM_COMPILE)', 'sc': '$(TB_COMPILE)'}
OPTIMIZE = {'fast': {'fast': '$(COSIM_OPT)', 'waves': '-O1', 'sc': '-O1'}, 'slow': {v: '-O0' for v in DEFINES}}  # variant 'fast' runs millions of cycles; speed 'slow': the files of a Verilated class that run once
SANITIZE = '-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'  # of the twin alone, as in the unit tests
RUNTIME = {'fast': ['verilated', 'verilated_threads'], 'waves': ['verilated', 'verilated_threads', 'verilated_fst_c'], 'sc': ['verilated', 'verilated_threads']}
BUILD = 'build'


# Where the faces of a block are.
def folders(block):
    return [f'rtl/{b}' for b in (block, *parts.of(block))] + ['rtl/lib']


@functools.cache
def listed(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def files(block, *kinds):
    return sorted(f'{folder}/{name}' for folder in folders(block) for name in listed(folder) if name.endswith(tuple(f'.{kind}' for kind in kinds)))


def top(block):
    """File and module of its RTL."""
    return manifest.rtl_of(block), manifest.module(block)


def stimulus(block):
    """Random stimulus and coverage; it includes cosim/scenarios/<b>.cpp."""
    return f'cosim/{block}.cpp'


def twins(block):
    return ' '.join(f'$(O)/cmodel/blocks/{b}.o' for b in (block, *parts.of(block)))


def model_defines(variant):
    return f'-DVM_COVERAGE=0 -DVM_TRACE_VCD=0 {DEFINES[variant]}'


def engine_objects():
    return f'{BUILD}/cosim/engine/engine.o {BUILD}/cosim/engine/run.o'


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

    def add(self, product, needs, *recipe, before=''):
        """`before`: order-only prerequisites."""
        rule = f'{product}: {needs}{f" | {before}" if before else ""}\n' + ''.join(f'\t{line}\n' for line in recipe)
        kept = f'{BUILD}/rules/{product.removeprefix(BUILD + "/").replace("/", ".")}.rule'
        write(kept, rule)
        self.text.append(rule.replace(needs, f'{needs} {kept}', 1))


def defines(block, name, chosen, own=None):
    module, shown = (own.rtl.module, own.shown) if own else (top(block)[1], name)
    more = [f"'-DCOSIM_PARTS=\"$(CURDIR)/{BUILD}/cosim/{block}/parts.hpp\"'"] if parts.of(block) else []
    return ' '.join([f"-DCOSIM_BLOCK={block} -DCOSIM_LIST={block.upper()} -DCOSIM_SET_NAME='\"{shown}\"' -DCOSIM_RTL=V{block}_{name} '-DCOSIM_SIGNAL(x)={module}__DOT__##x'",
                     f"'-DCOSIM_SET={''.join(f'c.{n}={v};' for n, v in chosen.items())}'", *more, *(own.defines() if own else [])])


@dataclass
class Own:
    """RTL of a user in place of a block's, for the set that is called `shown`."""
    rtl: own_rtl.OwnRtl
    shown: str
    state: str

    def defines(self):
        words = f' {self.rtl.shown()}' + (f' STATE={self.state}' if self.state else '')
        return [f"-DCOSIM_SELECT='\"{words}\"'", *(['-DCOSIM_NO_STATE'] if self.state == '0' else [])]


def parts_header(block):
    """For each part, the macros that state.hpp reads."""
    text = ''.join(f'#define STATE_TWIN {p}\n#define STATE_LIST {p.upper()}\n#define STATE_CFG {block}_{p}_cfg(&cfg)\n'
                   f'#define STATE_SIGNAL(x) {top(block)[1]}__DOT__u_{p}__DOT__##x\n#include "state.hpp"\n' for p in parts.of(block))
    if text:
        write(f'{BUILD}/cosim/{block}/parts.hpp', text)


def header(variant, speed='fast'):
    """The copy of cosim/verilated.hpp that is precompiled with the compiler options of this variant and speed."""
    return f'{BUILD}/cosim/headers/{variant}-{speed}.hpp'


def headers(variant):
    return ' '.join(f'{header(variant, speed)}.gch' for speed in OPTIMIZE)


def language(variant):
    return f'$(filter -std=% -g% -m%,{COMPILE[variant]})'


def short_runs(options):
    """For short runs, leaves out the GCC pass that takes most of the compile time of a large Verilated class.  The class runs slower without it."""
    return f'$(if $(filter -O1,{options}),$(if $(findstring clang,$(CXX)),,-fdisable-rtl-combine))'


def with_header(variant, speed='fast', folder='.'):
    """Options of a compiler that runs in that folder.  Paths are relative, so a copy of the tree finds this tree's objects in ccache."""
    return f'{language(variant)} {OPTIMIZE[speed][variant]} -include {os.path.relpath(header(variant, speed), folder)}'


def compiled(out, prefix, variant):
    fast, slow = (f'{with_header(variant, speed, f"{out}/rtl")} {short_runs(OPTIMIZE[speed][variant])}' for speed in OPTIMIZE)
    return (f"@$(MAKE) -s -C {out}/rtl -f {prefix}.mk {prefix}__ALL.a OBJCACHE=ccache OPT_FAST='{fast}' OPT_SLOW='{slow}' OPT_GLOBAL=-O1 >{out}/build.log 2>&1 "
            f'|| {{ cat {out}/build.log; exit 1; }}')


def verilated(r, block, name, chosen, variant, out):
    """The RTL as C++.  Every warning is fatal, UNOPTFLAT above all."""
    file, module = top(block)
    lists = [f'cmodel/blocks/{b}_ports.h' for b in (block, *parts.of(block))]
    prefix = f'V{block}_{name}'
    r.add(f'{out}/V.a', ' '.join(files(block, 'sv', 'svh') + lists) + ' cosim/registers.sh cosim/verilated.hpp $(COSIM_HOW)',
          f'@rm -rf {out} && mkdir -p {out}/rtl', f'@echo "  VLT  {block}/{name} ({variant})"',
          f'@cosim/registers.sh "$(CC) $(CPPFLAGS)" {" ".join(f"{b}={top(b)[1]}" for b in (block, *parts.of(block)))} >{out}/public.vlt',
          f'@$(VERILATE) {VERILATE[variant]} --top-module {module} --prefix {prefix} --Mdir {out}/rtl {" ".join(f"-y {f}" for f in folders(block))} '
          f'{" ".join(f"-G{n}={v}" for n, v in chosen.items())} {out}/public.vlt {file}',
          compiled(out, prefix, variant), f'@cp {out}/rtl/{prefix}__ALL.a $@', before=headers(variant))


def verilated_own(r, block, name, chosen, variant, out, own):
    """The same of a user's RTL, whose ports and registers are checked first; its warnings are the user's."""
    prefix = f'V{block}_{name}'
    r.add(f'{out}/V.a', f'{" ".join(map(str, own.rtl.needs))} {BUILD}/describe/{block} cosim/own_rtl.py cosim/registers.sh cosim/verilated.hpp $(COSIM_HOW)',
          f'@rm -rf {out} && mkdir -p {out}/rtl',
          f"@$(PY) cosim/own_rtl.py prepare {block} '{own.rtl.given}' '{own.rtl.top_given}' '{own.state}' {BUILD} {out} {' '.join(f'{n}={v}' for n, v in chosen.items())}",
          f'@echo "  VLT  {block}/{own.shown} of {own.rtl.given} ({variant})"',
          f'@$(VERILATE) {" ".join(own_rtl.QUIET)} {VERILATE[variant]} --top-module {own.rtl.module} --prefix {prefix} --Mdir {out}/rtl {out}/public.vlt -f {out}/own.f',
          compiled(out, prefix, variant), f'@cp {out}/rtl/{prefix}__ALL.a $@', before=headers(variant))


def runtime(variant):
    return ' '.join(f'{BUILD}/cosim/runtime/{variant}/{n}.o' for n in RUNTIME[variant])


def linked(r, program, objects, libraries):
    r.add(program, objects, f'@$(CXX) $(filter %.o %.a,$^) {libraries} -o $@')


def lockstep(r, block, name, chosen, own=None):
    for variant in LOCKSTEPS:
        out = f'{BUILD}/cosim/{block}/{name}/{variant}'
        if own:
            verilated_own(r, block, name, chosen, variant, out, own)
        else:
            verilated(r, block, name, chosen, variant, out)
        r.add(f'{out}/lockstep.o', f'{stimulus(block)} {out}/V.a', f'@echo "  CXX  {block}/{name} ({variant})"',
              f'@{COMPILE[variant]} {with_header(variant)} {model_defines(variant)} {defines(block, name, chosen, own)} -isystem {out}/rtl -c $< -o $@')
        linked(r, f'{out}/lockstep', f'{out}/lockstep.o {out}/V.a {twins(block)} $(COSIM_C) {engine_objects()} {runtime(variant)}', '-lz -lpthread')


def in_machine(r, block, name, chosen):
    out = f'{BUILD}/cosim/{block}/{name}/fast'
    r.add(f'{out}/rtl_set.o', f'cosim/rtl_set.cpp {out}/V.a', f'@echo "  CXX  {block}/{name} (face rtl)"',
          f'@$(COSIM_COMPILE) {with_header("fast")} {model_defines("fast")} {defines(block, name, chosen)} -isystem {out}/rtl -c $< -o $@')


def systemc(r, block, name, chosen):
    out = f'{BUILD}/tb/{block}/{name}'
    verilated(r, block, name, chosen, 'sc', out)
    r.add(f'{out}/main.o', f'tb/systemc/main.cpp {out}/V.a $(COSIM_HOW) $(call made,tb gcc)', f'@echo "  CXX  {block}/{name} (SystemC)"',
          f'@$(TB_COMPILE) {with_header("sc")} {model_defines("sc")} {defines(block, name, chosen)} -isystem {out}/rtl -c $< -o $@')
    linked(r, f'{out}/bench', f'{out}/main.o {out}/V.a $(BLOCKS:%=$(O)/cmodel/blocks/%.o) $(COSIM_C) {BUILD}/cosim/engine/engine.o {runtime("sc")}', '-lsystemc -lpthread')


def twin(r, block, name, chosen):
    """The scenarios on the twin alone, with the sanitizers of the unit tests; needs no Verilator."""
    out = f'{BUILD}/cosim/{block}/{name}/twin'
    of = (block, *parts.of(block))
    r.add(out, ' '.join(['cosim/twin.cpp', *(f'cmodel/blocks/{b}.c' for b in of)]) + ' $(COSIM_HOW) $(call made,gcc)', '@mkdir -p $(@D)', f'@echo "  CXX  {block}/{name} (twin)"',
          *(f'@$(CC) -std=c17 {SANITIZE} $(CPPFLAGS) -c cmodel/blocks/{b}.c -o {out}.{b}.o' for b in of),
          f'@ccache $(CXX) -std=c++20 {SANITIZE} -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -DCOSIM_TWIN -MMD -MP -MT {out} -MF {out}.d {defines(block, name, chosen)} -c $< -o {out}.o',
          f'@$(CXX) {SANITIZE} {out}.o {" ".join(f"{out}.{b}.o" for b in of)} -o $@')


def netlist(r, block, name, chosen):
    """Lockstep with a netlist (gates.hpp) in place of the RTL; one program serves every library."""
    out = f'{BUILD}/synth/lockstep/{block}/{name}'
    parts_list = f'{BUILD}/cosim/{block}/parts.hpp' if parts.of(block) else ''
    r.add(f'{out}/lockstep.o', f'{stimulus(block)} {parts_list} cosim/verilated.hpp $(COSIM_HOW)', '@mkdir -p $(@D)',
          f'@$(COSIM_COMPILE) {with_header("fast")} {model_defines("fast")} -DCOSIM_NETLIST {defines(block, name, chosen)} -c $< -o $@', before=f'{header("fast")}.gch')
    linked(r, f'{out}/lockstep', f'{out}/lockstep.o {twins(block)} $(COSIM_C) {engine_objects()} {runtime("fast")}', '-lz -lpthread')


def lint(r, block, name, chosen):
    """Verilator, Icarus and Yosys, warnings fatal; then ports and registers against the list."""
    file, module = top(block)
    out, sources, include = f'{BUILD}/lint/{block}.{name}', ' '.join(files(block, 'sv')), ' '.join(f'-I{f}' for f in folders(block))
    r.add(f'{out}.ok', f'{" ".join(files(block, "sv", "svh"))} synth/lint_ports.py {BUILD}/describe/{block} $(call made,lint)', '@mkdir -p $(@D)', f'@echo "  LINT {block} {name}"',
          f'@verilator --lint-only -Wall {include} --top-module {module} {" ".join(f"-G{n}={v}" for n, v in chosen.items())} {file}',
          f'@iverilog -g2012 -Wall -Wno-timescale {include} -s {module} {" ".join(f"-P{module}.{n}={v}" for n, v in chosen.items())} -o /dev/null {sources} >{out}.icarus 2>&1 '
          f'|| {{ cat {out}.icarus; false; }}',
          f"@yosys -q -e '.*' -p 'read_verilog -sv {include} {sources}; hierarchy -check -top {module} {' '.join(f'-chparam {n} {v}' for n, v in chosen.items())}; proc; "
          f"check -assert; write_json {out}.rtl.json'",
          f'@{BUILD}/describe/{block} --json {" ".join(f"{n}={v}" for n, v in chosen.items())} >{out}.list.json',
          f'@python3 synth/lint_ports.py {out}.list.json {out}.rtl.json {module}', '@touch $@')


def describe(r, block):
    """build/describe/<block> prints what <block>_ports.h lists: --json, --markdown or --text, then Parameter=value ..."""
    r.add(f'{BUILD}/describe/{block}', 'cosim/describe.c $(COSIM_HOW) $(call made,gcc)', '@mkdir -p $(@D)',
          f'@$(CC) $(CPPFLAGS) -std=c17 -O1 $(WARN) -include cmodel/blocks/{block}.h -DBLOCK={block} -DBLOCK_UC={block.upper()} -MMD -MP -MF $@.d $< -o $@')


def precompiled(r):
    for variant in DEFINES:
        for speed in OPTIMIZE:
            r.add(f'{header(variant, speed)}.gch', f'cosim/verilated.hpp $(COSIM_HOW){" $(call made,tb gcc)" if variant == "sc" else ""}', '@mkdir -p $(@D)', f'@echo "  CXX  verilated.h ({variant})"', '@cp $< $(@:.gch=)',
                  f'@{COMPILE[variant]} {OPTIMIZE[speed][variant]} {model_defines(variant)} -x c++-header -c $< -o $@')


def engine(r):
    """Verilator's runtime and the engine, for lockstep without and with waves, and for SystemC."""
    for name in ('engine', 'run'):
        r.add(f'{BUILD}/cosim/engine/{name}.o', f'cosim/{name}.cpp $(COSIM_HOW)', '@mkdir -p $(@D)', '@echo "  CXX  $<"', '@$(COSIM_COMPILE) -c $< -o $@')
    for variant, names in RUNTIME.items():
        for n in names:
            r.add(f'{BUILD}/cosim/runtime/{variant}/{n}.o', f'$(VERILATOR_INCLUDE)/{n}.cpp $(COSIM_HOW)', '@mkdir -p $(@D)', f'@echo "  CXX  {n}.cpp ({variant})"',
                  f'@ccache $(CXX) -std=c++17 -O3 {model_defines(variant)} -I$(VERILATOR_INCLUDE) -I$(VERILATOR_INCLUDE)/vltstd -c $< -o $@')


def memtwin_rtl(r, machine):
    """The command, with these sets of parameters Verilated."""
    for b in sorted({m.name for m, _ in machine}):
        r.add(f'{BUILD}/cosim/{b}/rtl_block.o', 'cosim/rtl_block.cpp $(COSIM_HOW)', '@mkdir -p $(@D)', f'@echo "  CXX  {b} (face rtl)"',
              f'@$(COSIM_COMPILE) -DCOSIM_BLOCK={b} -DCOSIM_LIST={b.upper()} -c $< -o $@')
    for m, s in machine:
        in_machine(r, m.name, s, m.sets[s])
    sets = [f'{BUILD}/cosim/{m.name}/{s}/fast' for m, s in machine]
    objects = [*(f'{s}/rtl_set.o' for s in sets), *(f'{BUILD}/cosim/{b}/rtl_block.o' for b in sorted({m.name for m, _ in machine})), *(f'{s}/V.a' for s in sets)]
    r.add(f'{BUILD}/memtwin-rtl', f'$(CLI_OBJ) $(LIB_OBJ) {" ".join(objects)} {runtime("fast")} $(LINKED)', '@echo "  LINK $@"', '@$(CXX) $(LDFLAGS) $(filter %.o %.a,$^) $(LDLIBS) -o $@')


def of_set(r, block, name, chosen):
    for rules in (lockstep, systemc, twin, netlist, lint):
        rules(r, block, name, chosen)


def everything(listed, targets):
    """All named sets, their rules, and the targets that are no files.  Makefile keeps texts in made/."""
    Path(f'{BUILD}/made').mkdir(parents=True, exist_ok=True)
    r = Rules()
    precompiled(r)
    engine(r)
    machine = [(m, s) for m in listed for s in m.machine.get('sets', [])]
    for m in listed:
        parts_header(m.name)
        describe(r, m.name)
        for name, chosen in m.sets.items():
            of_set(r, m.name, name, chosen)
    memtwin_rtl(r, machine)
    lists = {'BLOCKS': [m.name for m in listed], 'DESCRIBE': [f'{BUILD}/describe/{m.name}' for m in listed], 'CAPTURED': [f'{m.name}/{s}' for m in listed for s in m.captures], 'COSIM_DEF_fast': model_defines('fast').split()}
    write(f'{BUILD}/sets.mk', ''.join(f'{n} := {" ".join(words)}\n' for n, words in lists.items()) + f'.PHONY: {" ".join(targets)}\n')
    write(f'{BUILD}/rules.mk', '\n'.join(r.text))


def given(build, block, name, text, vec):
    """The custom set of PARAMS= or of a .vec file: (files to include, [(block, set, parameters)]).  BLOCK and SET become its names."""
    if text and name not in ('', 'custom'):
        raise params.ParamError(f'SET: found "{name}" and PARAMS="{text}", expected one of the two')
    wanted = '' if name.startswith('custom') else name
    found = params.set_of_vec(vec, block, wanted, text) if vec else params.set_of(block, text)
    block, name, chosen = found
    chosen_file = f'{build}/sets/{block}.{name}.mk'
    write(chosen_file, f'override BLOCK := {block}\noverride SET := {name}\n')
    if name in manifest.read(block).sets:
        return chosen_file, [found]
    r = Rules()
    of_set(r, block, name, chosen)
    write(f'{build}/rules-{block}-{name}.mk', '\n'.join(r.text))
    return f'{chosen_file} {build}/rules-{block}-{name}.mk', [found]


def with_own(build, sets, path, named, state):
    """Lockstep of these sets with a user's RTL: (file to include, block/set), in folders of their own."""
    blocks = sorted({block for block, _, _ in sets})
    if len(blocks) != 1:
        raise params.ParamError(f'RTL={path}: found {len(blocks)} blocks, expected one BLOCK=')
    rtl, r = own_rtl.OwnRtl(path, named, blocks[0]), Rules()
    digest = rtl.digest(state)
    for block, name, chosen in sets:
        lockstep(r, block, f'{name}_rtl_{digest}', chosen, Own(rtl, name, state))
    rules = f'{build}/rules-{blocks[0]}-rtl-{digest}.mk'
    write(rules, '\n'.join(r.text))
    return rules, [f'{block}/{name}_rtl_{digest}' for block, name, _ in sets]


def main():
    global BUILD
    BUILD, goals, block, name, text, vec, rtl, module, state, given_here, makefiles, *numbers = sys.argv[1:]
    make = '\n'.join(Path(p).read_text() for p in makefiles.split())
    try:
        for said in [*asked.no_numbers(numbers), *asked.wrong(goals.split(), given_here.split(), make)]:
            raise params.ParamError(said)
        known = manifest.blocks()
        for b in block.split() if 'new' not in goals.split() else []:
            params.known_block(b)
        if (state == '0' or module) and not rtl:
            raise params.ParamError(f'{"TOP" if module else "STATE=0"}: found no RTL=, expected RTL= with it')
        listed = [manifest.read(b) for b in known]
        everything(listed, asked.helped(make))
        own, sets = given(BUILD, block, name, text, vec) if text or vec else ('', [(m.name, s, p) for m in listed for s, p in m.sets.items() if m.name in (block.split() or known) and name in ('', s)])
        file, selected = with_own(BUILD, sets, rtl, module, state) if rtl else ('', [f'{b}/{s}' for b, s, _ in sets])
        print(f'{BUILD}/sets.mk', f'{BUILD}/rules.mk', own, file, ' '.join(selected))
    except params.ParamError as e:
        print(e)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
