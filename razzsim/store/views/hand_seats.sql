-- The recorded hands seat by seat, in no order. A CASE for each value reads only the columns that are asked for; UNNEST
-- of lists reads all 24, and takes four times as long. Names, labels and boards are looked up in lists, which costs
-- nothing where they are not asked for; a join is made in any case.
--
-- A board sorts the upcards that a seat had by a street, the better the smaller. First come its equal pairs of cards,
-- 2^14 + 2^rank each: by how ranks repeat, then by the ranks that do. Then 4^rank of each card: by the highest card
-- that differs. Cards not dealt by then have rank 15, in all boards of the street. A seat that had folded has none.
CREATE OR REPLACE MACRO board_of_ranks(a, b, c, d) AS (
    (a = b)::BIGINT * (16384 + (1 << a)) + (a = c)::BIGINT * (16384 + (1 << a)) + (a = d)::BIGINT * (16384 + (1 << a))
    + (b = c)::BIGINT * (16384 + (1 << b)) + (b = d)::BIGINT * (16384 + (1 << b)) + (c = d)::BIGINT * (16384 + (1 << c))
) * 4294967296 + (1::BIGINT << (2 * a)) + (1::BIGINT << (2 * b)) + (1::BIGINT << (2 * c)) + (1::BIGINT << (2 * d));
-- held: cards as in `hands`; boards: by the ranks of four upcards, four bits each; set_bits: ranks of cards not dealt
-- by then, and the game
CREATE OR REPLACE MACRO board(held, street, set_bits, boards) AS
    CASE WHEN (held >> (6 * (street - 1))) & 63 < 63 THEN boards[
        1 + (((held >> 14) & 15) | ((held >> 16) & 240) | ((held >> 18) & 3840) | ((held >> 20) & 61440) | set_bits)] END;
CREATE OR REPLACE MACRO card_text(held, k) AS substr(
    ' Ac Ad Ah As 2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s 6c 6d 6h 6s 7c 7d 7h 7s 8c 8d 8h 8s 9c 9d 9h 9s'
    || ' Tc Td Th Ts Jc Jd Jh Js Qc Qd Qh Qs Kc Kd Kh Ks', 3 * ((held >> (6 * k)) & 63) + 1, 3);
