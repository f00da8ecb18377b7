"""Chromium without a window, spoken to over a pair of pipes: no port, no driver, no package."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

INSTALL = Path(__file__).with_name("install.sh")
FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
)
DARK = {"name": "prefers-color-scheme", "value": "dark"}


class Page:
    """A page in a browser; errors: what its console and network complained about."""

    def __init__(self, reading, writing):
        self._in, self._out = reading, writing
        self._number, self._session, self._rest = 0, None, b""
        self.errors, self._events = [], []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **params):
        """The browser's answer to one command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._next()).get("id") != self._number:
            self._note(answer)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        first, self._rest = self._rest.split(b"\0", 1)
        return json.loads(first)

    def _note(self, event):
        method, params = event["method"], event["params"]
        complains = method == "Runtime.consoleAPICalled" and params["type"] in {"error", "warning"}
        if complains or method in {"Log.entryAdded", "Runtime.exceptionThrown", "Network.loadingFailed"}:
            self.errors.append(params)
        self._events.append(method)

    def show(self, file, width, height, scheme="light", media="screen"):
        """Load a file into a window of that size."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self._events.clear()
        self.ask("Page.navigate", url=Path(file).resolve().as_uri())
        while "Page.loadEventFired" not in self._events:
            self._note(self._next())

    def evaluate(self, script):
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def screenshot(self, whole=False):
        """The page as PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"])

    def pdf(self):
        """The page on paper, whatever the scheme on screen was."""
        self.ask("Emulation.setEmulatedMedia", media="", features=[DARK])
        return base64.b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])


def _high_pipe():
    """A pipe with numbers above 4."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high


@contextmanager
def page():
    """A page in a browser of its own. Without Chromium this fails; with CI=true it is installed."""
    if not shutil.which("chromium"):
        script = INSTALL.relative_to(INSTALL.parents[2])
        assert os.environ.get("CI") == "true", f"there is no chromium: run {script} as root"
        subprocess.run([INSTALL], check=True)
    to_read, its_output = _high_pipe()
    its_input, to_write = _high_pipe()
    flags = [*FLAGS, "--no-sandbox"] if os.geteuid() == 0 else FLAGS
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        # The browser wants its pipes as 3 and 4; bash, unlike sh, knows numbers of two digits.
        words = ["bash", "-c", f'exec "$@" 3<&{its_input} 4>&{its_output}', "bash"]
        browser = subprocess.Popen(
            [*words, "chromium", *flags, f"--user-data-dir={profile}"],
            pass_fds=(its_input, its_output),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(its_input)
        os.close(its_output)
        try:
            with os.fdopen(to_write, "wb") as writing:
                yield Page(to_read, writing)
        finally:
            os.close(to_read)
            browser.terminate()
            browser.wait(30)
