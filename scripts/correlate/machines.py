# SPDX-License-Identifier: Apache-2.0
"""The machines and workloads of the comparison (correlate.toml), and the processor of this host."""
import hashlib
import json
import os
import pathlib
import re
import tomllib

from scripts.correlate import shapes
from scripts.study.expressions import Bad, nearest

HERE = pathlib.Path(__file__).parent
CONFIG = HERE / "correlate.toml"
KEPT = HERE / "kept"  # the reference's numbers


def read(path=CONFIG):
    with open(path, "rb") as f:
        return tomllib.load(f)


def arguments(config, machine):
    """memtwin's arguments for a machine; its own come last."""
    m = config["machines"][machine]
    before = arguments(config, m["against"]) if "against" in m else []
    options = ([] if before else config.get("set", [])) + m.get("set", [])
    return [*before, *m["arguments"], *(word for o in options for word in ("--set", o))]


def independent(config):
    """Machines that are not variants of another one."""
    return [name for name, m in config["machines"].items() if "against" not in m]


def digest_of(files):
    """Of names and contents."""
    digest = hashlib.sha256()
    for f in sorted(files):
        digest.update(f.name.encode() + b"\0" + f.read_bytes())
    return digest.hexdigest()[:16]


def digest_of_options(files):
    """Of a configuration of the reference, independent of order and comments."""
    lines = [line for f in files for line in f.read_text(encoding="utf-8", errors="replace").splitlines()]
    options = [" ".join(re.sub(r"(#|//).*", "", line).split()) for line in lines]
    return hashlib.sha256("\n".join(sorted(filter(None, options))).encode()).hexdigest()[:16]


SHAPE = "shape:"  # starts a workload of shapes.py; others are kernels with their options


def write_trace(program, workload, folder):
    """Writes the traces of a workload into a new folder."""
    name = workload.removeprefix(SHAPE)
    if name == workload:
        program.ask("trace", "export", workload, "-o", str(folder))
    elif name in shapes.SHAPES:
        shapes.write(name, folder)
    else:
        raise Bad(
            f'found unknown shape "{name}", expected one of {", ".join(shapes.SHAPES)}{nearest(name, shapes.SHAPES)}'
        )


def run_kernels(program, trace, *words):
    """(cycles without the launches of kernels, counters) of a trace on the machine of these words."""
    run = json.loads(program.ask("run", str(trace), *words, "--quiet", "--kernels", "--json", "-"))
    launches = len(run["kernels"]) * int(run["config"]["sm.launch_cycles"])
    return int(run["counters"]["gpu.cycles"]) - launches, run["counters"]


NUMBERS = ("cpu family", "model")


def processor():
    """Processor model with its family, model and stepping numbers: virtual machines give processors of several generations one name."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        fields = dict(reversed([[word.strip() for word in line.split(":", 1)] for line in info if ":" in line]))
    if "model name" not in fields:
        return os.uname().machine
    return fields["model name"] + "".join(f", {field} {fields[field]}" for field in NUMBERS if field in fields)


def is_exact(name):
    """Whether a processor name includes these numbers; kept numbers of old runs lack them."""
    return all(re.search(rf", {field} \d+", name) for field in NUMBERS) or name == os.uname().machine
