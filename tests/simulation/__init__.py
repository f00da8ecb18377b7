"""Deterministic simulation of what can go wrong while runs are played, every step chosen by a seed.

The dispatcher is the real one; workers, nodes, clock and result files are simulated. (The habit is TigerBeetle's.)
"""
