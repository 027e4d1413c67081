# SPDX-License-Identifier: Apache-2.0
"""The command line: add, done, list."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

from . import load, save


def main() -> None:
    parser = argparse.ArgumentParser(prog="todo")
    parser.add_argument("--file", type=Path, default=Path("todo.json"))
    verbs = parser.add_subparsers(dest="verb", required=True)
    add = verbs.add_parser("add")
    add.add_argument("title")
    add.add_argument("--due", type=date.fromisoformat)
    done = verbs.add_parser("done")
    done.add_argument("number", type=int)
    verbs.add_parser("list")
    args = parser.parse_args()

    todo = load(args.file)
    if args.verb == "add":
        print(f"added task {todo.add(args.title, args.due).number}")
    elif args.verb == "done":
        print(f"done: {todo.complete(args.number).title}")
    else:
        for task in todo.open_tasks():
            print(f"{task.number:3} {task.due or '          '} {task.title}")
    save(todo, args.file)


if __name__ == "__main__":
    main()
