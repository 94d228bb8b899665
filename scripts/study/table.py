# SPDX-License-Identifier: Apache-2.0
"""A table of a study's TOML file: every key is read by name; unknown keys and wrong values are reported with their place."""
from scripts.study.expressions import Bad, nearest


class Table:
    """A table of the file, read key by key."""

    def __init__(self, file, path, data):
        self.file, self.path, self.data, self.asked = file, path, data, []

    def where(self, key):
        return ".".join(filter(None, (self.path, key)))

    def bad(self, key, found, expected):
        raise Bad(f"{self.file}: {self.where(key)}: found {found}, expected {expected}")

    def checked(self, key, check, *values):
        """Reports the error of an external check with its place in this file."""
        try:
            return check(*values)
        except Bad as e:
            raise Bad(f"{self.file}: {self.where(key)}: {e}") from None

    def get(self, key, kind, words, default=None, needed=False):
        self.asked.append(key)
        if key not in self.data:
            if needed:
                self.bad(key, "nothing", words)
            return default
        value = self.data[key]
        if not isinstance(value, kind) or (
            isinstance(value, bool) and bool not in (kind if isinstance(kind, tuple) else (kind,))
        ):
            self.bad(key, repr(value), words)
        return value

    def text(self, key, default="", needed=False):
        return self.get(key, str, "a text", default, needed)

    def texts(self, key):
        """A text, or a list of texts."""
        value = self.get(key, (str, list), "a text or a list of texts", [])
        value = [value] if isinstance(value, str) else value
        if not all(isinstance(v, str) for v in value):
            self.bad(key, repr(value), "a text or a list of texts")
        return value

    def choice(self, key, allowed, default):
        value = self.text(key, default)
        if value not in allowed and value != default:
            self.bad(key, f'"{value}"', f"{', '.join(allowed)}{nearest(value, allowed)}")
        return value

    def names(self, key, known, default):
        """A list of existing names."""
        values = self.texts(key)
        for v in values:
            if v not in known:
                self.bad(key, f'unknown "{v}"', f"{', '.join(known)}{nearest(v, known)}")
        return values or list(default)

    def table(self, key):
        return Table(self.file, self.where(key), self.get(key, dict, "a table", {}))

    def tables(self, key):
        """The tables inside a table; their names are prefixes."""
        inside = self.table(key)
        return {name: inside.table(name) for name in inside.data}

    def rest(self):
        for key in self.data:
            if key not in self.asked:
                self.bad(key, "unknown key", f"{', '.join(self.asked)}{nearest(key, self.asked)}")


def flat(table, prefix=""):
    """{"l1d": {"ways": 8}} and {"l1d.ways": 8} are the same option."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def option_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def change(table, program):
    """The arguments by which presets and options change a machine."""
    arguments = []
    for preset in table.texts("preset"):
        table.checked("preset", program.check_preset, preset)
        arguments += ["--config" if preset.endswith(".ini") else "--preset", preset]
    return arguments + options(table, "set", program)


def options(table, key, program):
    """The arguments by which a table of options changes a machine."""
    arguments = []
    for option, value in flat(table.get(key, dict, "a table of options", {})):
        table.checked(f"{key}.{option}", program.check_option, option)
        arguments += ["--set", f"{option}={option_text(value)}"]
    return arguments
