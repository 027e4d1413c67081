# SPDX-License-Identifier: Apache-2.0
"""A to-do list that lives in one JSON file."""

from .model import Task, TodoList
from .storage import load, save

__all__ = ["Task", "TodoList", "load", "save"]
