-- Committed chunks only: seconds of tries that failed are in wall_s, not in cpu_s.
CREATE OR REPLACE VIEW cost AS
WITH played AS (
    SELECT run_id, sum(n_hands)::BIGINT AS hands, sum(n_decisions)::BIGINT AS decisions,
           sum(cpu_s ORDER BY line_up, first_group) AS cpu_s
    FROM chunks GROUP BY run_id
), failed AS (
    -- an error with an entrant is the strategy's and not tried again; nor is what was given up for good
    SELECT run_id, count(*) FILTER (outcome IN ('error', 'timeout', 'worker_lost') AND entrant < 0)
                   - count(*) FILTER (outcome = 'quarantined') AS n_retries
    FROM failures GROUP BY run_id
)
SELECT run_id, coalesce(hands, 0) AS hands, coalesce(decisions, 0) AS decisions, coalesce(p.cpu_s, 0) AS cpu_s,
       r.wall_s, hands / nullif(p.cpu_s, 0) AS hands_per_cpu_s, coalesce(n_retries, 0) AS n_retries
FROM runs r
LEFT JOIN played p USING (run_id)
LEFT JOIN failed USING (run_id)
ORDER BY run_id;
COMMENT ON VIEW cost IS 'what every run took';
COMMENT ON COLUMN cost.hands IS 'hands played';
COMMENT ON COLUMN cost.decisions IS 'decisions asked of strategies';
COMMENT ON COLUMN cost.cpu_s IS 'seconds of CPU the workers took for the committed chunks';
COMMENT ON COLUMN cost.wall_s IS 'seconds from start to end, all attempts; 0 before the first attempt ended';
COMMENT ON COLUMN cost.hands_per_cpu_s IS 'hands a second of CPU';
COMMENT ON COLUMN cost.n_retries IS 'chunks played again because their worker was lost, failed or took too long';
