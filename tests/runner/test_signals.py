"""Signals: heard as a question, or at once where nobody asks for minutes."""

import os
import signal

import pytest

from razzsim.runner.signals import Signals


def test_a_signal_is_a_question_and_where_nobody_asks_an_interruption():
    signals, before = Signals(), signal.getsignal(signal.SIGTERM)
    with signals.caught():
        with pytest.raises(KeyboardInterrupt), signals.at_once():
            os.kill(os.getpid(), signal.SIGTERM)
        assert (signals.number, signals.asked_to_stop()) == (signal.SIGTERM, True)
    assert signal.getsignal(signal.SIGTERM) is before
    later = Signals()
    with later.caught():
        with later.at_once():
            pass
        os.kill(os.getpid(), signal.SIGINT)
        assert later.number == signal.SIGINT
