# SPDX-License-Identifier: Apache-2.0
"""JUNIT= and JSON=: the output of each tool as cases; the files follow their schemas, also when a run fails, and an old file does not stand for a run
that has none.
usage: python3 -B -m scripts.results.selftest BUILD"""
import json
import re
import shutil
import sys
from pathlib import Path

from cosim import asked
from scripts.testing import PYTHON, ROOT, Checks, main, run

BUILD = Path(sys.argv[1])
FOLDER = BUILD / 'results-selftest'
SAID = {  # lines of each tool, and the names and verdicts of their cases
    'cosim': (
        'PASS cosim milg/tiny          seed=2          3302 cycles    1794 cycles/s  coverage 32 of 34\n  skipped 6 scenarios\n'
        '  VLT  milg/tiny\nFAIL cosim milg/tiny  scenario "one & <two>" seed=1 cycle=3  1 of 15 outputs differ\n  error_o  rtl=0x1  model=0x0\n'
        'FAIL cosim mshr/odd  does not build\ncosim: 1 passed, 2 failed\n@status 1\n',
        {'milg/tiny seed=2': 'passed', 'milg/tiny seed=1': 'failed', 'mshr/odd': 'failed'},
    ),
    'coverage': (
        'PASS coverage milg              lines 40 of 40 (100.0 %)  branches 9 of 9 (100.0 %)\n  not covered: toggles  rtl/milg/mt_milg.sv:9: x_q[1]\n'
        'FAIL coverage mshr              lines 40 of 41 (97.5 %)\n  lines: found 97.5 %, expected 98 %\ncoverage: 1 passed, 1 failed\n@status 1\n',
        {'milg': 'passed', 'mshr': 'failed'},
    ),
    'tb': (
        'PASS tb mshr/tiny          seed=1      30 cycles  merge: section 3.2\nFAIL tb mshr/tiny  random seed=1 cycle=7  1 of 15 outputs differ\n@status 1\n',
        {'mshr/tiny merge seed=1': 'passed', 'mshr/tiny random seed=1': 'failed'},
    ),
    'prove': (
        'PROVED   mshr     Entries=2 Slots=2  12 obligations  (1 s)\nREFUTED  mshr     Entries=4 Slots=2  (2 s)\n  output rsp_set_o\n1 passed, 1 failed\n@status 1\n',
        {'mshr Entries=2 Slots=2': 'passed', 'mshr Entries=4 Slots=2': 'failed'},
    ),
    'formal': (
        'mshr: 2 properties: p_a p_b\nPROVED formal mshr Entries=3  2 assertions, up to step 7  (26 s)\nFAIL formal mshr Entries=4  induction: p_a  (1 s)\n  log    x.log\n@status 1\n',
        {'mshr Entries=3': 'passed', 'mshr Entries=4': 'failed'},
    ),
    'test': ('@status 2\n', {'test': 'failed'}),
}


def wrong(value, schema, at='$'):
    """Differences between a value and a JSON Schema, of the words that results.schema.json uses."""
    kinds = {'object': dict, 'array': list, 'string': str, 'integer': int, 'number': (int, float)}
    if 'type' in schema and not isinstance(value, kinds[schema['type']]):
        return [f'{at}: found {value!r}, expected {schema["type"]}']
    found = [f'{at}: found {value!r}, expected {schema[k]}' for k in ('const',) if k in schema and value != schema[k]]
    found += [f'{at}: found {value!r}' for k in ('enum',) if k in schema and value not in schema[k]]
    found += [f'{at}: found {value}' for k in ('minimum',) if k in schema and value < schema[k]]
    if isinstance(value, dict):
        found += [f'{at}: no {n}' for n in schema.get('required', []) if n not in value]
        known = schema.get('properties', {})
        found += [f'{at}: {n}' for n in value if n not in known and schema.get('additionalProperties') is False]
        found += [w for n, v in value.items() if n in known for w in wrong(v, known[n], f'{at}.{n}')]
    if isinstance(value, list):
        found += [w for i, v in enumerate(value) for w in wrong(v, schema.get('items', {}), f'{at}[{i}]')]
    return found


