# SPDX-License-Identifier: Apache-2.0
import tempfile
import unittest
from datetime import date
from pathlib import Path

from todo import TodoList, load, save


class TodoListTest(unittest.TestCase):
    def test_numbers_count_up(self):
        todo = TodoList()
        self.assertEqual([todo.add("a").number, todo.add("b").number], [1, 2])

    def test_a_title_is_needed(self):
        with self.assertRaises(ValueError):
            TodoList().add("  ")

    def test_what_is_due_first_stands_in_front(self):
        todo = TodoList()
        todo.add("some day")
        todo.add("later", date(2026, 5, 2))
        todo.add("soon", date(2026, 5, 1))
        self.assertEqual([t.title for t in todo.open_tasks()], ["soon", "later", "some day"])

    def test_a_completed_task_is_no_longer_open(self):
        todo = TodoList()
        todo.complete(todo.add("a").number)
        self.assertEqual(todo.open_tasks(), [])

    def test_the_file_keeps_everything(self):
        todo = TodoList()
        todo.add("água para as plantas", date(2026, 5, 1))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "todo.json"
            save(todo, path)
            self.assertEqual(load(path), todo)


if __name__ == "__main__":
    unittest.main()
