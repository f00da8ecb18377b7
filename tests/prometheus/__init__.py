"""A real Prometheus that watches a real run."""
