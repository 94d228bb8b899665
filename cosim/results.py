# SPDX-License-Identifier: Apache-2.0
"""Results for a CI: JUNIT=file.xml and JSON=file.json of make cosim, coverage, tb, prove, formal and test.

usage: COMMAND | python3 -B -m cosim.results GOAL JUNIT JSON
Passes the lines on, and writes a case for each line of a verdict, with the indented lines below it as details.  A line "@status N", which
cosim.mk adds when COMMAND fails, is a case of its own if no other case failed.  Of make test, the cases are those of Criterion's reports.
The files follow cosim/results.schema.json and cosim/results.xsd."""
import json
import os
import re
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Case = dict[str, Any]
VERDICTS = {
    'PASS': 'passed',
    'PROVED': 'passed',
    'BOUNDED': 'passed',
    'FAIL': 'failed',
    'REFUTED': 'failed',
    'UNKNOWN': 'failed',
    'ERROR': 'failed',
}
VERDICT = re.compile(rf'({"|".join(VERDICTS)}) +(?:(?:cosim|coverage|tb|formal|test) )?(\S.*)')
REPORTS = ('obj', 'san')  # folders of the unit tests, plain and with sanitizers


def named(goal: str, text: str) -> str:
    """block/set seed=1, block Parameter=value ..., block/set scenario: the part that distinguishes a case, before its numbers."""
    words = re.split(r'  +|: ', text.strip())
    if goal in ('prove', 'formal') and len(words) > 1 and re.match(r'\w+=', words[1]):
        return f'{words[0]} {words[1]}'
    seed = re.search(r'\bseed=\d+', text)
    scenario = re.search(r'cycles  (\w+)|  (\w+) seed=', text) if goal == 'tb' else None
    if scenario:
        words[0] += f' {scenario[1] or scenario[2]}'
    return f'{re.sub(" *seed=.*", "", words[0])}{f" {seed[0]}" if seed else ""}'


def seconds(text: str) -> float:
    """Seconds that a line of a verdict tells: those of a proof, or cycles by cycles/s.  0: it tells none."""
    told = re.search(r'\((\d+) s\)', text)
    speed = re.search(r' (\d+) cycles +(\d+) cycles/s', text)
    return float(told[1]) if told else round(int(speed[1]) / max(int(speed[2]), 1), 3) if speed else 0.0


def read(goal: str, lines: Iterable[str]) -> Iterator[Case]:
    """The cases of a command's output."""
    case: Case | None = None
    status = ''
    failed = False
    for line in lines:
        found = VERDICT.match(line)
        if found:
            if case:
                yield case
            verdict, text = VERDICTS[found[1]], found[2].rstrip()
            case = {
                'name': named(goal, text),
                'verdict': verdict,
                'seconds': seconds(text),
                'text': text,
                'details': [],
            }
            failed |= verdict == 'failed'
        elif line.startswith('@status '):
            status = line.split()[1]
        elif case and line.startswith(' ') and not re.match(r' {2}(VLT|CXX|CC|LINK|LINT) ', line):
            case['details'].append(line.rstrip())
        elif case:
            yield case
            case = None
    if case:
        yield case
    if status and not failed:
        yield {
            'name': goal,
            'verdict': 'failed',
            'seconds': 0.0,
            'text': f'make {goal} ended with status {status}, no case failed',
            'details': [],
        }


def of_criterion(build: Path) -> Iterator[Case]:
    """The cases of the reports beside the logs of the unit tests."""
    for kind in REPORTS:
        path = build / kind / 'tests.log.xml'
        for suite in xml.parse(path).getroot().iter('testsuite') if path.exists() else []:
            for test in suite.iter('testcase'):
                bad = [*test.iter('failure'), *test.iter('error')]
                skipped = test.get('status') == 'SKIPPED' or test.find('skipped') is not None
                yield {
                    'name': f'{suite.get("name")}/{test.get("name")}{" sanitized" if kind == "san" else ""}',
                    'verdict': 'failed' if bad else 'skipped' if skipped else 'passed',
                    'seconds': float(test.get('time', 0)),
                    'text': bad[0].get('message') or '' if bad else '',
                    'details': [line for b in bad for line in (b.text or '').splitlines()],
                }


def numbered(cases: list[Case]) -> list[Case]:
    """The same with names that differ."""
    times: dict[str, int] = {}
    for case in cases:
        n = times[case['name']] = times.get(case['name'], 0) + 1
        case['name'] += f' ({n})' if n > 1 else ''
    return cases


def summary(goal: str, cases: list[Case]) -> dict[str, Any]:
    count = {v: sum(c['verdict'] == v for c in cases) for v in ('passed', 'failed', 'skipped')}
    return {'version': 1, 'command': f'make {goal}', **count, 'cases': cases}


def printable(text: str) -> str:
    """XML has no control characters."""
    return re.sub(r'[^\t\n\r\x20-\ud7ff\ue000-\ufffd]', '?', text)


def junit(goal: str, cases: list[Case]) -> str:
    def count(verdict: str) -> str:
        return str(sum(c['verdict'] == verdict for c in cases))

    counts = {'tests': str(len(cases)), 'failures': count('failed')}
    root = xml.Element('testsuites', {'name': 'memtwin', **counts})
    suite = xml.SubElement(root, 'testsuite', {'name': goal, 'errors': '0', 'skipped': count('skipped'), **counts})
    for c in cases:
        block = re.split(r'[ /]', c['name'])[0]
        who = {'classname': f'{goal}.{block}', 'name': printable(c['name']), 'time': f'{c["seconds"]:.3f}'}
        test = xml.SubElement(suite, 'testcase', who)
        body = printable('\n'.join([c['text'], *c['details']]))
        if c['verdict'] == 'failed':
            xml.SubElement(test, 'failure', message=printable(c['text']), type='mismatch').text = body
        elif c['verdict'] == 'skipped':
            xml.SubElement(test, 'skipped')
        elif body:
            xml.SubElement(test, 'system-out').text = body
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, encoding='unicode') + '\n'


def whole(path: str, text: str) -> None:
    """Written at once: a reader finds the old file or the new one."""
    to = Path(path)
    to.parent.mkdir(parents=True, exist_ok=True)
    new = to.with_name(f'.{to.name}.{os.getpid()}')
    new.write_text(text, encoding='utf-8')
    new.replace(to)


def passed_on(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith('@status '):
            print(line, end='', flush=True)
        yield line.rstrip('\n')


def main() -> int:
    goal, xml_path, json_path = sys.argv[1:]
    cases = list(read(goal, passed_on(sys.stdin)))
    if goal == 'test':
        tests = list(of_criterion(Path(os.environ.get('BUILD', 'build'))))
        failed = any(c['verdict'] == 'failed' for c in tests)
        cases = tests if failed else [*tests, *(c for c in cases if c['verdict'] == 'failed')]
    cases = numbered(cases)
    try:
        if xml_path:
            whole(xml_path, junit(goal, cases))
        if json_path:
            whole(json_path, json.dumps(summary(goal, cases), indent=1) + '\n')
    except OSError as e:
        print(f'make {goal}: {e.filename}: {e.strerror}, expected a file that can be written', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
