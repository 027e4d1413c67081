# SPDX-License-Identifier: Apache-2.0
"""The list as a JSON file, replaced as a whole or not at all."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

from .model import Task, TodoList


def load(path: Path) -> TodoList:
    if not path.exists():
        return TodoList()
    items = json.loads(path.read_text(encoding="utf-8"))
    return TodoList([
        Task(i["number"], i["title"], date.fromisoformat(i["due"]) if i["due"] else None, i["done"]) for i in items
    ])


def save(todo: TodoList, path: Path) -> None:
    items = [
        {"number": t.number, "title": t.title, "due": t.due.isoformat() if t.due else None, "done": t.done}
        for t in todo.tasks
    ]
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(items, indent=2) + "\n", encoding="utf-8")
    os.replace(fresh, path)
