#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unittest_xml.py FILE: runs a unittest file and leaves its results where GoogleTest leaves its own (GTEST_OUTPUT)."""
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

    def stopTest(self, test):
        super().stopTest(test)
        self.outcomes.setdefault(test.id(), "passed")
        self.seconds[test.id()] = time.monotonic() - self.seconds[test.id()]

    def note(self, test, outcome):
        self.outcomes[test.id()] = outcome

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failure")

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failure")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped")


def main():
    path = pathlib.Path(sys.argv[1])
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(path.parent))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    if len(sys.argv) > 2:
        suite = unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:], module)
    result = unittest.TextTestRunner(verbosity=2, resultclass=Recorder).run(suite)
    target = os.environ.get("GTEST_OUTPUT", "")
    if target.startswith("xml:"):
        root = ElementTree.Element("testsuites")
        for name, outcome in result.outcomes.items():
            classname, _, case = name.rpartition(".")
            element = ElementTree.SubElement(root, "testcase", classname=classname, name=case,
                                            time=f"{result.seconds.get(name, 0):.2f}")
            if outcome != "passed":
                ElementTree.SubElement(element, outcome)
        ElementTree.ElementTree(root).write(pathlib.Path(target[4:]) / f"{path.stem}.xml")
    return 0 if result.wasSuccessful() else 1


sys.exit(main())
