"""The tables of a report, for one structure each."""

from collections.abc import Iterator, Mapping, Sequence

from razzsim.report.facts import Facts
from razzsim.report.model import HEAT_BOUNDS, Block, Cell, Cells, Code, Details, Side, Table, Text
from razzsim.report.words import STANDINGS_COLUMNS, Row, share, signed, standings_cells

N_SHOWN = 12
"""Entrants in tables that grow with their number; standings has all."""
_ALL_GRIDS = 24
_RANKS = "A23456789TJQK"
_STREETS = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}
LEGEND = (
    f"Colours: blue wins, orange loses, the darker the more, with steps at "
    f"{', '.join(map(str, HEAT_BOUNDS))} BB/100 in every table."
)
BEHAVIOUR = (
    "By street: fold to raise are shares of the street's decisions (call: the bring-in included; bet: its first full "
    "bet, completions included). Aggression is the share of bets and raises in bets, raises and calls, without the "
    "bring-in. To showdown and won are shares of the hands seen.",
    "By position: seats clockwise from the one that owed the bring-in. Compare entrants within a column: the bring-in "
    "falls on high door cards, so that columns are no fair samples of hands. Played: not folded on third street.",
    "Steals: a chance is a first decision with nothing but the bring-in before and the lowest door card of the live "
    "seats up to it; a steal is won at once before fourth street; it is faced with nobody else in.",
    "Bring-ins: the hands in which the entrant owed it.",
)


def shown(facts: Facts, structure: str) -> list[str]:
    """The entrants that tables of limited size show, best first."""
    return facts.ranked(structure)[:N_SHOWN]


def left_out(facts: Facts, view: str) -> list[Block]:
    """What tables of limited size leave out, and how to ask for it."""
    if (n := len(facts.rows["entrants"])) <= N_SHOWN:
        return []
    said = f"Shown are the first {N_SHOWN} of {n} entrants by rank; {n - N_SHOWN} are left out. All of them:"
    return [Text(said, "note"), Code(facts.command("query", "{}", f"SELECT * FROM {view}"))]


def rate(row: Row, of: str = "bb100", small: str = "") -> Cell:
    """A win rate as number and colour."""
    return Cell("", small) if row[of] is None else Cell(signed(row[of]), small, heat=row[of])


def standings(facts: Facts, structure: str) -> Table:
    """The ranking."""
    rows = [standings_cells(row) for row in facts.of("standings", structure)]
    caption = "Win rates in big bets per 100 hands, with their 95% intervals"
    return Table(caption, STANDINGS_COLUMNS, rows, words=(1,), head=1)


def overview(facts: Facts) -> Table:
    """Win rates of the first entrants under every structure: the grid at a glance."""
    entrants = shown(facts, facts.structures[0])
    rows: list[Cells] = []
    for structure in facts.structures:
        found = {row["entrant"]: row for row in facts.of("standings", structure)}
        cells = [rate(found[e], small=_half(found[e])) if e in found else Cell("") for e in entrants]
        rows.append([structure, *cells])
    return Table("Win rates, BB/100 (± 95%)", ["structure", *entrants], rows, style="grid")


def _half(row: Row, of: str = "bb100", by: float = 1) -> str:
    return "±?" if row["se_bb100"] is None else f"±{(row['hi_bb100'] - row[of]) / by:.2f}"


def payoffs(facts: Facts, structure: str) -> Table | None:
    """Everybody against everybody. A match of two seats: who wins what; a shared table: who is how far ahead."""
    entrants = shown(facts, structure)
    pairs = {(row["entrant"], row["rival"]): row for row in facts.of("head_to_head", structure)}
    if not pairs:
        return None
    shares_table = facts.plan.schedule == "table"

    def cell(entrant: str, rival: str) -> Cell:
        row = pairs.get((entrant, rival))
        if row is None:
            return Cell("")
        if shares_table:
            return rate(row, "diff_bb100", _half(row, "diff_bb100"))
        # Two seats win what the other loses, so that the interval of the difference is twice that of the win rate.
        return rate(row, small=_half(row, "diff_bb100", by=2))

    rows: list[Cells] = [[entrant, *(cell(entrant, rival) for rival in entrants)] for entrant in entrants]
    return Table("Ahead by, BB/100" if shares_table else "Wins, BB/100", ["entrant", *entrants], rows, style="grid")


def by_street(facts: Facts, structure: str) -> Table:
    """What every entrant did on every street."""
    names = ("fold", "check", "call", "bet", "raise", "aggression", "showdown", "won", "showdown_won")
    found = _by_entrant(facts.of("by_street", structure))
    rows = [
        [entrant, _STREETS[row["street"]], f"{row['n_seen']:,}", *(share(row[name]) for name in names)]
        for entrant in shown(facts, structure)
        for row in found.get(entrant, ())
    ]
    columns = ("entrant", "street", "hands seen", "fold", "check", "call", "bet", "raise")
    more = ("aggression", "to showdown", "won", "won at showdown")
    return Table("By street", (*columns, *more), rows, words=(0, 1), head=1, grouped=True)


