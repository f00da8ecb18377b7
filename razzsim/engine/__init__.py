"""The rules of Razz as a compiled engine: integers in, integers out.

`hand.Hand` plays one hand step by step; `bulk.play_groups` plays millions of them through strategies.
Both are made of the same transition core (`betting`, `dealing`, `settling`).
"""

ENGINE_VERSION = 2
"""Changes whenever the play of any deal changes; results of different versions never mix."""
