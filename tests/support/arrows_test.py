#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
import unittest

import arrows

TABLE = {'time': [], 'task': ['time'], 'event': ['task'], 'simulation': ['task']}
TESTS = {'task': ['simulation']}


def faults(file, text):
    return list(arrows.include_faults([file], TABLE, TESTS, lambda _: text))


class Includes(unittest.TestCase):
    def test_own_folder_and_all_folders_below_are_allowed(self):
        self.assertEqual(faults('event/a.h', '#include "event/b.h"\n#include "task/c.h"\n#include "time/d.h"\n'), [])

    def test_an_include_that_points_up_is_named_by_file_and_line(self):
        self.assertEqual(faults('time/a.h', '#pragma once\n\n  # include "task/b.h"\n'),
                         ['time/a.h:3: time may not include task/b.h'])

    def test_siblings_do_not_include_each_other(self):
        self.assertEqual(faults('event/a.cpp', '#include "simulation/b.h"\n'),
                         ['event/a.cpp:1: event may not include simulation/b.h'])

    def test_a_folder_without_a_row_is_named(self):
        self.assertEqual(faults('strange/a.h', ''), ['strange/a.h:1: strange has no row in the table of arrows'])

    def test_an_include_of_a_folder_without_a_row_is_named(self):
        self.assertEqual(faults('task/a.h', '#include "strange/b.h"\n'), ['task/a.h:1: task may not include strange/b.h'])

    def test_only_tests_include_what_tests_may(self):
        text = '#include "simulation/b.h"\n'
        self.assertEqual(faults('task/a_test.cpp', text), [])
        self.assertEqual(faults('task/a.cpp', text), ['task/a.cpp:1: task may not include simulation/b.h'])

    def test_system_headers_are_not_our_business(self):
        self.assertEqual(faults('time/a.h', '#include <vector>\n#include <gst/gst.h>\n'), [])


class Table(unittest.TestCase):
    def test_a_circle_is_named_once_with_its_folders(self):
        circle = {'a': ['b'], 'b': ['c'], 'c': ['b']}
        self.assertEqual(list(arrows.table_faults(circle, {})), ['arrows.py: the table has a circle: b -> c -> b'])

    def test_a_row_that_names_an_unknown_folder_is_named(self):
        self.assertEqual(list(arrows.table_faults({'a': ['b']}, {'a': ['c']})),
                         ["arrows.py: ARROWS['a'] names b, which has no row",
                          "arrows.py: TESTS['a'] names c, which has no row"])

    def test_the_real_table_has_no_fault(self):
        self.assertEqual(list(arrows.table_faults(arrows.ARROWS, arrows.TESTS)), [])


if __name__ == '__main__':
    unittest.main(verbosity=2)
