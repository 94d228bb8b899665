# SPDX-License-Identifier: Apache-2.0
"""Queries of the program memtwin: options, counters, kernels, presets, and the machine that options describe."""
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess

from cosim import manifest, params
from scripts.study.expressions import Bad, nearest


class Program:
    def __init__(self, path, rtl=""):
        self.path, self.rtl = path, rtl  # rtl: the same program, which loads RTL
        if not pathlib.Path(path).is_file():
            raise Bad(f"{path}: no such program, expected memtwin (make build)")
        self.version = self.ask("--version").strip()
        self.digest = digest(path)
        allowed = {
            w[0]: w[2]
            for w in (re.split(r"\s{2,}", line) for line in self.ask("list", "options").splitlines()[1:])
            if len(w) > 2
        }
        self.lists = {
            name: int(n) for name, text in allowed.items() for n in re.findall(r", up to (\d+) numbers", text)
        }
        self.options = {
            **allowed,
            **{f"{name}{i}": allowed[name] for name, n in self.lists.items() for i in range(n)},
        }  # cke.blocks0
        self.counters = {line.split()[0]: line for line in self.ask("list", "stats").splitlines() if line.strip()}
        parts = [line.split()[0] for line in self.ask("list", "energies").splitlines()[1:]]
        self.energy_parts = [*dict.fromkeys(parts), "blocks", "clock"]
        self.presets = re.findall(r"^  (\S+)", self.ask("list", "presets"), re.M)
        self.kernels = kernels(self.ask("list", "kernels"))
        self.blocks = [line.split()[0] for line in self.ask("list", "blocks").splitlines()[1:]]
        self.machines, self.blocks_of = {}, {}

    @functools.lru_cache
    def rtl_digest(self, sets):
        """Digest of the program that loads RTL, and of these sets."""
        if not pathlib.Path(self.rtl).is_file():
            raise Bad(f"{self.rtl}: no such program, expected memtwin-rtl (make build)")
        return " ".join(map(digest, [self.rtl, *rtl_sets(self.rtl, sets)]))

    def ask(self, *words):
        try:
            done = subprocess.run(
                [str(pathlib.Path(self.path).resolve()), *words], capture_output=True, text=True, check=False
            )
        except OSError as e:
            raise Bad(f"{self.path}: {e.strerror}, expected the program memtwin (make build)") from None
        if done.returncode:
            raise Bad(
                done.stderr.strip().splitlines()[0]
                if done.stderr.strip()
                else f"{self.path} {' '.join(words)}: exit status {done.returncode}"
            )
        return done.stdout

    def machine(self, arguments):
        """Every option of the machine, as text; a list as its numbers."""
        key = tuple(arguments)
        if key not in self.machines:
            section, options = "", {}
            for line in self.ask("config", *arguments).splitlines():
                if line.startswith("["):
                    section = line.strip("[]")
                elif " = " in line:
                    name, rest = line.split(" = ", 1)
                    options[f"{section}.{name.strip()}"] = rest.split(" ;")[0].strip()
            for name, n in self.lists.items():
                options |= numbers(name, options.pop(name), n)
            self.machines[key] = options
        return self.machines[key]

    def machine_sets(self, command, workloads, arguments, blocks):
        """BLOCK/SET of these blocks in the machine."""
        key = (command, len(workloads), *arguments)
        if key not in self.blocks_of:
            said = self.ask(command, *workloads, *arguments, "--blocks", "--quiet", "--json", "-")
            self.blocks_of[key] = [(b["block"], b["parameters"]) for b in json.loads(said)[0]["blocks"]]
        return sorted({f"{block}/{set_of(block, text)}" for block, text in self.blocks_of[key] if block in blocks})

    def counters_of(self, command, workloads):
        """Counter names: those of `memtwin list stats`; a run with several workloads has additional ones, found by a short run."""
        if command == "run":
            return list(self.counters)
        words = ["vecadd:n=4096"] * workloads
        return list(
            parse_results(
                self.ask(command, *words, "--set", "cke.cycles=4000", "--threads", "1", "--quiet", "--json", "-")
            )[0]["counters"]
        )

    def check_option(self, name):
        if name not in self.options:
            raise Bad(
                f'found unknown option "{name}", expected one of memtwin list options{nearest(name, self.options)}'
            )

    def check_preset(self, name):
        if name.endswith(".ini"):
            if not pathlib.Path(name).is_file():
                raise Bad(f'found "{name}", expected a file')
        elif name not in self.presets:
            raise Bad(
                f'found unknown preset "{name}", expected one of memtwin list presets{nearest(name, self.presets)}'
            )

    def check_workload(self, text):
        """The name and sizes of a kernel, or a trace that exists."""
        name, _, sizes = text.partition(":")
        if name not in self.kernels:
            if ("/" in name or "." in name) and pathlib.Path(text).exists():
                return
            raise Bad(
                f'found unknown workload "{name}", expected one of memtwin list kernels, or a trace{nearest(name, self.kernels)}'
            )
        for item in filter(None, sizes.split(",")):
            option, _, value = item.partition("=")
            allowed = self.kernels[name].get(option)
            if allowed is None:
                raise Bad(
                    f'found unknown size "{option}" of {name}, expected one of {", ".join(self.kernels[name])}{nearest(option, self.kernels[name])}'
                )
            low, dots, high = allowed.partition("..")
            if allowed == "NAME" and value:
                continue
            if not (value.isdigit() and int(low) <= int(value) <= int(high) if dots else value in allowed.split("|")):
                raise Bad(f'found {name}:{option}={value}, expected {allowed}')


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def kernels(text):
    """{kernel: {option: allowed}} of `memtwin list kernels`."""
    found, name, common = {}, None, {}
    for line in text.splitlines():
        option = re.match(r"\s+(\w+)\s.*\((\S+), default", line)
        kernel = re.match(r"(\w+)\s{2,}\S", line)
        if kernel:
            name = kernel[1]
            found[name] = {}
        elif line == "every kernel:":
            name = None
        elif option:
            (found[name] if name else common)[option[1]] = option[2]
    return {name: options | common for name, options in found.items()}