def by_position(facts: Facts, structure: str) -> Table:
    """Win rate and share of hands played by place from the bring-in."""
    found = {(row["entrant"], row["position"]): row for row in facts.of("by_position", structure)}
    positions = sorted({position for _, position in found}, key=lambda position: (position < 0, position))

    def cell(row: Row | None) -> Cell:
        return Cell("") if row is None else rate(row, small=f"{share(row['played'])} played")

    names = {0: "bring-in", -1: "nobody owed it"}
    columns = ["entrant", *(names.get(position, f"+{position}") for position in positions)]
    rows: list[Cells] = [
        [e, *(cell(found.get((e, position))) for position in positions)] for e in shown(facts, structure)
    ]
    return Table("By position: BB/100 (share played)", columns, rows, style="grid")


def steals(facts: Facts, structure: str) -> Table:
    """How often every entrant stole and defended."""
    found = {row["entrant"]: row for row in facts.of("steals", structure)}
    columns = ("entrant", "chances", "stole", "won at once", "faced", "defended")
    rows = [
        (e, f"{r['n_chances']:,}", share(r["steal"]), share(r["success"]), f"{r['n_faced']:,}", share(r["defence"]))
        for e in shown(facts, structure)
        if (r := found.get(e))
    ]
    return Table("Steals", columns, rows)


def bring_ins(facts: Facts, structure: str) -> Table:
    """How every entrant fared where it owed the bring-in."""
    found = {row["entrant"]: row for row in facts.of("bring_ins", structure)}
    rows = [
        (e, f"{r['n']:,}", share(r["share"]), share(r["played"]), rate(r))
        for e in shown(facts, structure)
        if (r := found.get(e))
    ]
    return Table("Bring-ins", ("entrant", "hands", "of its hands", "played", "BB/100"), rows)


def biggest_pots(facts: Facts, structure: str) -> list[Block]:
    """The biggest pots, and how to look at them."""
    found = facts.of("biggest_pots", structure)
    if not found:
        return []
    of = ["--run", facts.run["run_id"]] if facts.holds_several else []

    def command(row: Row) -> str:
        place = (f"--{name.replace('_', '-')}={row[name]}" for name in ("line_up", "deal", "rotation"))
        words = [word for pair in place for word in pair.split("=")]
        return facts.command("hand", "show", "{}", *words, *of)

    columns = ("rank", "chips", "big bets", "line-up", "who", "deal", "rotation")
    rows = [
        (
            str(row["rank"]),
            f"{row['pot_chips']:,}",
            f"{row['pot_bb']:,.1f}",
            str(row["line_up"]),
            facts.line_up(row["line_up"]),
            str(row["deal"]),
            str(row["rotation"]),
        )
        for row in found
    ]
    return [
        Table("The biggest pots", columns, rows, words=(4,)),
        Text("Each can be watched street by street:"),
        Code("\n".join(command(row) for row in found)),
    ]


def start_hands(facts: Facts, structure: str) -> Iterator[Block]:
    """A grid for the best entrant, and for the others when asked for."""
    found = _by_entrant(facts.of("by_start_hand", structure))
    most = max(1, _ALL_GRIDS // len(facts.structures))
    for place, entrant in enumerate(shown(facts, structure)[:most]):
        grid = _grid({row["label"]: row for row in found.get(entrant, ())})
        yield Details(f"{entrant}, rank {place + 1}", [grid], is_open=place == 0)


def _grid(classes: Mapping[str, Row]) -> Side:
    """A triangle for every lowest card: rows are the card between, columns the highest."""
    tables = []
    for k, low in enumerate(_RANKS):
        ranks = _RANKS[k:]
        rows: list[Cells] = [[middle, *(_start_cell(classes, low, middle, high) for high in ranks)] for middle in ranks]
        tables.append(Table(f"Lowest card {low}", [f"{low}, then", *ranks], rows, style="grid start"))
    return Side(tables)


def _start_cell(classes: Mapping[str, Row], low: str, middle: str, high: str) -> Cell:
    if _RANKS.index(high) < _RANKS.index(middle):
        return Cell("")
    row = classes.get(low + middle + high)
    if row is None:
        return Cell("·")
    return Cell(signed(row["bb100"], 0), f"{100 * row['played']:.0f}%", heat=row["bb100"])


def _by_entrant(rows: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["entrant"], []).append(row)
    return found
