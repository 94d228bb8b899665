# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium over its debugging pipe: a page of a true width, in light or dark, with keys, on paper."""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CHROMIUM = [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


class Browser:
    """A process and one page of it.  Messages are JSON, each with a zero byte behind it, on the descriptors 3 and 4."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        theirs_in, self.out = os.pipe()
        self.inward, theirs_out = os.pipe()
        command = [
            "sh",
            "-c",
            f'exec 3<&{theirs_in} 4>&{theirs_out}; exec "$@"',
            "sh",
            *CHROMIUM,
            f"--user-data-dir={self.folder.name}/profile",
            "about:blank",
        ]
        self.process = subprocess.Popen(
            command, pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.inward, 1 << 20)
            if not more:
                sys.exit("pages: chromium ended")
            self.buffer += more
        first, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(first)

    def ask(self, method, **params):
        """The result of a command."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params} | (
            {"sessionId": self.session} if self.session else {}
        )
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        while True:
            found = self.message()
            if found.get("id") == self.number:
                if "error" in found:
                    sys.exit(f"pages: {method}: {found['error']}")
                return found["result"]
            self.events.append(found.get("method"))

    def open(self, path, width, dark=False, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.events.clear()
        self.ask("Page.navigate", url=pathlib.Path(path).absolute().as_uri())
        while "Page.loadEventFired" not in self.events:
            self.events.append(self.message().get("method"))

    def run(self, script):
        """The value of an expression of the page."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"pages: {result['exceptionDetails']}")
        return result["result"].get("value")

    def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def shot(self, path):
        """All of the page, to its end."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        pathlib.Path(path).write_bytes(
            base64.b64decode(self.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"])
        )

    def pdf(self, path):
        done = self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        pathlib.Path(path).write_bytes(base64.b64decode(done["data"]))

    def close(self):
        os.close(self.out)
        self.process.wait(20)
        os.close(self.inward)
        self.folder.cleanup()
