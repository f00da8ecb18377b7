"""Figures, not tests: `python -m tests.bench [--quick] [--only NAME] [--json]`.

Compare ratios of one run; absolute figures change with the machine and with who else uses it.
"""