CREATE OR REPLACE VIEW hand_seats AS
WITH places AS (
    SELECT run_id, line_up, structure, l.big_bet_chips, unnest(range(len(l.entrants))) AS seat,
           len(l.entrants) AS n_seats, (game = 'deuce_to_seven_razz')::INTEGER << 16 AS game_bit,
           (sum(len(l.entrants)) OVER (ORDER BY run_id, line_up) - len(l.entrants))::INTEGER AS n_names_before
    FROM line_ups l JOIN runs USING (run_id)
), copies AS (
    SELECT run_id, line_up, unnest(range(len(l.entrants))) AS copy, unnest(l.entrants) AS entrant FROM line_ups l
), all_names AS (
    SELECT list(e.name ORDER BY run_id, c.line_up, c.copy) AS names
    FROM copies c JOIN entrants e USING (run_id, entrant)
), all_labels AS (
    SELECT list(substr('A23456789TJQK   ', least(a, b, c) + 1, 1)
                || substr('A23456789TJQK   ', a + b + c - least(a, b, c) - greatest(a, b, c) + 1, 1)
                || substr('A23456789TJQK   ', greatest(a, b, c) + 1, 1) ORDER BY i) AS labels
    FROM (SELECT i, i & 15 AS a, (i >> 4) & 15 AS b, i >> 8 AS c FROM range(4096) numbers(i))
), all_boards AS (
    -- the second half is for deuce-to-seven, where an ace is the highest card
    SELECT list(board_of_ranks(a, b, c, d) ORDER BY i) AS boards
    FROM (
        SELECT i, CASE WHEN i & 15 = ace THEN 13 ELSE i & 15 END AS a,
               CASE WHEN (i >> 4) & 15 = ace THEN 13 ELSE (i >> 4) & 15 END AS b,
               CASE WHEN (i >> 8) & 15 = ace THEN 13 ELSE (i >> 8) & 15 END AS c,
               CASE WHEN (i >> 12) & 15 = ace THEN 13 ELSE (i >> 12) & 15 END AS d
        FROM (SELECT i, CASE WHEN i < 65536 THEN -1 ELSE 0 END AS ace FROM range(131072) numbers(i))
    )
), seats AS (
    SELECT h.* EXCLUDE (street), p.* EXCLUDE (run_id, line_up), (h.copies::BIGINT >> (4 * p.seat)) & 15 AS copy,
           CASE p.seat WHEN 0 THEN put_0 WHEN 1 THEN put_1 WHEN 2 THEN put_2 WHEN 3 THEN put_3
                       WHEN 4 THEN put_4 WHEN 5 THEN put_5 WHEN 6 THEN put_6 ELSE put_7 END AS put_chips,
           CASE p.seat WHEN 0 THEN net_0 WHEN 1 THEN net_1 WHEN 2 THEN net_2 WHEN 3 THEN net_3
                       WHEN 4 THEN net_4 WHEN 5 THEN net_5 WHEN 6 THEN net_6 ELSE net_7 END AS net_chips,
           CASE p.seat WHEN 0 THEN cards_0 WHEN 1 THEN cards_1 WHEN 2 THEN cards_2 WHEN 3 THEN cards_3
                       WHEN 4 THEN cards_4 WHEN 5 THEN cards_5 WHEN 6 THEN cards_6 ELSE cards_7 END::BIGINT AS held,
           (h.showdown_mask >> p.seat) & 1 = 1 AS showdown, (h.winner_mask >> p.seat) & 1 = 1 AS won
    FROM hands h JOIN places p USING (run_id, line_up)
), dealt AS (
    -- a card is six bits, the last dealt highest, and none is 63: so the packed number tells how many there are
    SELECT *, 7 - (held >= 4329327034368)::TINYINT - (held >= 4396972769280)::TINYINT
                - (held >= 4398029733888)::TINYINT - (held >= 4398046248960)::TINYINT AS street,
           (65536 - (1 << (4 * least(street - 2, 4))::INTEGER)) | game_bit AS set_bits
    FROM seats
)
SELECT run_id, line_up, structure, deal, rotation, seat::TINYINT AS seat, names[1 + n_names_before + copy] AS entrant,
       copy::TINYINT AS copy,
       CASE WHEN bring_in_seat < 0 THEN -1 ELSE (seat - bring_in_seat + n_seats) % n_seats END::TINYINT AS position,
       street,
       concat('(', substr(card_text(held, 0), 2), card_text(held, 1), ')', card_text(held, 2), card_text(held, 3),
              card_text(held, 4), card_text(held, 5),
              CASE WHEN street = 7 THEN ' (' || substr(card_text(held, 6), 2) || ')' END) AS cards,
       labels[1 + (((held >> 2) & 15) | ((held >> 4) & 240) | ((held >> 6) & 3840))] AS label,
       put_chips, net_chips, net_chips / big_bet_chips::DOUBLE AS net_bb, pot_chips, showdown, won,
       -- without a winner (no ante, all folded to the bring-in and got it back) the bring-in is left
       NOT (showdown OR won OR (winner_mask = 0 AND seat = bring_in_seat)) AS folded,
       board(held, street, set_bits, boards) AS board,
       least(CASE WHEN seat <> 0 THEN board(cards_0::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 1 THEN board(cards_1::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 2 THEN board(cards_2::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 3 THEN board(cards_3::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 4 THEN board(cards_4::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 5 THEN board(cards_5::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 6 THEN board(cards_6::BIGINT, street, set_bits, boards) END,
             CASE WHEN seat <> 7 THEN board(cards_7::BIGINT, street, set_bits, boards) END) AS rival_board
FROM dealt, all_names, all_labels, all_boards;
COMMENT ON VIEW hand_seats IS 'one row a seat of the recorded hands (level hands or above), in no order';
COMMENT ON COLUMN hand_seats.entrant IS 'name of the entrant';
COMMENT ON COLUMN hand_seats.copy IS 'copy of the line-up that sat there';
COMMENT ON COLUMN hand_seats.position IS 'seats clockwise from the one that owed the bring-in: 0 = owed it, -1 = nobody owed it';
COMMENT ON COLUMN hand_seats.street IS 'last street that this seat saw: its number of cards';
COMMENT ON COLUMN hand_seats.cards IS 'in the order dealt, downcards in brackets; so is a seventh card that is common to all';
COMMENT ON COLUMN hand_seats.label IS 'ranks of the first three cards, ace first: see by_start_hand';
COMMENT ON COLUMN hand_seats.put_chips IS 'chips it put in and did not get back';
COMMENT ON COLUMN hand_seats.net_chips IS 'chips won or lost';
COMMENT ON COLUMN hand_seats.net_bb IS 'big bets won or lost';
COMMENT ON COLUMN hand_seats.pot_chips IS 'chips in all pots, uncalled bets returned, rake included';
COMMENT ON COLUMN hand_seats.showdown IS 'its cards were compared';
COMMENT ON COLUMN hand_seats.won IS 'it won a pot or a part of one';
COMMENT ON COLUMN hand_seats.folded IS 'it folded, on its last street';
COMMENT ON COLUMN hand_seats.board IS 'its upcards on its last street as a number, smaller = better low; compare within one street only';
COMMENT ON COLUMN hand_seats.rival_board IS 'the best board of the others that had not folded before that street, NULL if all had';
