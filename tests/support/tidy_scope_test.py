#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
import unittest

import tidy_scope


class Scope(unittest.TestCase):
    INCLUDES = {
        "core/a.h": set(),
        "core/a.cpp": {"core/a.h"},
        "core/a_test.cpp": {"core/a.h"},
        "media/stage/b.h": {"core/a.h"},
        "media/stage/b.cpp": {"media/stage/b.h"},
        "ui/c.cpp": {"media/stage/b.h"},
    }

    def test_a_source_that_changed_is_read_wherever_it_lies(self):
        self.assertEqual(tidy_scope.scope({"ui/c.cpp", "README.md"}, self.INCLUDES), ["ui/c.cpp"])

    def test_a_header_that_changed_brings_the_covered_sources_that_include_it_at_any_depth(self):
        self.assertEqual(tidy_scope.scope({"core/a.h"}, self.INCLUDES), ["core/a.cpp", "media/stage/b.cpp"])

    def test_what_is_gone_is_not_read(self):
        self.assertEqual(tidy_scope.scope({"core/gone.cpp"}, self.INCLUDES), [])

    def test_the_newest_commit_that_passed_counts(self):
        log = ["c3 t3", "c2 t2", "c1 t1"]
        self.assertEqual(tidy_scope.passed_commit(log, {"t1", "t2"}), "c2")
        self.assertIsNone(tidy_scope.passed_commit(log, {"t9"}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
