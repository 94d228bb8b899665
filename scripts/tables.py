"""Tables as text: what the terminal shows."""


def print_rows(heads, rows, left, gap):
    """Two lines of heads, the first `left` columns flush left, an empty line before every `gap` rows."""
    widths = [max(len(x) for x in [*(row[i] for row in rows), *heads[i]]) for i in range(len(heads))]

    def line(row):
        return "  ".join(x.ljust(w) if i < left else x.rjust(w) for i, (x, w) in enumerate(zip(row, widths))).rstrip()
    if any(top for top, _ in heads):
        print("\n" + line([top for top, _ in heads]))
    print(line([head for _, head in heads]))
    for i, row in enumerate(rows):
        if gap and i % gap == 0:
            print()
        print(line(row))
