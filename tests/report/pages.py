"""How tests read a report: its tables by caption, its text, its links."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img"}


@dataclass
class Found:
    """A table: its caption, column heads and rows of text, row heads included; scopes: of all heads."""

    caption: str = ""
    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)
    scopes: list = field(default_factory=list)


class Page(HTMLParser):
    """A parsed page. Fails where tags do not match."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.attributes, self.text = [], [], [], ""
        self._open, self._heads = [], []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self.tables.append(Found())
        elif tag == "tr" and "tbody" in self._open:
            self.tables[-1].rows.append([])
        elif tag in {"td", "th"}:
            cells = self.tables[-1].rows[-1] if "tbody" in self._open else self.tables[-1].columns
            cells.append("")
            if tag == "th":
                self.tables[-1].scopes.append(dict(attrs).get("scope"))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if "style" in self._open:
            return
        self.text += data
        if "caption" in self._open:
            self.tables[-1].caption += data
        elif {"td", "th"} & set(self._open):
            table = self.tables[-1]
            cells = table.rows[-1] if "tbody" in self._open else table.columns
            cells[-1] += data

    def named(self, start):
        """The tables whose caption starts so."""
        return [table for table in self.tables if table.caption.startswith(start)]

    def rows(self, start):
        """The rows of the only such table."""
        (table,) = self.named(start)
        return table.rows
