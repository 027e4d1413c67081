# SPDX-License-Identifier: Apache-2.0
"""Builds the report of the list in todo.json into report/."""

import json
from dataclasses import asdict
from datetime import date
from pathlib import Path

from todo import load
from todo.report import html, summarize

here = Path(__file__).resolve().parent
todo = load(here / "todo.json")
out = here / "report"
out.mkdir(exist_ok=True)
(out / "summary.html").write_text(html(todo, date.today()), encoding="utf-8")
(out / "summary.json").write_text(json.dumps(asdict(summarize(todo, date.today())), indent=2) + "\n", encoding="utf-8")
print(f"wrote {len(list(out.iterdir()))} files to {out}")
