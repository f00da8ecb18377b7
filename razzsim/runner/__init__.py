"""Playing a plan: chunks to workers, sums to the one writer, whatever fails in between."""
