"""python -m tests.simulation: many schedules on both cores; a seed that fails is printed, to be played again."""

import argparse
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.schedule import play

_PORTION = 500


def portion(first: int, n: int) -> tuple[Counter[str], int | None, str]:
    """Play seeds first .. first + n - 1: what happened, and the seed that failed with its words."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + n):
        try:
            counts.update(play(seed))
        except Exception:
            return counts, seed, traceback.format_exc()
    return counts, None, ""


def main() -> None:
    """Exit code 1 when a schedule fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--schedules", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", type=int, help="play this seed alone and print its steps")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.only is not None:
        print(play(options.only, trace=True))
        return
    start, total, end = time.monotonic(), Counter[str](), options.first + options.schedules
    with ProcessPoolExecutor(options.processes) as pool:
        firsts = range(options.first, end, _PORTION)
        sizes = [min(_PORTION, end - first) for first in firsts]
        for counts, seed, words in pool.map(portion, firsts, sizes):
            total += counts
            if seed is not None:
                sys.stderr.write(f"{words}\nseed {seed} failed; again: python -m tests.simulation --only {seed}\n")
                pool.shutdown(cancel_futures=True)
                sys.exit(1)
    told = ", ".join(f"{count:,} {name}" for name, count in total.items())
    print(f"{options.schedules:,} schedules in {time.monotonic() - start:.0f} s: {told}")


if __name__ == "__main__":
    main()
