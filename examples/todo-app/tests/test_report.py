# SPDX-License-Identifier: Apache-2.0
import unittest
from datetime import date

from todo import TodoList
from todo.report import html, summarize

TODAY = date(2026, 5, 1)


class ReportTest(unittest.TestCase):
    def test_what_was_due_before_today_is_late(self):
        todo = TodoList()
        todo.add("yesterday", date(2026, 4, 30))
        self.assertEqual(summarize(todo, TODAY).late, 1)

    def test_what_is_due_today_is_not_late_yet(self):
        todo = TodoList()
        todo.add("today", TODAY)
        self.assertEqual(summarize(todo, TODAY).late, 0)

    def test_titles_cannot_act_in_the_page(self):
        todo = TodoList()
        todo.add("<script>alert(1)</script>")
        self.assertNotIn("<script>", html(todo, TODAY))


if __name__ == "__main__":
    unittest.main()
