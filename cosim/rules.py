# SPDX-License-Identifier: Apache-2.0
"""Generates makefiles from the manifests: "sets" in build/ names blocks, parameter sets and targets, "rules" has one flat rule for each product.
usage: python3 -B -m cosim.rules BUILD GOALS BLOCK SET PARAMS VEC RTL TOP STATE MAKEFILES [VARIABLE=value ...] [+VARIABLE=value of the environment ...]
Prints the rule files to include, and block/set for each set that BLOCK, SET, PARAMS and VEC select.  Refuses in one line an unknown block,
parameter set or parameter, and the errors that asked.py finds in the variables.
A product depends on the text of its rule, kept in BUILD/rules/: it is built again when a parameter, a command or the list of sources changes."""
import functools
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from cosim import asked, manifest, own_rtl, params, parts
from cosim.folder import write
from cosim.manifest import Manifest, Params
from cosim.reach import Reach

# Of a set of RTL, plain and traced: the ending of its name, macros, options of Verilator, optimisation, files of Verilator's runtime.
PLAIN, TRACED, COVERED = '', '.waves', '.cover'
VARIANTS = (PLAIN, TRACED)
NAMES = {PLAIN: 'plain', TRACED: 'waves', COVERED: 'cover'}
DEFINES = {
    PLAIN: '-DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0',
    TRACED: '-DVM_COVERAGE=0 -DVM_SC=0 -DVM_TRACE=1 -DVM_TRACE_FST=1 -DVM_TRACE_VCD=0 -DCOSIM_TRACE',
    COVERED: '-DVM_COVERAGE=1 -DVM_SC=0 -DVM_TRACE=0 -DVM_TRACE_FST=0 -DVM_TRACE_VCD=0',
}
REPORT = '>/dev/null'  # Verilator's statistics, which newer versions print; warnings are on the other output
VERILATE = {
    PLAIN: '--assert',
    TRACED: '--assert --trace-fst',
    COVERED: '--assert --coverage-line --coverage-toggle -fno-split',  # a split block loses the argument of a function
}
OPTIMIZE = {
    'fast': {PLAIN: '$(COSIM_OPT)', TRACED: '-O1', COVERED: '-O1'},
    'slow': dict.fromkeys(NAMES, '-O0'),
}  # 'slow': the files of a Verilated class that run once
RUNTIME = {
    PLAIN: ['verilated', 'verilated_threads'],
    TRACED: ['verilated', 'verilated_threads', 'verilated_fst_c'],
    COVERED: ['verilated', 'verilated_threads', 'verilated_cov'],
}
ENGINE = ('engine', 'gates', 'given', 'gtkw', 'run')
SHARED = '-fPIC -fvisibility=hidden'
SANITIZE = '-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all'  # of the twin alone, as in the unit tests
BUILD = 'build'


# Where the faces of a block are.
def folders(block: str) -> list[str]:
    return [f'rtl/{b}' for b in (block, *parts.of(block))] + ['rtl/lib']


