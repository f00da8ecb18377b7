"""An actor that sleeps where others play; apart, for many of them start on few cores."""

import time

from razzsim.plan import Chunk
from razzsim.runner.cluster import Sent, sent
from razzsim.runner.executor import Job, Played
from razzsim.sums import HEADER, Int64s, unpack

SLEEP_S = 1.0


class Sleeper:
    """Takes a second a chunk, in as many threads as the actor has."""

    def __init__(self, sums: Int64s) -> None:
        self._sent = sent(Played(Chunk(0, 0, 1), sums))

    def play(self, run: int, chunks: list[list[int]]) -> tuple[str, list[Sent]]:
        """What a worker answers, without the time that real ones spend on it on other cores."""
        time.sleep(SLEEP_S * len(chunks))
        return "sleeper", [self._sent] * len(chunks)


def played_chunks(job: Job, sums: Int64s) -> list[Played]:
    """The same sums for every chunk, under its own key."""
    played = []
    for chunk in job.chunks:
        own = sums.copy()
        own[HEADER.index("first_group")] = chunk.first_group
        unpack(own)["top_pots"][:, 0] += chunk.first_group  # the first column is the deal
        played.append(Played(chunk, own))
    return played
