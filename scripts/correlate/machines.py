# SPDX-License-Identifier: Apache-2.0
"""What is compared with the reference: correlate.toml, and the machine that this runs on."""
import os
import pathlib
import re
import tomllib

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
    """Machines that are not changes of another one."""
    return [name for name, m in config["machines"].items() if "against" not in m]


NUMBERS = ("cpu family", "model")


def processor():
    """The model of this processor, with its numbers: virtual machines give processors of several generations one name."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        fields = dict(reversed([[word.strip() for word in line.split(":", 1)] for line in info if ":" in line]))
    if "model name" not in fields:
        return os.uname().machine
    return fields["model name"] + "".join(f", {field} {fields[field]}" for field in NUMBERS if field in fields)


def is_exact(name):
    """Whether a processor's name has its numbers, which kept numbers from before have not."""
    return all(re.search(rf", {field} \d+", name) for field in NUMBERS) or name == os.uname().machine
