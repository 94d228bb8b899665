# SPDX-License-Identifier: Apache-2.0
"""Reads a study file into the objects of study.py."""
import pathlib
import re
import tomllib

from scripts.study.expressions import OVER, Bad, Expression, Names, nearest
from scripts.study.fits import FORMS
from scripts.study.study import SIZES, Best, Case, Figure, Metric, Study, Sweep, Value, Workload
from scripts.study.table import Table, change, option_text, options
from scripts.study.verdicts import areas

COMMANDS = ("run", "cke")
MEANS = ("geometric", "arithmetic", "harmonic", "pooled")
FORMATS = ("ratio", "change", "percent", "count", "number", "tenths", "hundredths")
KINDS = ("table", "bars", "stack", "lines", "series", "scatter", "verdicts", "seeds")
SEVERAL = ("table", "stack", "series")  # kinds with any number of metrics


class NoSize(Bad):
    """A study has no workload of the size."""


def workload(study, table, name, program):
    value = table.data[name]
    inner = (
        table.table(name)
        if isinstance(value, dict)
        else Table(table.file, f"{table.path}.{name}", dict.fromkeys(SIZES, value))
    )
    sizes = {size: inner.texts(size) for size in SIZES if inner.texts(size)}
    for size, words in sizes.items():
        if study.command == "run" and len(words) != 1:
            inner.bad(size, repr(words), 'one workload (several at once: command = "cke")')
        if study.command == "cke" and not 2 <= len(words) <= 8:
            inner.bad(size, repr(words), "two to eight workloads that run at once, or in turn")
        for word in words:
            inner.checked(size, program.check_workload, word)
    if not sizes:
        inner.bad("reduced", "nothing", "a workload for one of " + ", ".join(SIZES))
    w = Workload(
        name,
        inner.text("label", name),
        inner.text("group"),
        sizes,
        change(inner, program),
        {},
        inner.texts("original"),
        inner.texts("cases"),
        inner.texts("places"),
    )
    for word in w.original:
        inner.checked("original", program.check_workload, word)
    for key in inner.table("numbers").data:
        w.numbers[key] = inner.table("numbers").get(key, (int, float), "a number")
    places = inner.table("at")
    for label in places.data:
        w.at[label] = options(places, label, program)
    inner.rest()
    return w


def sweep(study, table, program):
    values = table.get("values", (list, dict), "a list of values, or one for each size", needed=True)
    if isinstance(values, dict):
        if study.size not in values:
            table.bad(f"values.{study.size}", "nothing", "a list of values")
        extra = [s for s in values if s not in SIZES]
        if extra:
            table.bad(f"values.{extra[0]}", "unknown size", ", ".join(SIZES))
        values = values[study.size]
    option = table.text("option")
    if option:
        table.checked("option", program.check_option, option)
    if not isinstance(values, list) or not values:
        table.bad("values", repr(values), "a list of values")
    found = []
    for i, v in enumerate(values):
        if isinstance(v, dict):
            inner = Table(table.file, f"{table.path}.values[{i}]", v)
            label = inner.text("label", needed=True)
            found.append(Value(label, inner.get("number", (int, float), "a number", i), change(inner, program)))
            inner.rest()
        elif not option:
            table.bad("option", "nothing", "the option that takes these values")
        else:
            number = v if isinstance(v, (int, float)) and not isinstance(v, bool) else i
            found.append(Value(option_text(v), number, ["--set", f"{option}={option_text(v)}"]))
    labels = [v.label for v in found]
    if len(set(labels)) < len(labels):
        table.bad("values", repr(labels), "each value once")
    return found


def cost(table):
    """{unit: ["BLOCK/SET", "-BLOCK/SET"]}"""
    inner = table.table("cost")
    known = areas() if inner.data else {}
    found = {unit: inner.texts(unit) for unit in inner.data}
    for unit, blocks in found.items():
        for b in blocks:
            if b.removeprefix("-") not in known:
                inner.bad(unit, f'"{b}"', f"BLOCK/SET with an area{nearest(b.removeprefix('-'), known)}")
    return found


def cases_named(table, study):
    known = [*study.cases, *study.best]
    for key in table.data:
        if key not in known:
            table.bad(key, f'unknown case "{key}"', ", ".join(known) + nearest(key, known))
    return [k for k in known if k in table.data]


