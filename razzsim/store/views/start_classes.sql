-- The first three cards as records numbers them (door_class: door card x pair of downcards) and by their three ranks
-- alone (class). A multiset x <= y <= z of ranks (0 = ace .. 12 = king) has the number
-- z (z + 1) (z + 2) / 6 + y (y + 1) / 2 + x, 0 .. 454. Labels put the ace first, in deuce-to-seven too.
CREATE OR REPLACE VIEW start_classes AS
WITH pairs AS (
    SELECT door, a, b, door * 91 + b * (b + 1) // 2 + a AS door_class,
           least(door, a) AS x, greatest(least(door, b), a) AS y, greatest(door, b) AS z
    FROM range(13) doors(door), range(13) lows(a), range(13) highs(b)
    WHERE a <= b
)
SELECT door_class::INTEGER AS door_class, (z * (z + 1) * (z + 2) // 6 + y * (y + 1) // 2 + x)::INTEGER AS class,
       concat_ws('', ranks[x + 1], ranks[y + 1], ranks[z + 1]) AS label,
       concat('(', ranks[a + 1], ranks[b + 1], ')', ranks[door + 1]) AS door_label,
       -- the downcards out of four suits each, then the door card out of the suits that are left of its rank
       CASE WHEN a = b THEN 6 ELSE 16 END * (4 - (door = a)::INTEGER - (door = b)::INTEGER) AS combinations
FROM pairs, (SELECT 'A23456789TJQK' AS ranks)
ORDER BY door_class;
COMMENT ON VIEW start_classes IS 'numbers and labels of the first three cards: a row each of the 1183 classes with a door card, which make 455 without';
COMMENT ON COLUMN start_classes.door_class IS 'class of table start_hands';
COMMENT ON COLUMN start_classes.class IS 'number of the three ranks x <= y <= z, 0 = ace: z (z + 1) (z + 2) / 6 + y (y + 1) / 2 + x';
COMMENT ON COLUMN start_classes.label IS 'the three ranks, ace first';
COMMENT ON COLUMN start_classes.door_label IS '(downcards)door card';
COMMENT ON COLUMN start_classes.combinations IS 'ways to be dealt it, of 22,100 x 3';
