"""The tab "Requests": figures, charts and the requests themselves, live; those of the last run while none runs."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.server.request_table import RequestTable
from app.server.traffic_charts import TrafficCharts
from app.state.server import ServerModel
from app.text.formatting import compact_number, format_number, format_percent, format_token_rate
from app.widgets.basics import CardFrame, EmptyState, Stat
from app.widgets.layouts import hbox, stack, vbox
from app.widgets.plain_text import set_tool_tip
from app.widgets.theme import G


class RequestsTab(QWidget):
    """What `server` does."""

    def __init__(self, server: ServerModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._server = server
        self.stats = {
            "rate": Stat(self.tr("now"), unit="tok/s"),
            "running": Stat(self.tr("running")),
            "waiting": Stat(self.tr("waiting")),
            "done": Stat(self.tr("answered")),
            "failed": Stat(self.tr("failed")),
            "tokens": Stat(self.tr("tokens of replies")),
            "cached": Stat(self.tr("of prompts in the cache")),
        }
        of_cache = self.tr("The share of the prompts' tokens that the cache held, and that were not read again.")
        set_tool_tip(self.stats["cached"], of_cache)
        set_tool_tip(self.stats["rate"], self.tr("Over the last two seconds, of all requests together."))
        card = CardFrame()
        card.body.setContentsMargins(2 * G, G, 2 * G, G)
        card.body.addLayout(hbox(*self.stats.values(), spacing=2 * G))
        self.charts = TrafficCharts()
        self.table = RequestTable()
        self.empty = EmptyState(
            self.tr("No request yet"),
            self.tr("Each request appears here with its tokens and its time, without its text."),
            self.tr("Show samples"),
        )
        self.rows = stack(self.empty, self.table)
        vbox(card, self.charts, (self.rows, 1), parent=self, margins=(2 * G, 2 * G, 2 * G, G), spacing=G)
        server.sampled.connect(self.refresh)
        server.changed.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Shows the newest status; a hidden tab waits until it is shown."""
        if not self.isVisible():
            return
        status = self._server.status
        bundles = status.bundles if status else []
        shares = status.cached_tokens / status.prompt_tokens if status and status.prompt_tokens else None
        values = {
            "rate": format_token_rate(self._server.traffic.rate if self._server.on else 0.0).partition(" ")[0],
            "running": format_number(sum(one.running for one in bundles)),
            "waiting": format_number(sum(one.waiting for one in bundles)),
            "done": format_number(status.done if status else 0),
            "failed": format_number(status.failed if status else 0),
            "tokens": compact_number(status.tokens if status else 0),
            "cached": "–" if shares is None else format_percent(shares),
        }
        for name, value in values.items():
            self.stats[name].set(value)
        self.charts.refresh(self._server.traffic)
        requests = status.requests if status else []
        self.table.requests.show(requests, {one.name: one.provider for one in bundles})
        self.rows.setCurrentWidget(self.table if requests else self.empty)