def paper(table, study, metric):
    """{("mean", "", case) or ("workload", name, case) or ("group", name, case): number, or {place of the sweep: number}}"""
    given = table.table("paper")
    figure, found = given.text("figure"), {}

    def take(inner, key):
        for case in cases_named(inner, study):
            value = inner.get(case, (int, float, dict), "a number, or one for each value of the sweep")
            for number in value.values() if isinstance(value, dict) else [value]:
                if isinstance(number, bool) or not isinstance(number, (int, float)):
                    inner.bad(case, repr(number), "a number")
            found[(*key, case)] = value
        inner.rest()

    take(given.table("mean"), ("mean", ""))
    for kind, known in (("workload", study.workloads), ("group", {w.group for w in study.workloads.values()})):
        for name, inner in given.tables(kind).items():
            if name not in known:
                given.bad(f"{kind}.{name}", f'unknown {kind} "{name}"', ", ".join(sorted(known)) + nearest(name, known))
            take(inner, (kind, name))
    given.rest()
    if found and not figure:
        given.bad("figure", "nothing", "where the paper has these numbers")
    return figure, found


def metric(table, study, name, names):
    text = table.text("value", needed=True)
    m = Metric(
        name,
        table.text("label", name),
        table.text("above"),
        table.checked("value", Expression, text, names),
        table.names("base", [*study.cases, *study.best], [study.base])[0],
        table.choice("mean", MEANS, ""),
        table.choice("format", FORMATS, "ratio"),
        *paper(table, study, name),
    )
    if m.expression.uses("base") and not m.base:
        table.bad("base", "nothing", "the case that base() means, here or for the whole study")
    if m.mean == "pooled" and not m.expression.is_ratio():
        table.bad(
            "mean",
            '"pooled"',
            f'another mean, or a value A / B (pooled is the sum of A by the sum of B), which "{text}" is not',
        )
    table.rest()
    return m


def figure(table, study, names):
    kind = table.choice("kind", KINDS, "bars")
    cases = table.names(
        "cases", [*study.cases, *study.best], [c for c in (*study.cases, *study.best) if not study.rtl_of(c)]
    )
    f = Figure(
        table.text("title", needed=True),
        kind,
        table.names("metrics", study.metrics, []),
        cases,
        table.names("workloads", study.workloads, study.workloads),
        table.choice("by", ("workload", "group", "case"), "case" if kind == "table" else "workload"),
        table.names("sweep", study.sweeps, [""])[0],
        None,
        table.text("x_label"),
        table.texts("fit"),
        {},
        "",
        table.get("mark", (int, float), "a number"),
        table.get("page_only", bool, "true or false", False),
        table.text("note"),
    )
    if not f.metrics or (kind not in SEVERAL and len(f.metrics) != 1):
        table.bad("metrics", repr(f.metrics), "metrics of this file" if kind in SEVERAL else f"one metric for {kind}")
    if kind == "series" and not study.interval:
        table.bad("kind", '"series"', "another kind, or interval = N above: the SM cycles of an interval")
    for m in f.metrics if kind == "series" else []:
        for function in ("base", "case", *OVER):
            if study.metrics[m].expression.uses(function):
                table.bad("metrics", f'"{m}", which uses {function}()', "metrics of the point alone")
    if table.text("x"):
        f.x = table.checked("x", Expression, table.text("x"), names)
    if kind == "lines" and not f.sweep:
        table.bad("sweep", "nothing", "the sweep along which the lines go")
    if kind == "lines":
        f.cases = [c for c in cases if f.sweep in study.sweeps_of(c)]
    if kind == "lines" and not f.cases:
        table.bad("cases", repr(cases), f"one that goes through the sweep {f.sweep}")
    if kind == "scatter" and not f.x:
        table.bad("x", "nothing", "an expression")
    for fit in f.fits:
        if fit not in FORMS:
            table.bad("fit", f'"{fit}"', ", ".join(FORMS) + nearest(fit, FORMS))
    given = table.table("paper")
    f.source = given.text("figure", needed=bool(given.data))
    for fit in f.fits:
        f.r2[fit] = given.get(fit, (int, float), "the paper's R^2 of this fit")
    given.rest()
    if kind == "verdicts":
        one_sweep(table, study, f)
    if kind == "seeds":
        several_seeds(table, study, f)
    for m in f.metrics if kind in ("table", "bars") and f.by != "workload" else []:
        if not study.metrics[m].mean:
            table.bad("metrics", f'"{m}", which has no mean', 'metrics with a mean, or by = "workload"')
    if kind in ("bars", "stack", "series"):
        for c in f.cases if "cases" in table.data else []:
            if study.sweeps_of(c):
                table.bad(
                    "cases",
                    f'"{c}", which has a point for each value of {" and ".join(study.sweeps_of(c))}',
                    "cases of one point a workload (a [best.NAME] is one)",
                )
        f.cases = [c for c in f.cases if not study.sweeps_of(c)]
        if not f.cases:
            table.bad(
                "cases",
                "nothing",
                "a case of one point a workload: every case of the study has sweeps (a [best.NAME] has none; kind = \"table\" shows sweeps)",
            )
    table.rest()
    return f


