# SPDX-License-Identifier: Apache-2.0
"""Tasks and the list that holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date


@dataclass
class Task:
    number: int
    title: str
    due: date | None = None
    done: bool = False


@dataclass
class TodoList:
    tasks: list[Task] = field(default_factory=list)

    def add(self, title: str, due: date | None = None) -> Task:
        title = title.strip()
        if not title:
            raise ValueError("a task needs a title")
        task = Task(number=max((t.number for t in self.tasks), default=0) + 1, title=title, due=due)
        self.tasks.append(task)
        return task

    def complete(self, number: int) -> Task:
        for task in self.tasks:
            if task.number == number:
                task.done = True
                return task
        raise KeyError(f"there is no task {number}")

    def open_tasks(self) -> list[Task]:
        """What is still to do, what is due first in front, what has no date at the end."""
        return sorted((t for t in self.tasks if not t.done), key=lambda t: (t.due is None, t.due or date.max, t.number))
