# SPDX-License-Identifier: Apache-2.0
"""Figures about a list, and a page that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from html import escape

from .model import TodoList


@dataclass(frozen=True)
class Summary:
    total: int
    done: int
    late: int

    @property
    def percent_done(self) -> int:
        return round(100 * self.done / self.total) if self.total else 100


def summarize(todo: TodoList, today: date) -> Summary:
    late = sum(1 for t in todo.open_tasks() if t.due is not None and t.due <= today)
    return Summary(total=len(todo.tasks), done=sum(t.done for t in todo.tasks), late=late)


def html(todo: TodoList, today: date) -> str:
    s = summarize(todo, today)
    rows = "\n".join(
        f"<tr><td>{t.number}</td><td>{escape(t.title)}</td><td>{t.due or ''}</td></tr>" for t in todo.open_tasks()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>To do</title></head>
<body>
<h1>{s.done} of {s.total} done ({s.percent_done} %), {s.late} late</h1>
<table>
<tr><th>No.</th><th>Task</th><th>Due</th></tr>
{rows}
</table>
</body>
</html>
"""