def one_sweep(table, study, f):
    """The cases of verdicts are compared along one sweep each, with the same labels."""
    for case in f.cases:
        if len(study.sweeps_of(case)) != 1:
            table.bad("cases", f'"{case}" with {len(study.sweeps_of(case))} sweeps', "cases of one sweep")
    labels = [[v.label for v in study.sweeps[study.sweeps_of(case)[0]].values] for case in f.cases]
    for case, found in zip(f.cases, labels):
        if found != labels[0]:
            table.bad(
                "cases", f'"{case}" at {", ".join(found)}', f"the places of the first case: {', '.join(labels[0])}"
            )
    f.reference = table.texts("reference")
    for label in f.reference:
        if label not in labels[0]:
            table.bad("reference", f'"{label}"', f"places of the sweep: {', '.join(labels[0])}")
    f.margin = table.get("margin", (int, float), "a gain below which there is none: 0.01", 0.01)
    metric = study.metrics[f.metrics[0]]
    if metric.format not in ("ratio", "change") or not metric.mean or not metric.expression.uses("base"):
        table.bad("metrics", f'"{metric.name}"', "a ratio or change with base() and a mean")


def several_seeds(table, study, f):
    """The values of a ratio, one for each seed."""
    if len(study.seeds) < 2:
        table.bad("kind", '"seeds"', "another kind, or several seeds above: seed = [1, 2, 3, 4, 5]")
    metric = study.metrics[f.metrics[0]]
    if metric.format not in ("ratio", "change") or not metric.expression.uses("base"):
        table.bad("metrics", f'"{metric.name}"', "a ratio or change with base()")


def seeds(top):
    """One or several, without duplicates."""
    value = top.get("seed", (int, list), "a number, or a list of them", 1)
    found = value if isinstance(value, list) else [value]
    if not found or any(type(s) is not int or s < 0 for s in found) or len(set(found)) < len(found):
        top.bad("seed", repr(value), "a number, or a list of numbers from 0 on, each once")
    return found


def name_of(file):
    name = pathlib.Path(file).stem
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise Bad(f'{file}: found the name "{name}", expected small letters, digits and _')
    return name