def identity(text, known):
    """Identity of a workload before it runs: the name of a kernel, which the program defines; the digest of a trace's files."""
    if text.partition(":")[0] in known:
        return text
    path = pathlib.Path(text)
    files = (
        sorted(p for p in path.rglob("*") if p.is_file())
        if path.is_dir()
        else sorted(path.parent.glob("*"))
        if path.suffix == ".g"
        else [path]
    )
    digest = hashlib.sha256()
    for f in files:
        if f.is_file():
            digest.update(f.name.encode() + b"\0" + f.read_bytes())
    return f"{text} {digest.hexdigest()}"


def numbers(name, text, count):
    """The value of a list option as options of one number each: cke.blocks = 6,3 is cke.blocks0 = 6, cke.blocks1 = 3 and so on."""
    values = text.split(",")
    return {f"{name}{i}": values[i] if i < len(values) else "0" for i in range(count)}


def parse_results(text):
    """A list of results: a single run writes an object, several runs a list."""
    data = json.loads(text)
    return data if isinstance(data, list) else [data]


@functools.cache
def names(block):
    """Names of the block's sets by their parameters."""
    known = params.limits(block)
    return {tuple(params.whole(p, known).items()): name for name, p in reversed(manifest.read(block).sets.items())}


def set_of(block, text):
    """The set with the parameters "Entries=32 Slots=8 ..."; a custom set if no manifest has them."""
    found = {n: int(v) for n, v in (word.split("=") for word in text.split())}
    return names(block).get(tuple(found.items())) or params.custom(found)


def rtl_sets(program, sets):
    """The files of these sets, BLOCK/SET.  A set may have been built under another name of the block.  As for the program, the environment's
    MEMTWIN_RTL names another folder."""
    folder = pathlib.Path(os.environ.get("MEMTWIN_RTL") or pathlib.Path(program).parent / "rtl")
    own = {s: folder / f"{s}.so" for s in sets}
    return sorted(
        {
            f
            for s, path in own.items()
            for f in ([path] if path.is_file() else path.parent.glob("*.so"))
            if f.suffixes == [".so"]
        }
    )
