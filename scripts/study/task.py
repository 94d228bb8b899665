# SPDX-License-Identifier: Apache-2.0
"""python3 -B -m scripts.study.task ARRAY INDEX: a task of slurm.py on a node: runs its points and writes an outcome for each."""
import json
import pathlib
import signal
import sys
from types import SimpleNamespace

from scripts.study.files import write_whole
from scripts.study.plan import Point
from scripts.study.runner import Runner, Slots


def main():
    array, index = pathlib.Path(sys.argv[1]), sys.argv[2]
    results = array / "results"
    runner = Runner(SimpleNamespace(path=str(array / "program"), rtl=str(array / "with-rtl/memtwin-rtl")), Slots(1))

    def end(*_):
        runner.stop()
        sys.exit(143)

    signal.signal(signal.SIGTERM, end)
    for batch in json.loads((array / f"{index}.json").read_text()):
        points = [Point(**{**p, "values": {s: SimpleNamespace(**v) for s, v in p["values"].items()}}) for p in batch]
        lacking = [p for p in points if not (results / f"{p.key}.json").exists()]
        for o in runner.batch(lacking) if lacking else []:
            outcome = {"counters": o.counters, "identity": o.identity, "seconds": o.seconds, "message": o.message}
            try:
                write_whole(results / f"{o.point.key}.json", json.dumps(outcome))
            except OSError as e:
                sys.exit(
                    f"study: {results}/{o.point.key}.json: {e.strerror}: the outcome of {o.point.name} is not kept"
                )


if __name__ == "__main__":
    main()
