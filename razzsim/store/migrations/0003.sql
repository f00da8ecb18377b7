-- From schema version 2 to 3: shards, digests of chunks, and what the workers ran on. What was played before has no
-- digest, and nothing is known of its workers.
ALTER TABLE runs ADD COLUMN shard INTEGER;
ALTER TABLE runs ADD COLUMN n_shards INTEGER;
COMMENT ON COLUMN entrants.kind IS 'compiled (Python) or chart (YAML)';
UPDATE runs SET schema_version = 3;
COMMENT ON COLUMN runs.shard IS 'which part of the plan is played here, from 1; NULL: all of it';
COMMENT ON COLUMN runs.n_shards IS 'into how many parts the plan is cut; NULL: all of it is played here';

ALTER TABLE chunks ADD COLUMN digest BIGINT;
COMMENT ON COLUMN chunks.digest IS '64 bits of BLAKE2b of all that came back but the times; NULL before version 3';

CREATE TABLE workers (run_id VARCHAR NOT NULL, worker VARCHAR NOT NULL, host VARCHAR, cpu VARCHAR, python VARCHAR, numba VARCHAR, numpy VARCHAR, razzsim VARCHAR, first_seen TIMESTAMP, PRIMARY KEY (run_id, worker));
COMMENT ON TABLE workers IS 'one row a worker: what it ran on, for the chunks it played';
COMMENT ON COLUMN workers.run_id IS 'first 12 hex digits of the fingerprint';
COMMENT ON COLUMN workers.worker IS 'host and process, as in chunks';
COMMENT ON COLUMN workers.host IS 'its machine';
COMMENT ON COLUMN workers.cpu IS 'model of the processor';
COMMENT ON COLUMN workers.python IS 'version of Python';
COMMENT ON COLUMN workers.numba IS 'version of Numba, which compiled what it played with';
COMMENT ON COLUMN workers.numpy IS 'version of NumPy';
COMMENT ON COLUMN workers.razzsim IS 'version of razzsim';
COMMENT ON COLUMN workers.first_seen IS 'UTC; when the first of its chunks was committed';