@functools.cache
def listed(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def files(block: str, *kinds: str) -> list[str]:
    return sorted(
        f'{folder}/{name}'
        for folder in folders(block)
        for name in listed(folder)
        if name.endswith(tuple(f'.{kind}' for kind in kinds))
    )


def top(block: str) -> tuple[str, str]:
    """File and module of its RTL."""
    return manifest.rtl_of(block), manifest.module(block)


def stimulus(block: str) -> str:
    """Random stimulus and coverage; it includes scenarios.cpp of the same folder."""
    return f'cosim/blocks/{block}/bench.cpp'


def twins(block: str) -> str:
    return ' '.join(f'$(O)/cmodel/blocks/{b}.o' for b in (block, *parts.of(block)))


def engine_objects() -> str:
    return ' '.join(f'{BUILD}/cosim/engine/{n}.o' for n in ENGINE)


class Rules:
    """Text of makefiles; each product depends on its own rule's text."""

    def __init__(self) -> None:
        self.text: list[str] = []

    def add(self, product: str, needs: str, *recipe: str, before: str = '') -> None:
        """`before`: order-only prerequisites."""
        rule = f'{product}: {needs}{f" | {before}" if before else ""}\n' + ''.join(f'\t{line}\n' for line in recipe)
        kept = f'{BUILD}/rules/{product.removeprefix(BUILD + "/").replace("/", ".")}.rule'
        write(kept, rule)
        self.text.append(rule.replace(needs, f'{needs} {kept}', 1))


def include(block: str, name: str = '') -> str:
    """The folder of the headers that header.py writes for a block or one of its sets."""
    return f'{BUILD}/headers/{block}{"/" if name else ""}{name}'


def block_headers(r: Rules, block: str, name: str = '', words: str = '') -> None:
    """`words`: more arguments of header.py, the set first.  cosim.mk has the rule of the headers: those that stay as they were are older than `made`."""
    sets = f' {BUILD}/sets/{block}/{words.split()[0]}' if words else ''
    r.add(
        f'{include(block, name)}/made',
        f'{BUILD}/describe/{block} cosim/header.py{sets}',
        f'@$(PY) cosim.header {BUILD} {block} {words}'.rstrip(),
        '@touch $@',
    )


@dataclass
class Own:
    """RTL of a user in place of the block's RTL, for the set named `shown`."""

    rtl: own_rtl.OwnRtl
    shown: str
    state: str

    def words(self) -> str:
        return self.rtl.shown() + (f' STATE={self.state}' if self.state else '')


def header(variant: str, speed: str = 'fast') -> str:
    """The copy of cosim/verilated.hpp that is precompiled with the compiler options of this variant and speed."""
    return f'{BUILD}/cosim/headers/{NAMES[variant]}-{speed}.hpp'


def headers(variant: str) -> str:
    return ' '.join(f'{header(variant, speed)}.gch' for speed in OPTIMIZE)


def with_header(variant: str, speed: str = 'fast', folder: str = '.') -> str:
    """Options of a compiler that runs in that folder.  Paths are relative, so a copy of the tree hits the same ccache entries."""
    return f'$(filter -std=% -g% -m%,$(COSIM_COMPILE)) {SHARED} {OPTIMIZE[speed][variant]} -include {os.path.relpath(header(variant, speed), folder)}'


def compiled(out: str, prefix: str, variant: str, folder: str = 'rtl') -> str:
    """A compiler takes one precompiled header, ours: newer versions of Verilator have one for each model."""
    fast, slow = (with_header(variant, speed, f'{out}/{folder}') for speed in OPTIMIZE)
    return (
        f"@$(dry)$(MAKE) -s -C {out}/{folder} -f {prefix}.mk {prefix}__ALL.a OBJCACHE=ccache OPT_FAST='{fast}' OPT_SLOW='{slow}' OPT_GLOBAL=-O1 VK_PCH_I_FAST= VK_PCH_I_SLOW= >{out}/build.log 2>&1 "
        f'|| {{ cat {out}/build.log; exit 1; }}'
    )


def verilated(r: Rules, block: str, name: str, chosen: Params, variant: str, out: str) -> None:
    """The RTL as C++.  Every warning is fatal, UNOPTFLAT in particular.  Only custom sets unroll long loops: an unrolled large set takes
    minutes to compile."""
    file, module = top(block)
    lists = [f'cmodel/blocks/{b}.h' for b in (block, *parts.of(block))]
    prefix = f'V{block}_{name}'
    r.add(
        f'{out}/V.a',
        ' '.join(files(block, 'sv', 'svh') + lists) + ' cosim/registers.sh cosim/verilated.hpp $(COSIM_HOW)',
        f'@rm -rf {out} && mkdir -p {out}/rtl',
        f'@echo "  VLT  {block}/{name}{variant}"',
        f'@cosim/registers.sh "$(CC) $(CPPFLAGS)" {" ".join(f"{b}={top(b)[1]}" for b in (block, *parts.of(block)))} >{out}/public.vlt',
        f'@$(VERILATE) {"".join(f"{w} " for w in params.UNROLL) if name.startswith("custom_") else ""}{VERILATE[variant]} --top-module {module} --prefix {prefix} --Mdir {out}/rtl {" ".join(f"-y {f}" for f in folders(block))} '
        f'{" ".join(f"-G{n}={v}" for n, v in chosen.items())} {out}/public.vlt {file} {REPORT}',
        compiled(out, prefix, variant),
        f'@mv {out}/rtl/{prefix}__ALL.a $@',
        before=headers(variant),
    )


def verilated_own(r: Rules, block: str, name: str, chosen: Params, variant: str, out: str, own: Own) -> None:
    """Like verilated(), for a user's RTL: ports and registers are checked first, its warnings are not fatal.  With coverage Verilator reads a copy."""
    prefix = f'V{block}_{name}'
    folder, listing = ('verilated', 'covered.f') if variant == COVERED else ('rtl', 'own.f')
    copied = f"@$(PY) cosim.conditions {out}/rtl --own {block} '{own.rtl.given}' {own.rtl.top_given}".rstrip()
    r.add(
        f'{out}/V.a',
        f'{" ".join(map(str, own.rtl.needs))} {BUILD}/describe/{block} cosim/own_rtl.py cosim/registers.sh cosim/verilated.hpp $(COSIM_HOW)'
        + (' cosim/conditions.py' if variant == COVERED else ''),
        f'@rm -rf {out} {out}.so && mkdir -p {out}/{folder}',
        f"@$(PY) cosim.own_rtl prepare {block} '{own.rtl.given}' '{own.rtl.top_given}' '{own.state}' {BUILD} {out} {' '.join(f'{n}={v}' for n, v in chosen.items())}",
        f'@echo "  VLT  {block}/{own.shown}{variant} of {own.rtl.given}"',
        *([copied] if variant == COVERED else []),
        f'@$(VERILATE) {" ".join([*own_rtl.QUIET, *own_rtl.UNROLL])} {VERILATE[variant]} --top-module {own.rtl.module} --prefix {prefix} --Mdir {out}/{folder} {out}/public.vlt -f {out}/{listing} {REPORT}',
        compiled(out, prefix, variant, folder),
        f'@mv {out}/{folder}/{prefix}__ALL.a $@',
        before=headers(variant),
    )


def verilated_covered(r: Rules, block: str, name: str, chosen: Params, out: str) -> None:
    """Like verilated(), of a copy of the RTL in which conditions are branches.  Lint has read the RTL itself."""
    module = manifest.module(block)
    lists = [f'cmodel/blocks/{b}.h' for b in (block, *parts.of(block))]
    prefix = f'V{block}_{name}'
    copies = [f'{out}/rtl/{Path(f).name}' for f in folders(block)]
    r.add(
        f'{out}/V.a',
        ' '.join(files(block, 'sv', 'svh') + lists)
        + ' cosim/registers.sh cosim/conditions.py cosim/verilated.hpp $(COSIM_HOW)',
        f'@rm -rf {out} && mkdir -p {out}/verilated',
        f'@echo "  VLT  {block}/{name}{COVERED}"',
        f'@$(PY) cosim.conditions {out}/rtl {" ".join(folders(block))}',
        f'@cosim/registers.sh "$(CC) $(CPPFLAGS)" {" ".join(f"{b}={top(b)[1]}" for b in (block, *parts.of(block)))} >{out}/public.vlt',
        f'@$(filter-out -Irtl/lib,$(VERILATE)) {VERILATE[COVERED]} --top-module {module} --prefix {prefix} --Mdir {out}/verilated {" ".join(f"-y {c}" for c in copies)} '
        f'{" ".join(f"-G{n}={v}" for n, v in chosen.items())} {out}/public.vlt {copies[0]}/{module}.sv {REPORT}',
        compiled(out, prefix, COVERED, 'verilated'),
        f'@mv {out}/verilated/{prefix}__ALL.a $@',
        before=headers(COVERED),
    )


def runtime(variant: str) -> str:
    return ' '.join(f'{BUILD}/cosim/runtime/{NAMES[variant]}/{n}.o' for n in RUNTIME[variant])


def linked(r: Rules, program: str, objects: str, libraries: str) -> None:
    r.add(program, objects, f'@$(CXX) $(filter %.o %.a,$^) {libraries} $(whole)')


def rtl_set(
    r: Rules, block: str, name: str, chosen: Params, own: Own | None = None, variants: tuple[str, ...] = VARIANTS
) -> None:
    """The Verilated RTL of a set as a shared object, build/rtl/<block>/<set>.so and .waves.so: the machine, lockstep and SystemC load it."""
    words = f'{own.shown} {name} {own.rtl.module} {own.state or 1}' if own else name
    if variants == VARIANTS:
        block_headers(r, block, name, words)
    for variant in variants:
        out = f'{BUILD}/rtl/{block}/{name}{variant}'
        if own:
            verilated_own(r, block, name, chosen, variant, out, own)
        elif variant == COVERED:
            verilated_covered(r, block, name, chosen, out)
        else:
            verilated(r, block, name, chosen, variant, out)
        r.add(
            f'{out}/set.o',
            f'cosim/rtl_set.cpp {include(block, name)}/rtl.hpp {out}/V.a',
            f'@rm -f {out}.so',
            f'@echo "  CXX  {block}/{own.shown if own else name}{variant}.so"',
            f'@$(COSIM_COMPILE) {with_header(variant)} {DEFINES[variant]} -I{include(block, name)} -isystem {out}/{"verilated" if variant == COVERED else "rtl"} -c $< $(whole-object)',
        )
        r.add(
            f'{out}.so',
            f'{out}/set.o {out}/V.a {runtime(variant)} cosim/rtl_set.map',
            '@$(CXX) -shared -Wl,-Bsymbolic -Wl,-z,defs -Wl,--version-script=cosim/rtl_set.map $(filter %.o %.a,$^) -lz -lpthread $(whole)',
        )


def lockstep(r: Rules, block: str) -> None:
    """One program for all sets of a block: --rtl loads a set; --set and --gates run one."""
    out = f'{BUILD}/cosim/{block}'
    r.add(
        f'{out}/lockstep.o',
        f'{stimulus(block)} {include(block)}/block.hpp $(COSIM_HOW)',
        '@mkdir -p $(@D)',
        f'@echo "  CXX  {block} (lockstep)"',
        f'@$(COSIM_COMPILE) -I{include(block)} -c $< $(whole-object)',
    )
    linked(r, f'{out}/lockstep', f'{out}/lockstep.o {twins(block)} $(COSIM_C) {engine_objects()}', '-lpthread')


def systemc(r: Rules, block: str, name: str, chosen: Params) -> None:
    """One program per set: pin types depend on the widths."""
    out = f'{BUILD}/tb/{block}/{name}'
    r.add(
        f'{out}/main.o',
        f'tb/systemc/main.cpp {include(block, name)}/pins.hpp $(COSIM_HOW) $(call made,tb gcc)',
        '@mkdir -p $(@D)',
        f'@echo "  CXX  {block}/{name} (SystemC)"',
        f'@$(TB_COMPILE) -I{include(block, name)} -Icosim/blocks/{block} -c $< $(whole-object)',
    )
    linked(
        r,
        f'{out}/bench',
        f'{out}/main.o {twins(block)} $(COSIM_C) {BUILD}/cosim/engine/engine.o',
        '-lsystemc -lpthread',
    )


def twin(r: Rules, block: str) -> None:
    """The scenarios on the twin alone, with the sanitizers of the unit tests; needs no Verilator."""
    out = f'{BUILD}/cosim/{block}/twin'
    of = (block, *parts.of(block))
    r.add(
        out,
        ' '.join(['cosim/twin.cpp', *(f'cmodel/blocks/{b}.c' for b in of)])
        + f' {include(block)}/block.hpp {BUILD}/cosim/engine/given.o $(COSIM_C) $(COSIM_HOW) $(call made,gcc)',
        '@mkdir -p $(@D)',
        f'@echo "  CXX  {block} (twin)"',
        *(
            f'@$(CC) -std=c17 {SANITIZE} $(CPPFLAGS) -MMD -MP -MT {out} -MF {out}.{b}.d -c cmodel/blocks/{b}.c -o {out}.{b}.o'
            for b in of
        ),
        f'@ccache $(CXX) -std=c++20 {SANITIZE} -Wall -Wextra -Werror -Icosim $(CPPFLAGS) -MMD -MP -MT {out} -MF {out}.d -I{include(block)} -Icosim/blocks/{block} -c $< -o {out}.o',
        f'@$(CXX) {SANITIZE} {out}.o {" ".join(f"{out}.{b}.o" for b in of)} $(filter %.o,$^) $(whole)',
    )


def lint(r: Rules, block: str, name: str, chosen: Params) -> None:
    """Verilator, Icarus and Yosys, warnings fatal; then ports and registers against the list."""
    file, module = top(block)
    out, sources, include = (
        f'{BUILD}/lint/{block}.{name}',
        ' '.join(files(block, 'sv')),
        ' '.join(f'-I{f}' for f in folders(block)),
    )
    r.add(
        f'{out}.ok',
        f'{" ".join(files(block, "sv", "svh"))} synth/lint_ports.py {BUILD}/describe/{block} $(call made,lint)',
        '@mkdir -p $(@D)',
        f'@echo "  LINT {block} {name}"',
        f'@verilator --lint-only -Wall {" ".join(params.UNROLL)} {include} --top-module {module} {" ".join(f"-G{n}={v}" for n, v in chosen.items())} {file} {REPORT}',
        f'@iverilog -g2012 -Wall -Wno-timescale {include} -s {module} {" ".join(f"-P{module}.{n}={v}" for n, v in chosen.items())} -t null {sources} >{out}.icarus 2>&1 '
        f'|| {{ cat {out}.icarus; false; }}',
        f"@yosys -q -e '.*' -p 'read_verilog -sv {include} {sources}; hierarchy -check -top {module} {' '.join(f'-chparam {n} {v}' for n, v in chosen.items())}; proc; "
        f"check -assert; write_json {out}.rtl.json'",
        f'@{BUILD}/describe/{block} --json {" ".join(f"{n}={v}" for n, v in chosen.items())} >{out}.list.json',
        f'@$(PY) synth.lint_ports {out}.list.json {out}.rtl.json {module}',
        '@touch $@',
    )


def describe(r: Rules, block: str) -> None:
    """build/describe/<block> prints the lists of <block>.h: --json, --markdown or --text, then Parameter=value ..."""
    r.add(
        f'{BUILD}/describe/{block}',
        'cosim/describe.c $(COSIM_HOW) $(call made,gcc)',
        '@mkdir -p $(@D)',
        f'@$(CC) $(CPPFLAGS) -std=c17 -O1 $(WARN) -include cmodel/blocks/{block}.h -DBLOCK={block} -DBLOCK_UC={block.upper()}{" -DPARTS" if parts.of(block) else ""} -MMD -MP -MT $@ -MF $@.d $< $(whole) '
        f'|| {{ $(PY) cosim.parts cmodel/blocks/{block}.h cmodel/blocks/*_file.h; exit 1; }}',
    )


def precompiled(r: Rules, variants: tuple[str, ...] = VARIANTS) -> None:
    for variant in variants:
        for speed in OPTIMIZE:
            r.add(
                f'{header(variant, speed)}.gch',
                'cosim/verilated.hpp $(COSIM_HOW)',
                '@mkdir -p $(@D)',
                f'@echo "  CXX  verilated.h ({NAMES[variant]})"',
                '@cp $< $(@:.gch=)',
                f'@$(COSIM_COMPILE) {SHARED} {OPTIMIZE[speed][variant]} {DEFINES[variant]} -x c++-header -c $< $(whole-object)',
            )


def engine(r: Rules) -> None:
    """The block-independent part of lockstep, and Verilator's runtime."""
    for name in ENGINE:
        r.add(
            f'{BUILD}/cosim/engine/{name}.o',
            f'cosim/{name}.cpp $(COSIM_HOW)',
            '@mkdir -p $(@D)',
            '@echo "  CXX  $<"',
            '@$(COSIM_COMPILE) -c $< $(whole-object)',
        )
    runtimes(r)


def runtimes(r: Rules, variants: tuple[str, ...] = VARIANTS) -> None:
    for variant in variants:
        for n in RUNTIME[variant]:
            r.add(
                f'{BUILD}/cosim/runtime/{NAMES[variant]}/{n}.o',
                f'$(VERILATOR_INCLUDE)/{n}.cpp $(COSIM_HOW)',
                '@mkdir -p $(@D)',
                f'@echo "  CXX  {n}.cpp ({NAMES[variant]})"',
                f'@ccache $(CXX) -std=c++17 -O3 {SHARED} {DEFINES[variant]} -I$(VERILATOR_INCLUDE) -I$(VERILATOR_INCLUDE)/vltstd -c $< $(whole)',
            )


def write_set(block: str, name: str, chosen: Params) -> None:
    """The parameters of a set, for programs that take --set."""
    write(f'{BUILD}/sets/{block}/{name}', ' '.join(f'{n}={v}' for n, v in chosen.items()) + '\n')


def drop_old(block: str) -> None:
    """Removes custom sets that are older than their sources: the machine loads any set of build/rtl, and make builds custom sets on demand only."""
    customs = list(Path(f'{BUILD}/rtl/{block}').glob('custom_*.so'))
    for path in customs if customs else []:
        sources = [*files(block, 'sv', 'svh'), *(f'cmodel/blocks/{b}.h' for b in (block, *parts.of(block)))]
        if any(os.path.getmtime(f) > path.stat().st_mtime for f in sources):
            path.unlink(missing_ok=True)


def of_set(r: Rules, block: str, name: str, chosen: Params) -> None:
    write_set(block, name, chosen)
    rtl_set(r, block, name, chosen)
    systemc(r, block, name, chosen)
    lint(r, block, name, chosen)


def everything(listed: list[Manifest], targets: dict[str, str]) -> None:
    """All named sets, their rules, and the phony targets.  Makefile keeps texts in made/."""
    Path(f'{BUILD}/made').mkdir(parents=True, exist_ok=True)
    r = Rules()
    precompiled(r)
    engine(r)
    limits = params.limits_of(tuple(m.name for m in listed))
    for m in listed:
        for rules in (describe, lockstep, twin):
            rules(r, m.name)
        block_headers(r, m.name)
        drop_old(m.name)
        for name, chosen in m.sets.items():
            params.legal(m, chosen, limits[m.name], m.where('sets', name))
            of_set(r, m.name, name, chosen)
    lists = {
        'BLOCKS': [m.name for m in listed],
        'DESCRIBE': [f'{BUILD}/describe/{m.name}' for m in listed],
        'CAPTURED': [f'{m.name}/{s}' for m in listed for s in m.captures],
        'MACHINE_SETS': [f'{m.name}/{s}' for m in listed for s in m.machine.get('sets', [])],
        'COSIM_DEF': DEFINES[PLAIN].split(),
        'SELFTESTS': sorted(t for t in targets if t.endswith('-selftest')),
    }
    write(
        f'{BUILD}/sets.mk',
        ''.join(f'{n} := {" ".join(words)}\n' for n, words in lists.items()) + f'.PHONY: {" ".join(targets)}\n',
    )
    write(f'{BUILD}/rules.mk', '\n'.join(r.text))


def given(build: str, block: str, name: str, text: str, vec: str) -> tuple[str, list[tuple[str, str, Params]]]:
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


def with_own(
    build: str, sets: list[tuple[str, str, Params]], path: str, named: str, state: str
) -> tuple[str, list[str]]:
    """These sets with a user's RTL: (file to include, block/set), in folders of their own."""
    blocks = sorted({block for block, _, _ in sets})
    if len(blocks) != 1:
        raise params.ParamError(f'RTL={path}: found {len(blocks)} blocks, expected one BLOCK=')
    rtl, r = own_rtl.OwnRtl(path, named, blocks[0]), Rules()
    digest = rtl.digest(state)
    for block, name, chosen in sets:
        own = Own(rtl, name, state)
        rtl_set(r, block, f'{name}_rtl_{digest}', chosen, own)
        systemc(r, block, f'{name}_rtl_{digest}', chosen)
    r.text.append(f'COSIM_SELECT := {own.words()}\n')
    rules = f'{build}/rules-{blocks[0]}-rtl-{digest}.mk'
    write(rules, '\n'.join(r.text))
    return rules, [f'{block}/{name}_rtl_{digest}' for block, name, _ in sets]


def with_coverage(build: str, sets: list[tuple[str, str, Params]], name: str, path: str, named: str, state: str) -> str:
    """Files to include, with the rules of builds with coverage: of the sets that `name`, of SET= or PARAMS=, selects, or else of those that coverage.toml
    lists; of the RTL in `path`, if there is one."""
    if not name:
        sets = [(block, s, chosen) for block, s, chosen in sets if s in Reach(manifest.read(block)).sets()]
    r, built = Rules(), []
    precompiled(r, (COVERED,))
    runtimes(r, (COVERED,))
    for block, s, chosen in sets:
        own = Own(own_rtl.OwnRtl(path, named, block), s, state) if path else None
        built.append(f'{block}/{s}{f"_rtl_{own.rtl.digest(state)}" if own else ""}')
        rtl_set(r, block, built[-1].split('/')[1], chosen, own, variants=(COVERED,))
    write(f'{build}/sets-coverage.mk', f'COVERED := {" ".join(built)}\n')
    write(f'{build}/rules-coverage.mk', '\n'.join(r.text))
    return f'{build}/sets-coverage.mk {build}/rules-coverage.mk'


def known_sets(names: str, sets: list[str], block: str) -> None:
    """Checks SET= against the parameter sets of the selected blocks: make would build or run nothing for an unknown name."""
    for name in names.split():
        if name not in sets:
            raise params.ParamError(
                f'SET: found "{name}", no such block or parameter set: expected a set of {block or "a block"}{manifest.nearest(name, sets)}; rtl/*/*.toml names them'
            )


def own_build() -> None:
    """Checks B= of the command line: a new folder, or one written by make, since make clean removes it."""
    others = {*listed(BUILD)} - {'make.lock'}
    if BUILD != 'build' and others and 'made' not in others:
        raise params.ParamError(
            f'B={BUILD}: found a folder with other files ({min(others)}), expected a new name or a folder that make has built in'
        )


def main() -> int:
    global BUILD
    BUILD, goals, block, name, text, vec, rtl, module, state, makefiles, *values = sys.argv[1:]
    make = '\n'.join(Path(p).read_text() for p in makefiles.split())
    inherited = [v[1:].split('=', 1)[0] for v in values if v.startswith('+')]
    try:
        own_build()
        for said in [*asked.tree(os.getcwd(), 'this tree'), *asked.tree(BUILD, 'B')] or asked.wrong(
            goals.split(), dict(v.lstrip('+').split('=', 1) for v in values), make, inherited
        ):
            raise params.ParamError(said)
        known = manifest.blocks()
        for b in block.split() if 'new' not in goals.split() else []:
            params.known_block(b)
        if (state == '0' or module) and not rtl:
            raise params.ParamError(f'{"TOP" if module else "STATE=0"}: found no RTL=, expected RTL= with it')
        listed = [manifest.read(b) for b in known]
        if not (text or vec):
            known_sets(name, [s for m in listed if m.name in (block.split() or known) for s in m.sets], block)
        everything(listed, asked.helped(make))
        own, sets = (
            given(BUILD, block, name, text, vec)
            if text or vec
            else (
                '',
                [
                    (m.name, s, p)
                    for m in listed
                    for s, p in m.sets.items()
                    if m.name in (block.split() or known) and (not name or s in name.split())
                ],
            )
        )
        file, selected = with_own(BUILD, sets, rtl, module, state) if rtl else ('', [f'{b}/{s}' for b, s, _ in sets])
        covered = (
            with_coverage(BUILD, sets, name or text or vec, rtl, module, state) if 'coverage' in goals.split() else ''
        )
        print(f'{BUILD}/sets.mk', f'{BUILD}/rules.mk', own, file, covered, ' '.join(selected))
    except params.ParamError as e:
        print(e)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
