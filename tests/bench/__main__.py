"""The command line of the benchmarks."""

import argparse
import json
import sys

from tests.bench import kernels, limit, lows, metrics, parts, pokerkit, recording, runs, scheduler
from tests.bench.before import before
from tests.bench.harness import document, plain, write_docs

BENCHES = {
    "limit": limit.limit,
    "kernel": kernels.kernel,
    "parts": parts.parts,
    "lows": lows.lows,
    "pokerkit": pokerkit.pokerkit,
    "recording": recording.recording,
    "ray": runs.ray,
    "metrics": metrics.metrics,
    "scheduler": scheduler.scheduler,
    "start": runs.start,
    "scaling": runs.scaling,
}


def main() -> None:
    """Run the benchmarks asked for and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter takes")
    parser.add_argument("--only", choices=sorted(BENCHES), help="one benchmark")
    parser.add_argument(
        "--write", action="store_true", help="write docs/performance.json and .md; with --only, its part"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--before", metavar="COMMIT", help="only the kernel, against that of another commit")
    options = parser.parse_args()
    results = before(options.before) if options.before else []
    for name, bench in BENCHES.items():
        if not options.before and options.only in (None, name):
            sys.stderr.write(f"{name} ...\n")
            results += bench(options.quick)
    if options.write:
        write_docs(document(results), [*BENCHES, "before"])
    sys.stdout.write((json.dumps(document(results), indent=2) if options.json else plain(results)) + "\n")


if __name__ == "__main__":
    main()