def load(file, size, program, only=()):
    """Reads and checks the whole file; Bad names the error and its place.  `only`: names of the selected workloads; empty: all."""
    try:
        data = tomllib.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as e:
        raise Bad(f"{file}: {e}") from None
    top = Table(file, "", data)
    study = Study(
        name_of(file),
        file,
        size,
        top.text("title", needed=True),
        top.text("paper", needed=True),
        top.text("note").strip(),
        top.choice("command", COMMANDS, "run"),
        seeds(top),
        change(top, program),
        "",
    )
    study.whole = list(study.change)
    for name, t in top.tables("sizes").items():
        if name not in SIZES:
            t.bad("", f'unknown size "{name}"', ", ".join(SIZES) + nearest(name, SIZES))
        changed = change(t, program)
        study.change += changed if name == size else []
        t.rest()
    study.batch = top.get("batch", int, "how many points one process runs", 6 if study.command == "cke" else 1)
    if study.batch < 1:
        top.bad("batch", study.batch, "1 or more")
    study.until_end = top.get("until_end", bool, "true or false", False)
    if study.until_end and study.command != "cke":
        top.bad("until_end", "true", 'it with command = "cke" only')
    study.interval = top.get("interval", int, "SM cycles of an interval", 0)
    if study.interval < 0:
        top.bad("interval", study.interval, "1 or more")
    study.energies = top.texts("energies")
    for path in study.energies:
        if not pathlib.Path(path).is_file():
            top.bad("energies", f'"{path}"', "a file of energies")
    workloads = top.table("workloads")
    study.workloads = {n: workload(study, workloads, n, program) for n in workloads.data}
    if not study.workloads:
        top.bad("workloads", "nothing", "one workload or more")
    for name, t in top.tables("sweeps").items():
        study.sweeps[name] = Sweep(name, t.text("label", name), sweep(study, t, program))
        t.rest()
    for name, t in top.tables("cases").items():
        study.cases[name] = Case(
            name,
            t.text("label", name),
            change(t, program),
            t.names("sweeps", study.sweeps, []),
            t.names("rtl", program.blocks, []),
            t.text("base"),
            cost(t),
        )
        t.rest()
    if not study.cases:
        top.bad("cases", "nothing", "one case or more")
    for name, c in study.cases.items():
        if c.base and c.base not in study.cases:
            top.bad(f"cases.{name}.base", f'"{c.base}"', f"{', '.join(study.cases)}{nearest(c.base, study.cases)}")
    labels = list(dict.fromkeys(v.label for s in study.sweeps.values() for v in s.values))
    for name, w in study.workloads.items():
        for key, label in [*(("at", label) for label in w.at), *(("places", label) for label in w.places)]:
            if label not in labels:
                workloads.bad(f"{name}.{key}", f'"{label}"', f"places of sweeps: {', '.join(labels)}")
        for case in w.cases:
            if case not in study.cases:
                workloads.bad(f"{name}.cases", f'unknown "{case}"', ", ".join(study.cases) + nearest(case, study.cases))
    counters = program.counters_of(
        study.command, max(len(words) for w in study.workloads.values() for words in w.sizes.values())
    )
    names = Names(
        counters,
        program.options,
        study.sweeps,
        [*study.cases, *top.tables("best")],
        study.metrics,
        sorted({n for w in study.workloads.values() for n in w.numbers}),
        program.energy_parts,
    )
    bests(study, top, names)
    study.base = top.names("base", [*study.cases, *study.best], [""])[0]
    for name, t in top.tables("metrics").items():
        study.metrics[name] = metric(t, study, name, names)
    finish_bests(study, top, names)
    study.headline = top.names("headline", study.metrics, [])
    for i, data_of_figure in enumerate(top.get("figures", list, "a list of [[figures]]", [])):
        study.figures.append(figure(Table(file, f"figures[{i}]", data_of_figure), study, names))
    top.rest()
    for name in only:
        if name not in study.workloads:
            raise Bad(
                f'ONLY: found "{name}", expected workloads of {file}: {", ".join(study.workloads)}{nearest(name, study.workloads)}'
            )
    study.workloads = {n: w for n, w in study.workloads.items() if n in (only or study.workloads)}
    if not any(size in w.sizes for w in study.workloads.values()):
        known = sorted({s for w in study.workloads.values() for s in w.sizes}, key=SIZES.index)
        raise NoSize(f"{file}: workloads: found none of the size {size}, expected one of {', '.join(known)}")
    return study


def bests(study, top, names):
    for name, t in top.tables("best").items():
        if name in study.cases:
            t.bad("", f'"{name}" twice', "a name that no case has")
        study.best[name] = Best(
            name, t.text("label", name), t.names("of", study.cases, []), t, t.choice("pick", ("max", "min"), "max")
        )
        if not study.best[name].of:
            t.bad("of", "nothing", "the cases among whose points the best is looked for")


def finish_bests(study, top, names):
    """Resolved last: [best] expressions may use any metric, and metrics may use any best case."""
    for b in study.best.values():
        t = b.by
        b.by = t.checked("by", Expression, t.text("by", needed=True), names)
        for function in ("base", "case"):
            if b.by.uses(function):
                t.bad("by", f"{function}()", "counters of the point alone")
        t.rest()
