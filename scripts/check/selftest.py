# SPDX-License-Identifier: Apache-2.0
"""make check-selftest: plants one violation per case in a copy of the tree; the rule must report it."""
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor

from scripts.check import python
from scripts.check.check import DOCUMENTS, ROOT, RULES, TOOLS, Tree, files
from scripts.check.rules import FACES, params
from scripts.testing import Checks, main

OUT = ROOT / 'build/check-selftest'
ALL_RULES = {r.__name__: r for r in [*RULES, *DOCUMENTS, *python.TEXT, *TOOLS]}
BLOCK = 'mshr'
RTL = f'rtl/{BLOCK}/mt_{BLOCK}.sv'
FACE_FILES = {
    'ports': f'cmodel/blocks/{BLOCK}.h',
    'twin': f'cmodel/blocks/{BLOCK}.c',
    'rtl': RTL,
    'readme': f'rtl/{BLOCK}/README.md',
    'formal': f'rtl/{BLOCK}/mt_{BLOCK}_formal.sv',
    'cosim': f'cosim/blocks/{BLOCK}/bench.cpp',
    'scenarios': f'cosim/blocks/{BLOCK}/scenarios.cpp',
}
MANIFEST = f'rtl/{BLOCK}/{BLOCK}.toml'
# Manifest face -> (text, replacement that removes the face).
FACE_KEYS = {
    'sets': ('[sets]', '[sets.none]'),
    'runs': ('\nruns = ', '\nrans = '),
    'bugs': ('[bugs]', '[captures.none]'),
    'prove': ('\nquick = [\n', '\nslow = [\n'),
    'synth': ('[synth]\nquick', '[synth]\nslow'),
}
PORT = (
    ');\n  `MT_PARAM_CHECK(g_illegal_entries',
    "  , output logic planted_o\n);\n  assign planted_o = 1'b0;\n  `MT_PARAM_CHECK(g_illegal_entries",
)
REGISTER = (
    '  // ---- registers\n',
    "  logic planted_q, planted_unused;\n  always_ff @(posedge clk_i) planted_q <= rst_ni;\n"
    "  assign planted_unused = &{1'b0, planted_q};\n",
)
PAST_END = 'uint64_t planted(const struct mshr *m);\nuint64_t planted(const struct mshr *m)\n{\n    return m->addr_q[MSHR_MAX_ENTRIES];\n}\n'
UNSET = 'int planted(void);\nint planted(void)\n{\n    int a[2];\n    a[0] = 1;\n    return a[2];\n}\n'
BESIDE = 'docs/papers-beside-ours.md'
BESIDE_ROW = '| Planted, figure 1 | <!-- study a, paper -->1.500<!-- /study --> | <!-- study a -->1.100<!-- /study --> | | {} |\n'
COMMAND = '\n    build/memtwin run nokernel --preset nopreset --rtl norock --set no.key=1 --nooption\n'

