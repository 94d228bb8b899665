# SPDX-License-Identifier: Apache-2.0
"""The rows as text, and the tables of docs/silicon.md."""
import statistics


def figure(value):
    """Four digits of a measured value."""
    return "-" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def percent(error):
    return "-" if error is None else f"{100 * error:+.1f}"


def every_row(results):
    lines = [f"{'card':10} {'test':22} {'arguments':52} {'measured':>12} {'simulated':>12} {'error, %':>9}"]
    for r in results:
        lines.append(
            f"{r.card:10} {r.group:22} {r.name:52} {figure(r.measured):>12} {figure(r.simulated):>12} {percent(r.error):>9}"
        )
    return "\n".join(lines) + "\n"


def groups(results):
    """Results by card and group, in the order in which they came."""
    by = {}
    for r in results:
        by.setdefault((r.card, r.group), []).append(r)
    return by


def line(cells):
    return "| " + " | ".join(cells) + " |\n"


def summary(results):
    text = line(["card", "test", "rows", "without counterpart", "mean error, %", "worst, %", "of"])
    text += line(["---", "---", "--:", "--:", "--:", "--:", "---"])
    for (card, group), rows in groups(results).items():
        errors = [r for r in rows if r.error is not None]
        cells = [card, group, str(len(rows)), str(len(rows) - len(errors))]
        if errors:
            worst = max(errors, key=lambda r: abs(r.error))
            mean = statistics.fmean(abs(r.error) for r in errors)
            cells += [f"{100 * mean:.1f}", percent(worst.error), f"`{worst.name}`"]
        else:
            cells += ["-", "-", "-"]
        text += line(cells)
    return text


def programs(results):
    """A line for each launch: cycles of both, and the errors of the counts of sectors."""
    cycles = [r for r in results if r.group == "program cycles"]
    counts = [g for g in dict.fromkeys(r.group for r in results) if g.endswith(("sectors", "hits"))]
    of = {(r.card, r.group, r.name): r for r in results}
    text = line(["launch", "cycles, measured", "simulated", "error, %", *(f"{g}, %" for g in counts)])
    text += line(["---", *["--:"] * (3 + len(counts))])
    for r in cycles:
        cells = [f"`{r.name}`", figure(r.measured), figure(r.simulated), percent(r.error)]
        text += line(cells + [percent(of[r.card, g, r.name].error) for g in counts])
    return text


def page(results):
    return summary(results) + "\n" + programs(results)
