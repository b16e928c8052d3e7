#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
import unittest

import file_lengths


class FileLengths(unittest.TestCase):
    def test_a_file_of_just_the_limit_passes(self):
        self.assertEqual(list(file_lengths.faults({'a.cpp': 400}, {})), [])

    def test_a_longer_file_is_named_with_its_length(self):
        self.assertEqual(list(file_lengths.faults({'a.cpp': 401, 'b.h': 3}, {})),
                         ['a.cpp:401: 401 lines, the limit is 400: split it by concept'])

    def test_a_file_with_a_reason_passes(self):
        self.assertEqual(list(file_lengths.faults({'a.cpp': 401}, {'a.cpp': 'a table of the standard'})), [])

    def test_a_reason_that_nothing_needs_is_named(self):
        self.assertEqual(list(file_lengths.faults({'a.cpp': 400}, {'a.cpp': 'was long', 'b.cpp': 'is gone'})),
                         ['file_lengths.py: a.cpp needs no entry: it has 400 lines',
                          'file_lengths.py: b.cpp needs no entry: it has 0 lines'])


if __name__ == '__main__':
    unittest.main(verbosity=2)