# Rule, file, change (text: appended, or a new file; None: file deleted; pair: replaced), part of the expected report.
PLANTS = [
    *(('faces', f, None, f'rtl/{BLOCK}: no {face}') for face, f in FACE_FILES.items()),
    *(('faces', MANIFEST, change, f'rtl/{BLOCK}: no {face}') for face, change in FACE_KEYS.items()),
    ('manifests', MANIFEST, ('[formal]', '[frmal]'), f'{BLOCK}.toml:'),
    ('manifests', MANIFEST, ('tiny   = "Entries=2', 'tiny   = "Entires=2'), 'found "Entires", expected one of'),
    ('manifests', MANIFEST, ('tiny   = "Entries=2', 'tiny   = "Entries=1'), 'expected Entries from 2'),
    (
        'manifests',
        'rtl/bpg/bpg.toml',
        ('one    = "Calcs=3 Sets=1 SampledSets=1', 'one    = "Calcs=3 Sets=1 SampledSets=2'),
        'bpg.toml:15: sets.one: found Sets=1, SampledSets=2; expected SampledSets <= Sets',
    ),
    (
        'manifests',
        'rtl/bpg/bpg.toml',
        ('"SampledSets <= Sets"', '"SampledSets <= Stes"'),
        'rules.SampledSets <= Stes: expected an expression over Calcs, ',
    ),
    ('manifests', MANIFEST, ('"bmc 9 ', '"bcm 9 '), 'expected one of bmc, induction, compose'),
    (
        'manifests',
        MANIFEST,
        ('at = "tiny", old = ".vector_i', 'at = "tniy", old = ".vector_i'),
        'found "tniy", expected one of',
    ),
    ('manifests', RTL, ('.vector_i(~busy_q | freed)', '.vector_i(freed | ~busy_q)'), 'found 0 times in'),
    ('faces', 'rtl/planted/planted.sv', 'module planted; endmodule\n', 'rtl/planted: no tests'),
    ('faces', 'docs/blocks.md', (f'](../rtl/{BLOCK}/README.md)', ']()'), f'rtl/{BLOCK}: no listed'),
    (
        'valids',
        'cmodel/blocks/mshr_file.h',
        ('X(BIT,   req_valid_i, ', 'X(BIT,   ask_valid_i, '),
        'req_addr_i: payload without its valid',
    ),
    (
        'valids',
        'cmodel/blocks/cap.h',
        ('X(oversubscribed_i, fault_valid_i)', 'X(oversubscribed_i, fault_valid)'),
        'found fault_valid, expected',
    ),
    (
        'valids',
        'cmodel/blocks/cart.h',
        ('X(out_refused_i, always)', 'X(in_info_i, always)'),
        'out_refused_i: payload without its valid',
    ),
    (
        'listed_once',
        'cmodel/blocks/mshr_file.h',
        ('"enum mshr_result")', '"enum mshr_answer")'),
        'a text says enum mshr_answer',
    ),
    (
        'listed_once',
        'cmodel/blocks/mshr_file.h',
        ('X(MSHR_RF_MERGE,  3,', 'X(MSHR_RF_MERGE,  5,'),
        'RfMerge: 3 in the RTL, 5 in the list',
    ),
    (
        'listed_once',
        'rtl/cap/mt_cap.sv',
        ("Choose = 3'd3, Window = 3'd4", "Choose = 3'd4, Window = 3'd3"),
        'Choose: 4 in the RTL, 3 in the list',
    ),
    (
        'listed_once',
        'rtl/cap/mt_cap.sv',
        ("Walk = 3'd5;", "Walk = 3'd5, Planted = 3'd6;"),
        'Planted: 6 in the RTL, in no enum of the list',
    ),
    (
        'listed_once',
        'cmodel/blocks/cap.h',
        ('"enum cap_state")', '"enum cap_sate")'),
        'a text says enum cap_sate',
    ),
    (
        'listed_once',
        'rtl/milg/mt_milg.sv',
        ('InflightW <= 10', 'InflightW <= 11'),
        'InflightW: highest value 11 in the RTL, 10 in the list',
    ),
    (
        'listed_once',
        'cmodel/blocks/qbmi.h',
        ('X(Carry,    1, 1, 31,', 'X(Carry,    1, 0, 31,'),
        'Carry: lowest value 1 in the RTL, 0 in the list',
    ),
    (
        'listed_once',
        'rtl/bank_reorder/mt_bank_reorder.sv',
        ('  `MT_PARAM_CHECK(g_illegal_rotate, Rotate == 0 || Rotate == 1)\n', ''),
        'Rotate: lowest value 0 in the list, in no',
    ),
    (
        'listed_once',
        'cmodel/blocks/set_hash.h',
        ('X(Function, 5,  0, 7,', 'X(Function, 5,  0, 8,'),
        'Function: 0 to 8 in the list, enum set_hash_function has 0 to 7',
    ),
    (
        'option_names',
        'cmodel/system/config/options.def',
        ('"plain|rbmi|qbmi|', '"plain|qbmi|rbmi|'),
        'cke.scheme: found "plain|qbmi|rbmi|',
    ),
    (
        'option_names',
        'cmodel/system/config/config.h',
        ('WRITE_EVICT, WRITE_THROUGH }', 'WRITE_THROUGH, WRITE_EVICT }'),
        'l1d.write: found "evict|through", expected "through|evict"',
    ),
    ('modules', 'rtl/lib/mt_first_one.sv', 'module planted;\nendmodule\n', 'mt_first_one planted'),
    ('prefixed', 'rtl/mshr/planted.sv', 'module planted;\nendmodule\n', 'planted: expected mt_planted'),
    ('prefixed', RTL, '`define PLANTED\n', 'PLANTED: expected MT_PLANTED'),
    ('modules', RTL, '  mt_dl_mshr_dau #(.Slots(1)) u_planted ();\n', 'instance of mt_dl_mshr_dau'),
    ('filelists', 'rtl/cart/cart.core', ('      - mt_cart_choose.sv\n', ''), 'without "- mt_cart_choose.sv"'),
    ('filelists', 'rtl/gmmu/gmmu.core', ('memtwin:rtl:cap, ', ''), 'rtl/gmmu/gmmu.core'),
    ('filelists', RTL, ('  // ---- registers\n', '  mt_cap u_planted ();\n'), 'without "depend: [memtwin:rtl:cap, '),
    ('filelists', 'rtl/mshr/planted.sv', '// Planted.\nmodule planted;\nendmodule\n', 'nothing instantiates it'),
    ('includes', 'cmodel/blocks/mshr.c', '#include <stdio.h>\n', '<stdio.h>'),
    ('includes', 'cmodel/blocks/mshr.c', '#include "base/error.h"\n', 'base/error.h'),
    ('includes', 'cmodel/trace/info.c', '#include "system/unit/unit.h"\n', 'system/unit/unit.h'),
    ('includes', 'cmodel/system/config/config.c', '#include "cli/command.h"\n', 'cli/command.h'),
    ('includes', 'cosim/run.cpp', '#include "system/unit/gpu.h"\n', 'system/unit/gpu.h'),
    ('includes', 'tests/blocks/skip.c', '#include "lockstep.hpp"\n', 'lockstep.hpp'),
    ('includes', 'cmodel/lib/library.c', '#include "cli/command.h"\n', 'cli/command.h'),
    ('includes', 'examples/twin.c', '#include "mshr.h"\n', 'examples may not include it'),
    ('includes', RTL, '`include "mt_dl_mshr_dau.sv"\n', 'mt_dl_mshr_dau.sv'),
    (
        'arrows',
        'cmodel/system/cache/tags.h',
        '#include "system/sm/sm_array.h"\n',
        'cache may use config stats unit block dram noc uvm',
    ),
    (
        'arrows',
        'cmodel/system/dram/dram.c',
        'void planted(struct uvm *u) { uvm_tick(u); }\n',
        'uvm_tick: of cmodel/system/uvm/uvm.c; dram may use',
    ),
    (
        'arrows',
        'cmodel/system/sm/warp.c',
        'void planted(struct sm *sm) { lsu_push(sm, 0); }\n',
        'a circle: cmodel/system/sm/',
    ),
    (
        'arrows',
        'cmodel/system/sm/scoreboard.h',
        ('sm->array->c->sm_warps > 64 ?', 'sm_quiet(sm) ?'),
        'sm.c (warp_words sm_quiet)',
    ),
    (
        'arrows',
        'cmodel/system/sm/sm_state.h',
        ('enum { DUE = 64 };', 'enum { DUE_ = 64 };\n#define DUE (sm_quiet, 64)'),
        'sm.c (DUE sm_quiet)',
    ),
    (
        'arrows',
        'cmodel/system/cache/sectors.h',
        '#include "system/cache/tags.h"\n',
        'tags.h -> cmodel/system/cache/sectors.h (include)',
    ),
    ('arrows', 'cmodel/system/planted/planted.h', '#include "system/unit/unit.h"\n', 'found part planted'),
    (
        'policy_names',
        'cmodel/system/sm/sm_array.c',
        'const char *planted = "pdp";\n',
        'found "pdp", expected pdp in cmodel/system/cache/replacements/pdp.c',
    ),
    (
        'policy_names',
        'cmodel/system/config/option_use.c',
        'const char *planted = "x; l1d.bypass.mode=off|bpg";\n',
        'expected bpg in cmodel/system/cache/bypasses/bpg.c',
    ),
    (
        'policy_names',
        'cmodel/system/cache/l1d.c',
        'uint64_t planted(const struct stats *s) { return s->pdp_bypassed; }\n',
        'found pdp_bypassed',
    ),
    (
        'policy_names',
        'cmodel/lib/stepped.c',
        'const char *planted = "ipoly";\n',
        'cmodel/system/cache/indexes/sets.c alone',
    ),
    (
        'policy_names',
        'cmodel/cli/cke_runs.c',
        'uint32_t planted(void) { return policy_number("replacement", "pdp"); }\n',
        'expected no name of a policy',
    ),
    ('prints', 'cmodel/system/config/config.c', 'void planted(void) { printf("x"); }\n', 'printf'),
    ('prints', 'cmodel/base/error.c', 'void planted(void) { exit(1); }\n', 'exit'),
    ('prints', 'cmodel/lib/library.c', 'void planted(void) { abort(); }\n', 'abort'),
    ('prints', 'traces/kernels/bfs.c', 'void planted(void) { fprintf(stderr, "x"); }\n', 'stderr'),
    ('prints', 'cmodel/blocks/mshr.c', 'void *planted(void) { return malloc(1); }\n', 'heap'),
    ('languages', 'cmodel/system/planted.cpp', 'int planted;\n', 'planted.cpp'),
    ('words', 'cmodel/system/config/config.c', '/* TO' 'DO: planted */\n', 'TO' 'DO'),
    ('words', 'scripts/packages.txt', '/wo' 'rk/planted\n', '/wo' 'rk/'),
    ('words', 'README.md', 'Written with Chat' 'GPT.\n', 'Chat' 'GPT'),
    ('plain', 'cmodel/system/sm/lsu.c', '/* Planted: the warp that a load is learnt fr' 'om. */\n', '"learnt fr' 'om"'),
    (
        'plain',
        'cmodel/system/config/options.def',
        ('"clock of SMs and L1Ds, MHz"', '"wh' 'oever needs a clock, MHz"'),
        '"wh' 'oever"',
    ),
    ('plain', 'scripts/study/plan.py', '# Wh' 'at follows is planted.\n', '"# Wh' 'at "'),
    ('plain', 'studies/bypass.toml', '# reads go aro' 'und the L1D\n', '"go aro' 'und"'),
    ('sizes', 'planted.png', 'x', 'an image of pixels'),
    ('sizes', 'traces/small/planted.mtt', 'x' * ((1 << 20) + 1), 'limit is 1048576'),
    ('makefiles', 'scripts/scripts.mk', '# ' + 'planted ' * 20 + '\n', 'the limit is 150'),
    ('makefiles', 'scripts/scripts.mk', '$(eval planted := 1)\n', 'eval'),
    ('targets', 'scripts/planted.mk', 'planted-target: ## planted\n\t@true\n', 'not .PHONY'),
    ('targets', 'scripts/planted.mk', '.PHONY: planted2\nplanted2: ## planted\n\t@true\n', 'does not list'),
    ('targets', 'README.md', 'See `make planted-target`.\n', 'make planted-target'),
    ('targets', 'README.md', 'See `make help PLANTED=1`.\n', 'PLANTED='),
    ('targets', 'README.md', 'See `make prove SEED=2`.\n', 'SEED: given, but make prove does not read it'),
    ('targets', 'README.md', 'See `make prove test BLOCK=mshr`.\n', 'BLOCK: given, but make test does not read it'),
    ('tested', 'scripts/ci/deep.py', ("'quick',", ''), 'make quick: no test runs it'),
    ('targets', '.ci/run', 'step make check planted-step\n', 'make planted-step'),
    ('links', 'rtl/mshr/README.md', '[planted](../planted.md)\n', 'link to ../planted.md'),
    ('links', 'cosim/README.md', 'In `cosim/planted.hpp`.\n', 'cosim/planted.hpp'),
    ('links', 'rtl/mshr/README.md', '[planted](../cap/README.md#planted)\n', 'README.md#planted: no such heading'),
    ('begun', 'README.md', '<!-- planted -->**planted**<!-- /planted -->\n', 'text behind a comment'),
    ('files_named', 'cmodel/system/unit/gpu.h', '/* planted.c sees all of it. */\n', 'planted.c'),
    ('files_named', RTL, '// spec/planted.md says why.\n', 'planted.md'),
    ('files_named', 'scripts/study/files.py', '\n# as planted.py does\n', 'planted.py'),
    ('keys_named', 'README.md', 'Set `l1d.planted` first.\n', 'l1d.planted'),
    ('keys_named', 'cmodel/cli/capture.c', 'const char *planted = "needs dram.planted";\n', 'dram.planted'),
    *(('named', 'README.md', COMMAND, said) for said in ('nokernel', 'nopreset', 'norock', 'no.key', 'nooption')),
    ('papers', 'rtl/mshr/README.md', 'As in Dai71, section 2.\n', 'found Dai71'),
    (
        'papers',
        'cmodel/system/config/config.c',
        '/* As in paper\n * 002, section 3.2. */\n',
        'expected a key of docs/papers.md',
    ),
    ('papers', 'synth/papers.toml', 'source = "002, table 3.3"\n', 'found "002"'),
    (
        'papers',
        'docs/papers.md',
        '| Nobody99 | Nothing | Nobody | nowhere | 1999 | nothing |\n',
        'Nobody99: nothing cites it',
    ),
    ('papers', 'docs/papers.md', '| Dai17 | Twice | Nobody | nowhere | 1999 | nothing |\n', 'Dai17: found twice'),
    (
        'examples',
        'tests/blocks/readme_example.c',
        ('Test(readme_example, cap)', 'Test(another, cap)'),
        'rtl/cap/README.md: no Test',
    ),
    ('licence', 'cmodel/system/planted.c', 'int planted;\n', 'found no "SPDX'),
    ('licence', 'scripts/planted.sh', '#!/bin/sh\n# planted\n', 'found no "SPDX'),
    ('measured', 'docs/cart-study.md', 'IPC grows by +1.7 %.\n', 'found +1.7 %'),
    ('measured', 'rtl/mshr/README.md', 'It was 1.32 times as long (693 MHz).\n', 'found 1.32 times'),
    ('counted', BESIDE, BESIDE_ROW.format('Open: nothing tried'), 'found other counts than those of its rows'),
    ('counted', BESIDE, BESIDE_ROW.format(''), 'found "", expected one of Agrees, Explained, Refuted, Open'),
    ('counted', BESIDE, BESIDE_ROW.format('Agrees'), 'found Agrees, expected another verdict'),
    ('counted', BESIDE, BESIDE_ROW.format('Explained: sizes'), 'found Explained without a link'),
    ('counted', BESIDE, ('<!-- beside -->', ''), 'found no <!-- beside -->'),
    ('version', 'CHANGELOG.md', ('## 0.1.0', '## 0.2.0'), 'expected "version: 0.2.0"'),
    ('version', 'CHANGELOG.md', ('## 0.1.0', '## next'), 'expected "## MAJOR.MINOR.PATCH"'),
    ('formatted', 'cmodel/system/config/config.c', 'int  planted( void );\n', 'config.c'),
    ('formatted', 'cosim/values.hpp', 'int  planted( void );\n', 'values.hpp'),
    ('cppcheck', 'cmodel/blocks/mshr.c', PAST_END, 'arrayIndexOutOfBounds'),
    ('cppcheck', 'tests/system/tags.c', UNSET, 'tests/system/tags.c'),
    ('cppcheck', 'traces/kernels/bfs.c', UNSET, 'traces/kernels/bfs.c'),
    ('lint_rtl', RTL, PORT, 'port planted_o: in the RTL'),
    ('lint_rtl', RTL, REGISTER, 'register planted_q: in the RTL'),
    ('lint_rtl', RTL, ('  // ---- registers\n', '  logic planted;\n'), "Signal is not driven, nor used: 'planted'"),
    ('commented', RTL, ('// a miss requests a slot\n', '\n'), 'req_valid_i: no comment'),
    ('commented', 'rtl/dl_mshr/mt_dl_mshr_dau.sv', ('// next state\n', '\n'), 'state_o: no comment'),
    (
        'port_comments',
        RTL,
        ('// a miss requests a slot\n', '// a planted slot\n'),
        'req_valid_i: comment "a planted slot"',
    ),
    ('lint_rtl', MANIFEST, ('[sets]\n', '[sets]\nplanted = "Entries=1"\n'), 'expected Entries from 2'),
    (
        'legal_sizes',
        RTL,
        (PORT[0], PORT[0].replace('`MT_PARAM', '`MT_PARAM_CHECK(g_planted, Entries != 5)\n  `MT_PARAM')),
        'expected a rule that says so',
    ),
    (
        'legal_sizes',
        MANIFEST,
        ('[sets]\n', '[rules]\n"Entries != 5" = "planted"\n[sets]\n'),
        'expected an MT_PARAM_CHECK of Entries != 5',
    ),
    (
        'legal_sizes',
        MANIFEST,
        ('[sets]\n', '[rules]\n"Entries >= 2" = "planted"\n[sets]\n'),
        'no size breaks this rule alone',
    ),
    ('shell', 'cosim/all.sh', 'cd planted\n', 'SC2164'),
    ('import_root', 'synth/yosys.py', 'import sys\nsys.pa' 'th.append("cosim")\n', 'synth/yosys.py'),
    ('import_root', 'scripts/scripts.mk', 'P := PYTHONPA' 'TH=scripts $(PY)\n', 'scripts/scripts.mk'),
    ('pyflakes', 'scripts/quick.py', 'import planted\n', "'planted' imported but unused"),
    ('pyflakes', 'scripts/install/command.py', ('found, options = {}, []', 'found = {}'), "undefined name 'options'"),
    ('pyflakes', 'scripts/planted', '#!/usr/bin/python3\nprint(planted)\n', "undefined name 'planted'"),
    ('pyflakes', 'cosim/rules.py', 'planted = (\n', 'cosim/rules.py'),
    ('typed', 'cosim/parts.py', 'planted: int = in_text("")\n', 'cosim/parts.py'),
    ('typed', 'cosim/parts.py', 'def planted(text):\n    return text\n', 'cosim/parts.py'),
    ('black', 'scripts/quick.py', 'planted = ( 1 )\n', 'scripts/quick.py: black writes it differently'),
]


