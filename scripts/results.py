"""Results of `make run` as Python objects: what the report and the table are made of."""
import json
import pathlib
import sys

from study.measure import geometric

# Case names as run.mk has them, and what people read.
CASES = {
    "mshr": "MSHR",
    "mshr-2x": "2× entries",
    "mshr-2x2x": "2× entries, 2× slots",
    "mshr-8x8x": "8× entries, 8× slots",
    "dl": "DL-MSHR",
}
BLOCKS = {"mshr": "mshr", "dl": "dl_mshr"}  # of a case: its miss file, RTL in the case with -rtl behind its name
STUDY = ["mshr-2x", "mshr-2x2x", "mshr-8x8x"]

CAUSES = {  # of reservation failures: counter's last part, and what people read
    "line": "no line",
    "mshr_entry": "MSHR entry-full",
    "mshr_merge": "MSHR merge-full",
    "mshr_drain": "MSHR draining",
    "miss_queue": "miss queue",
    "response": "response queue",
}

# Gu20, sections 3.6.1 to 3.6.3: change against its baseline, in percent.
PAPER = {
    "mshr-2x": {"rf": -68.3, "ipc": 8.0},
    "mshr-2x2x": {"rf": -89.2, "ipc": 14.5},
    "mshr-8x8x": {"rf": None, "ipc": 16.4},
    "dl": {"rf": -88.1, "ipc": 19.2},
}
PAPER_UTILISATION = 53.7


class Run:
    """One result file."""

    def __init__(self, path):
        self.path = path
        data = json.loads(path.read_text())
        self.version, self.workload = data["version"], data["workload"]
        self.config, self.counters, self.host = data["config"], data["counters"], data["host"]

    @property
    def rtl(self):
        """The blocks that ran as RTL."""
        return [use["block"] for use in self.host["rtl"] if use["instances"]]

    def __getitem__(self, name):
        return self.counters[name]

    def rf(self, cache, cause="total"):
        return self.counters.get(f"{cache}.rf.{cause}", 0)

    @property
    def all_rf(self):
        return self.rf("l1d") + self.rf("l2")

    @property
    def mshr_rf(self):
        """Those that a full MSHR file caused."""
        return self.rf("l1d", "mshr") + self.rf("l2", "mshr")

    def per_kilo(self, number):
        return 1000 * number / self["gpu.warp_instructions"] if self["gpu.warp_instructions"] else 0


class Results:
    """All of them: runs[kernel][case].  Results older than the program are of another one and left out."""

    def __init__(self, folder, program):
        self.runs = {}
        built = pathlib.Path(program).stat().st_mtime_ns
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            kernel, case, _ = path.name.rsplit(".", 2)
            if path.stat().st_mtime_ns >= built:
                self.runs.setdefault(kernel, {})[case] = Run(path)
        self.kernels = [k for k, runs in self.runs.items() if "mshr" in runs and "dl" in runs]

    def strangers(self):
        """Files of another machine: whose options differ from the first one's in more than the miss files."""
        def rest(run):
            return {k: v for k, v in run.config.items() if "mshr." not in k}
        first = rest(self.run(self.kernels[0], "mshr"))
        return [r.path.name for runs in self.runs.values() for r in runs.values() if rest(r) != first]

    def run(self, kernel, case):
        return self.runs[kernel].get(case)

    def has_study(self):
        return bool(self.kernels) and all(c in self.runs[k] for k in self.kernels for c in STUDY)

    def disagreements(self, kernel, case):
        """Counters in which the RTL run differs from the twin's; None if it was not run."""
        model, rtl = self.run(kernel, case), self.run(kernel, case + "-rtl")
        if not model or not rtl:
            return None
        if model.rtl or rtl.rtl != [BLOCKS[case]]:
            sys.exit(f"{rtl.path}: found {rtl.rtl} as RTL, expected {BLOCKS[case]}; {model.path}: found {model.rtl}, expected none")
        names = model.counters.keys() | rtl.counters.keys()
        return sorted(n for n in names if model.counters.get(n) != rtl.counters.get(n))

    def agreement(self, kernel):
        """One word for both miss files."""
        found = [self.disagreements(kernel, c) for c in ("mshr", "dl")]
        if any(f is None for f in found):
            return "not run"
        return "agree" if not any(found) else "DIFFER"

    def ipc_change(self, kernel, case):
        """Percent against the conventional file."""
        return 100 * (self.run(kernel, case)["gpu.ipc"] / self.run(kernel, "mshr")["gpu.ipc"] - 1)

    def rf_change(self, kernel, case, which="all_rf"):
        base = getattr(self.run(kernel, "mshr"), which)
        return 100 * (getattr(self.run(kernel, case), which) / base - 1) if base else None

    def mean_ipc_change(self, case):
        """Geometric mean, as in the paper."""
        return 100 * (geometric([1 + self.ipc_change(k, case) / 100 for k in self.kernels]) - 1)

    def mean_rf_change(self, case, which="all_rf"):
        """Mean of the normalised counts, over the kernels that have any."""
        changes = [c for c in (self.rf_change(k, case, which) for k in self.kernels) if c is not None]
        return sum(changes) / len(changes) if changes else 0

    def mshr_share(self):
        """How many of the conventional file's failures it caused itself, in percent; the paper's were 97 and more."""
        total = sum(self.run(k, "mshr").all_rf for k in self.kernels)
        return 100 * sum(self.run(k, "mshr").mshr_rf for k in self.kernels) / total if total else 0

    def mean_utilisation_change(self, case, cache):
        name = f"{cache}.mshr.utilisation"
        pairs = [(self.run(k, "mshr")[name], self.run(k, case)[name]) for k in self.kernels]
        ratios = [b / a for a, b in pairs if a]
        return 100 * (sum(ratios) / len(ratios) - 1) if ratios else 0

    def study_by_kernel(self):
        """Heads and rows: reservation failures and cycles of each kernel under each scheme."""
        cases = ["mshr", *STUDY, "dl"]
        heads = [("", "kernel"), *(("failures", CASES[c]) for c in cases), *(("cycles", CASES[c]) for c in cases)]
        rows = [[k, *(f"{self.run(k, c).all_rf:,}" for c in cases), *(f"{self.run(k, c)['gpu.cycles']:,}" for c in cases)]
                for k in self.kernels]
        return heads, rows
