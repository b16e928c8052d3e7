#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unittest_xml.py FILE [--gtest_list_tests]: a unittest file that behaves as a GoogleTest binary does: it runs what GTEST_FILTER
chooses, prints which case runs, and leaves its results in the file that GTEST_OUTPUT names (xml:FILE)."""
import fnmatch
import importlib.util
import os
import pathlib
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree


class Recorder(unittest.TextTestResult):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes = {}
        self.seconds = {}

    def startTest(self, test):
        super().startTest(test)
        self.seconds[test.id()] = time.monotonic()
        self.stream.writeln(f"[ RUN      ] {test.id()}")
        self.stream.flush()

    def stopTest(self, test):
        super().stopTest(test)
        self.outcomes.setdefault(test.id(), ("passed", ""))
        self.seconds[test.id()] = time.monotonic() - self.seconds[test.id()]
        self.stream.writeln(f"[{'       OK' if self.outcomes[test.id()][0] == 'passed' else '  FAILED '}] {test.id()}")

    def note(self, test, outcome, message):
        # That of a subtest says more than that of the test around it.
        self.outcomes[getattr(test, "test_case", test).id()] = (outcome, message)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, "failure", f"{subtest}: {error[1]}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failure", str(error[1]))

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failure", f"{error[0].__name__}: {error[1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped", reason)


def cases_in(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from cases_in(test)
        else:
            yield test


def chosen(name, patterns):
    """GoogleTest's rule: `wanted:wanted-unwanted:unwanted`."""
    wanted, _, unwanted = patterns.partition("-")
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted.split(":")) and \
        not any(fnmatch.fnmatchcase(name, pattern) for pattern in unwanted.split(":"))


def main():
    path = pathlib.Path(sys.argv[1])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(path.parent))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    cases = list(cases_in(unittest.defaultTestLoader.loadTestsFromModule(module)))
    if "--gtest_list_tests" in sys.argv:
        for case in cases:
            suite, _, name = case.id().rpartition(".")
            print(f"{suite}.\n  {name}")
        return 0
    patterns = os.environ.get("GTEST_FILTER", "*")
    suite = unittest.TestSuite(case for case in cases if chosen(case.id(), patterns))
    result = unittest.TextTestRunner(verbosity=0, resultclass=Recorder).run(suite)
    target = os.environ.get("GTEST_OUTPUT", "")
    if target.startswith("xml:"):
        root = ElementTree.Element("testsuites")
        for name, (outcome, message) in result.outcomes.items():
            classname, _, case = name.rpartition(".")
            element = ElementTree.SubElement(root, "testcase", classname=classname, name=case,
                                            time=f"{result.seconds.get(name, 0):.2f}")
            if outcome != "passed":
                ElementTree.SubElement(element, outcome, message=message)
        ElementTree.ElementTree(root).write(target[4:])
    return 0 if result.wasSuccessful() else 1


sys.exit(main())