def planted(path, change):
    """Plants the violation; returns a function that removes it."""
    before = path.read_bytes() if path.exists() else None
    text = before.decode() if before is not None else ''
    if isinstance(change, tuple) and text.count(change[0]) != 1:
        sys.exit(f'check-selftest: {path} has {text.count(change[0])} times: {change[0]!r}')
    folder = None if path.parent.exists() else path.parent  # a folder of rtl/ is a block
    path.parent.mkdir(parents=True, exist_ok=True)
    if change is None:
        path.unlink()
    else:
        path.write_text(text.replace(*change) if isinstance(change, tuple) else text + change)

    def undo():
        if before is None:
            path.unlink()
            if folder:
                folder.rmdir()
        else:
            path.write_bytes(before)

    return undo


def copy_of_tree():
    """A copy per process: rules plant and read concurrently."""
    out = OUT / str(os.getpid())
    if not out.exists():
        for n in files(ROOT):
            (out / n).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / n, out / n)
    return out


def seen_by(rule, out):
    """The tree, read again.  A tool is slow: it gets only the planted files and their blocks; make check runs it on all."""
    params.limits_of.cache_clear()
    if rule in TOOLS:
        return Tree(out, {p[1] for p in PLANTS if p[0] == rule.__name__ and (out / p[1]).exists()}, [BLOCK])
    return Tree(out, files(out))


