# SPDX-License-Identifier: Apache-2.0
"""What is compared with the reference: correlate.toml, and the machine that this runs on."""
import os
import pathlib
import tomllib

HERE = pathlib.Path(__file__).parent
CONFIG = HERE / "correlate.toml"
KEPT = HERE / "kept"  # the reference's numbers


def read(path=CONFIG):
    with open(path, "rb") as f:
        return tomllib.load(f)


def arguments(config, machine):
    """memtwin's options of a machine; its own come last."""
    m = config["machines"][machine]
    before = arguments(config, m["against"]) if "against" in m else []
    options = ([] if before else config.get("set", [])) + m.get("set", [])
    return [*before, *m["arguments"], *(word for o in options for word in ("--set", o))]


def independent(config):
    """Machines that are not changes of another one."""
    return [name for name, m in config["machines"].items() if "against" not in m]


def processor():
    """The model of this processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
    return names[0] if names else os.uname().machine
