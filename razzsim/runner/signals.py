"""SIGINT and SIGTERM while a run goes on."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Signals:
    """SIGINT and SIGTERM as a question the dispatcher asks; the second one ends the process as usual."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._ends_at_once = False
        self._is_main = threading.current_thread() is threading.main_thread()

    def asked_to_stop(self) -> bool:
        """Whether one has come."""
        return self.number is not None

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Hear them inside; outside they do what they did before."""
        numbers = (signal.SIGINT, signal.SIGTERM) if self._is_main else ()
        before = [(number, signal.signal(number, self._note)) for number in numbers]
        try:
            yield
        finally:
            for number, handler in before:
                signal.signal(number, handler)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """One that came before or comes inside raises KeyboardInterrupt.

        For what asks nobody: to compile takes minutes where many want the cores.
        """
        self._ends_at_once = True
        try:
            if self.number is not None:
                raise KeyboardInterrupt
            yield
        finally:
            self._ends_at_once = False

    def _note(self, number: int, _frame: object) -> None:
        if self.number is not None:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self.number = number
        signal.alarm(0)  # Ray hears it first and would have the process aborted 3 s later, committed or not
        if self._ends_at_once:
            raise KeyboardInterrupt