class Results(Checks):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)

    def valid(self, name, xml, text):
        """The JSON file, if both follow their schemas."""
        done = run('xmllint', '--noout', '--schema', ROOT / 'cosim/results.xsd', xml)
        self.ended(f'{name}: JUnit follows results.xsd', done, True)
        schema = json.loads((ROOT / 'cosim/results.schema.json').read_text())
        value = json.loads(text.read_text()) if text.exists() else None
        odd = wrong(value, schema)
        self.expect(f'{name}: JSON follows results.schema.json', not odd, odd)
        return value or {'cases': []}

    def test_tools(self):
        empty = FOLDER / 'empty'
        empty.mkdir()
        for goal, (said, cases) in SAID.items():
            xml, text = FOLDER / f'{goal}.xml', FOLDER / f'{goal}.json'
            done = run(*PYTHON, 'cosim.results', goal, xml, text, text=said, env={'BUILD': str(empty)})
            self.ended(f'{goal}: lines are passed on', done, True)
            self.expect(
                f'{goal}: without the status', '@status' not in done.out and done.out == said.split('@')[0], done.out
            )
            found = {c['name']: c['verdict'] for c in self.valid(goal, xml, text)['cases']}
            self.expect(f'{goal}: cases', found == cases, found)
        took = {c['name']: c['seconds'] for n in ('cosim', 'prove', 'formal') for c in self.said(n)}
        wanted = {
            'milg/tiny seed=2': 1.841,
            'mshr Entries=2 Slots=2': 1,
            'mshr Entries=4 Slots=2': 2,
            'mshr Entries=3': 26,
        }
        self.expect('seconds of lockstep and of proofs', took.items() >= wanted.items(), took)
        self.expect('seconds in JUNIT', 'time="26.000"' in (FOLDER / 'formal.xml').read_text())

    def said(self, goal):
        return json.loads((FOLDER / f'{goal}.json').read_text())['cases']

    def test_unit_tests(self):
        """Criterion's reports, plain and with sanitizers."""
        build = FOLDER / 'build'
        for kind, status in (('obj', 'FAILED'), ('san', 'PASSED')):
            bad = (
                '<failure type="assert" message="1 assertion(s) failed."><![CDATA[a.c:3: x < y]]></failure>'
                if status == 'FAILED'
                else ''
            )
            (build / kind).mkdir(parents=True)
            (build / kind / 'tests.log.xml').write_text(
                f'<testsuites><testsuite name="s"><testcase name="a" status="{status}" time="0.25">{bad}</testcase>'
                '<testcase name="b" status="SKIPPED"><skipped/></testcase></testsuite></testsuites>'
            )
        xml, text = FOLDER / 'unit.xml', FOLDER / 'unit.json'
        run(*PYTHON, 'cosim.results', 'test', xml, text, text='  TEST plain\n@status 2\n', env={'BUILD': str(build)})
        cases = self.valid('unit tests', xml, text)['cases']
        found = {c['name']: c['verdict'] for c in cases}
        wanted = {'s/a': 'failed', 's/b': 'skipped', 's/a sanitized': 'passed', 's/b sanitized': 'skipped'}
        self.expect('cases of the unit tests', found == wanted and 'a.c:3: x < y' in str(cases), cases)
        self.expect('seconds of the unit tests', [c['seconds'] for c in cases] == [0.25, 0, 0.25, 0], cases)

    def test_twice(self):
        """Names stay apart, control characters do not break XML."""
        xml, text = FOLDER / 'twice.xml', FOLDER / 'twice.json'
        run(*PYTHON, 'cosim.results', 'cosim', xml, text, text='FAIL cosim a/b  \x01x\n' * 2)
        found = [c['name'] for c in self.valid('twice', xml, text)['cases']]
        self.expect('two cases of one name', found == ['a/b', 'a/b (2)'], found)

    def test_schema_refuses(self):
        good = json.loads((FOLDER / 'cosim.json').read_text())
        schema = json.loads((ROOT / 'cosim/results.schema.json').read_text())
        for name, bad in (
            ('another verdict', {**good, 'cases': [{**good['cases'][0], 'verdict': 'maybe'}]}),
            ('a member that is not there', {n: v for n, v in good.items() if n != 'failed'}),
            ('a member more', {**good, 'more': 1}),
        ):
            self.expect(f'the schema refuses {name}', wrong(bad, schema), bad)

    def test_command(self):
        xml, text = FOLDER / 'run.xml', FOLDER / 'run.json'
        files = (f'JUNIT={xml}', f'JSON={text}', 'BLOCK=milg', 'SET=tiny')
        done = run('make', 'cosim', *files, 'SEEDS=3', 'SEED=5', 'CYCLES=2000', 'WAVES=0', alone=True)
        self.ended('make cosim SEEDS=3', done, True, 'cosim: 3 passed, 0 failed')
        found = {c['name'] for c in self.valid('make cosim', xml, text)['cases']}
        self.expect('a case for each seed', found == {f'milg/tiny seed={n}' for n in (5, 6, 7)}, found)
        bad = FOLDER / 'bad'
        shutil.copytree(ROOT / 'tb/foreign/milg', bad)
        rtl = (bad / 'milg.sv').read_text()
        (bad / 'milg.sv').write_text(rtl.replace("after > W'(Full)", "after >= W'(Full)"))
        own = (f'RTL={bad}', 'STATE=0')
        done = run('make', 'cosim', *files, *own, 'CYCLES=20000', 'WAVES=0', alone=True)
        self.ended('make cosim of a bug', done, False, 'FAIL cosim milg/tiny')
        value = self.valid('a failing make cosim', xml, text)
        details = '\n'.join(d for c in value['cases'] for d in c['details'])
        self.expect('its report is in the file', value.get('failed') == 1 and 'rerun  make cosim' in details, value)
        self.expect('its table has both sides', 'error_o rtl' in details or ' rtl ' in details, details)
        done = run('make', 'cosim', *files, 'RTL=nothing', alone=True)
        self.ended('a build that fails', done, False, 'RTL=nothing: found nothing')
        for words, said in (
            (['SEEDS=0'], 'SEEDS: found "0", expected a whole number from 1 on'),
            (['VEC=tests/golden/mshr/entry-being-freed.vec', 'SEEDS=2'], 'SEEDS: found "2" and VEC='),
            (['BLOCK=milg', 'JUNIT=README.md'], 'JUNIT: found "README.md", expected a file NAME.xml'),
            (['BLOCK=milg', 'SET=tiny', 'JUNIT=/proc/nothing/x.xml', 'CYCLES=1'], '/proc/nothing'),
        ):
            self.ended(
                f'{" ".join(words)} is refused', run('make', 'cosim', *words, 'WAVES=0', alone=True), False, said
            )

    def test_seeds(self):
        """A command that makes a stimulus runs it with each seed; another one refuses SEEDS= and says why."""
        make = '\n'.join(p.read_text() for p in (ROOT / 'Makefile', *ROOT.glob('[!b]*/**/*.mk')))
        goals = asked.helped(make)
        said = {goal: ' '.join(asked.wrong([goal], {'SEEDS': '2'}, make)) for goal in goals}
        taken = {goal for goal in goals if not said[goal]}
        self.expect('commands with seeds', taken == {'cosim', 'coverage', 'tb', 'xprop', 'dpi'}, taken)
        said['coverage'] = ' '.join(asked.wrong(['coverage'], {'RTL': 'rtl/mshr', 'UPDATE': '1'}, make))
        self.expect('a user has no row in the table', said['coverage'].startswith('UPDATE: found "1" and RTL='), said)
        why = {goal: said[goal].rpartition('; ')[2] for goal in goals if goal not in taken}
        wanted = {'prove': 'no seed changes what it tries', 'formal': 'no seed changes what it tries'}
        wanted |= {'test': 'no seed changes what it tries', 'config-fuzz': 'it takes one seed a call'}
        self.expect('why others take none', wanted.items() <= why.items() and len(set(why.values())) == 2, why)
        words = ('BLOCK=milg', 'SET=tiny', 'SEED=5', 'SEEDS=2')
        for goal, cycles in (('tb', 2000), ('xprop', 300), ('dpi', 1000), ('coverage', 200000)):
            done = run('make', goal, *words, f'CYCLES={cycles}', alone=True)
            self.ended(f'make {goal} SEEDS=2', done, True)
            seeds = set(re.findall(r'seed=(\d+)', done.said))
            if goal == 'coverage':
                seeds = {p.stem.split('-')[1] for p in (BUILD / 'coverage/milg').glob('tiny-[56].dat')}
            self.expect(f'make {goal} runs both', seeds == {'5', '6'}, done.said)


if __name__ == '__main__':
    sys.exit(main('results-selftest', Results))