def tried(name):
    """For each violation of a rule: whether the rule reports it, and a report line."""
    out, rule, results = copy_of_tree(), ALL_RULES[name], []
    clean = set(rule(seen_by(rule, out)))
    for _, file, change, said in (p for p in PLANTS if p[0] == name):
        undo = planted(out / file, change)
        found = [line for line in rule(seen_by(rule, out)) if line not in clean]
        undo()
        hit = [line for line in found if said in line]
        text = (hit or found or ['nothing was said'])[0].strip()[:120]
        results.append((bool(hit), f'{"ok" if hit else "FAIL":5s}{name:12s}{file}: {text}'))
    return results


class Rules(Checks):
    def test_plants(self):
        shutil.rmtree(OUT, ignore_errors=True)
        names = list(dict.fromkeys(p[0] for p in PLANTS))
        slow_first = sorted(names, key=lambda n: ALL_RULES[n] not in TOOLS)
        with ProcessPoolExecutor(int(os.environ.get('JOBS', 2))) as pool:
            for results in pool.map(tried, slow_first):
                for hit, line in results:
                    if hit:
                        print(line, flush=True)
                    self.expect(line, hit)
        missing = sorted(set(ALL_RULES) - set(names)) + sorted(
            set(FACES) - {'tests', 'listed', *FACE_FILES, *FACE_KEYS}
        )
        for name in missing:
            self.expect(name, False, 'no violation of it is planted')


if __name__ == '__main__':
    sys.exit(main('check-selftest', Rules, least=len(PLANTS)))
