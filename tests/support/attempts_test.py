#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of a test program that fails, dies, hangs, or is not there."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock

import attempts

SUPPORT = pathlib.Path(attempts.__file__).parent


class Attempts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def told(self, body, *options, plain=False, **environment):
        """The record of a test file with this body (or of a plain program), whose file `count` says how often it ran."""
        path = self.folder / "some_test.py"
        begin = f"import os, pathlib, signal, subprocess, sys, time, unittest\ncount = pathlib.Path({str(self.folder / 'count')!r})\n" \
            "count.write_text(count.read_text() + '.' if count.exists() else '.')\n"
        path.write_text(begin + textwrap.dedent(body))
        command = [sys.executable, *([] if plain else [SUPPORT / "unittest_xml.py"]), path]
        return self.run_attempts(*options, "--", *command, **environment)

    def run_attempts(self, *words, **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TACTUS_", "ASAN_"))}
        result = subprocess.run([sys.executable, SUPPORT / "attempts.py", "--name", "some_test", *words], capture_output=True, text=True,
                                env={**clean, "TACTUS_RESULTS": str(self.folder), **environment}, timeout=60)
        told = json.loads((self.folder / "some_test.json").read_text())
        told["code"], told["ran"] = result.returncode, len((self.folder / "count").read_text()) if (self.folder / "count").exists() else 0
        return told

    def test_what_passes_runs_once(self):
        told = self.told("class T(unittest.TestCase):\n    def test_a(self): pass", "--attempts", "3")
        self.assertEqual((told["code"], told["ran"], told["error"]), (0, 1, None))
        self.assertEqual(told["cases"], [{"name": "some_test.T.test_a", "outcome": "passed", "attempts": 1, "message": ""}])

    def test_failed_cases_alone_run_again_and_keep_what_they_first_said(self):
        told = self.told("""
            class T(unittest.TestCase):
                def test_a(self): self.assertEqual(len(count.read_text()), 2)
                def test_b(self): self.assertEqual(len(count.read_text()), 1)
                """, "--attempts", "3")
        self.assertEqual((told["code"], told["ran"]), (0, 2))
        self.assertEqual([(case["outcome"], case["attempts"]) for case in told["cases"]], [("passed", 2), ("passed", 1)])
        self.assertIn("1 != 2", told["cases"][0]["message"])

    def test_what_always_fails_fails_after_so_many_attempts(self):
        told = self.told("class T(unittest.TestCase):\n    def test_a(self): self.fail()", "--attempts", "3")
        self.assertEqual((told["code"], told["ran"], told["cases"][0]["outcome"]), (1, 3, "failed"))

    def test_each_attempt_has_an_empty_cache(self):
        told = self.told("""
            class T(unittest.TestCase):
                def test_a(self):
                    mark = pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "mark"
                    self.assertFalse(mark.exists())
                    mark.write_text("")
                    self.assertEqual(len(count.read_text()), 2)
                    """, "--attempts", "2")
        self.assertEqual((told["code"], told["ran"]), (0, 2))

    def test_a_crash_is_final_and_names_its_case(self):
        told = self.told("class T(unittest.TestCase):\n    def test_a(self): os.kill(os.getpid(), signal.SIGSEGV)", "--attempts", "3")
        self.assertEqual((told["code"], told["ran"]), (1, 1))
        self.assertEqual(told["error"], "ended with signal 11 in some_test.T.test_a and left no results")

    def test_one_that_hangs_is_ended_with_its_children_and_named(self):
        begin = time.monotonic()
        told = self.told("""
            class T(unittest.TestCase):
                def test_a(self):
                    subprocess.Popen(["sleep", "1000"])
                    time.sleep(1000)
                    """, "--attempts", "3", "--limit", "2")
        self.assertEqual((told["code"], told["ran"]), (1, 1))
        self.assertEqual(told["error"], "ran out of its 2 s in some_test.T.test_a")
        self.assertLess(time.monotonic() - begin, 50)

    def test_a_process_left_behind_is_a_failure(self):
        told = self.told("class T(unittest.TestCase):\n    def test_a(self): subprocess.Popen(['sleep', '1000'])", "--attempts", "3")
        self.assertEqual((told["code"], told["ran"]), (1, 1))
        self.assertEqual(told["error"], "left processes behind: sleep 1000")

    def test_a_program_without_results_is_a_failure(self):
        told = self.told("sys.exit(0)", "--attempts", "3", plain=True)
        self.assertEqual((told["code"], told["ran"]), (1, 1))
        self.assertEqual(told["error"], "ended with code 0 and left no results")

    def test_a_plain_program_is_one_case(self):
        self.assertEqual(self.told("print('good')", "--plain", plain=True)["cases"],
                         [{"name": "some_test", "outcome": "passed", "attempts": 1, "message": "good"}])
        self.assertEqual(self.told("print('no processor here'); sys.exit(77)", "--plain", plain=True)["cases"][0]["outcome"], "skipped")
        self.assertEqual(self.told("sys.exit(2)", "--plain", plain=True)["cases"][0]["outcome"], "failed")

    def test_a_sanitizers_report_is_final_even_where_the_cases_pass(self):
        told = self.told("""
            class T(unittest.TestCase):
                def test_a(self):
                    log = os.environ["ASAN_OPTIONS"].split("log_path=")[1].split(":")[0]
                    pathlib.Path(log + ".123").write_text("=====\\nERROR: AddressSanitizer: heap-use-after-free")
                    """, "--attempts", "3")
        self.assertEqual((told["code"], told["ran"]), (1, 1))
        self.assertEqual(told["error"], "a sanitizer reports: ERROR: AddressSanitizer: heap-use-after-free")

    def test_a_program_with_the_address_sanitizer_and_without_glib_has_the_fast_unwinder(self):
        program = self.folder / "program"
        for libraries, fast in (("libc.so.6 libasan.so.8", True), ("libasan.so.8 libglib-2.0.so.0", False),
                                ("libgstreamer-1.0.so.0 libasan.so.8", False), ("libc.so.6", False)):
            program.write_bytes(libraries.replace(" ", "\0").encode())
            self.assertEqual(attempts.has_fast_unwinder(program), fast)
        self.assertFalse(attempts.has_fast_unwinder(self.folder / "nowhere"))
        program.write_bytes(b"libasan.so.8\0libglib-2.0.so.0")
        with unittest.mock.patch.dict(os.environ, TACTUS_FAST_UNWINDER="1"):
            self.assertTrue(attempts.has_fast_unwinder(program))

    def test_a_program_that_is_not_there_is_a_failure(self):
        told = self.run_attempts("--", self.folder / "nowhere")
        self.assertEqual(told["code"], 1)
        self.assertIn("there is no program", told["error"])


class Parts(unittest.TestCase):
    def test_each_case_is_in_one_part(self):
        cases = list("abcdefg")
        self.assertEqual([attempts.part_of(cases, f"{i}/3") for i in (1, 2, 3)], [["a", "d", "g"], ["b", "e"], ["c", "f"]])

    def record_of(self, part, excluded=(), attempts_at_most=1):
        """Names, outcomes and attempts of this part of a file of three cases, of which b passes the second time."""
        with tempfile.TemporaryDirectory() as folder:
            path, count = (pathlib.Path(folder) / name for name in ("some_test.py", "count"))
            path.write_text(f"import pathlib, unittest\ncount = pathlib.Path({str(count)!r})\n" + textwrap.dedent("""
                class T(unittest.TestCase):
                    def test_a(self): pass
                    def test_b(self):
                        again = count.exists()
                        count.write_text("")
                        self.assertTrue(again)
                    def test_c(self): pass
                    """))
            command = [sys.executable, str(SUPPORT / "unittest_xml.py"), str(path)]
            told = attempts.record("some_test_1", command, attempts_at_most, 30, False, pathlib.Path(folder), excluded, part)
            return [(case["name"][-1], case["outcome"], case["attempts"]) for case in told["cases"]], told["error"]

    def test_a_part_runs_its_cases_alone_and_the_failed_ones_again(self):
        self.assertEqual(self.record_of("1/2"), ([("a", "passed", 1), ("c", "passed", 1)], None))
        self.assertEqual(self.record_of("2/2", attempts_at_most=2), ([("b", "passed", 2)], None))

    def test_what_is_nightly_is_in_no_part(self):
        self.assertEqual(self.record_of("1/1", ["some_test.T.test_b"]), ([("a", "passed", 1), ("c", "passed", 1)], None))

    def test_a_part_without_a_case_is_a_failure(self):
        self.assertEqual(self.record_of("4/4"), ([], "there is no case in part 4/4"))

    def test_the_record_is_named_by_the_part(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "some_test.py"
            path.write_text("import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n    def test_b(self): pass\n")
            subprocess.run([sys.executable, SUPPORT / "attempts.py", "--name", "some_test", "--part", "2/2", "--", sys.executable,
                            SUPPORT / "unittest_xml.py", path], env={**os.environ, "TACTUS_RESULTS": folder}, check=True, timeout=60)
            told = json.loads((pathlib.Path(folder) / "some_test_2.json").read_text())
            self.assertEqual([case["name"] for case in told["cases"]], ["some_test.T.test_b"])


class Nightly(unittest.TestCase):
    def test_the_list_names_cases_of_programs_and_of_the_sanitized_build(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("# why\nplayer Film.Plays because\nasan:player Film.Seeks slow\nother Film.Ends long\n")
            file.flush()
            path = pathlib.Path(file.name)
            self.assertEqual(attempts.nightly_cases("player", path), ["Film.Plays"])
            self.assertEqual(attempts.nightly_cases("player", path, sanitizer="asan"), ["Film.Plays", "Film.Seeks"])
            self.assertEqual(attempts.nightly_cases("player", path, sanitizer="tsan"), ["Film.Plays"])

    def test_a_case_that_is_not_there_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "some_test.py"
            path.write_text("import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n")
            command = [sys.executable, str(SUPPORT / "unittest_xml.py"), str(path)]
            self.assertEqual(attempts.listed_cases(command), ["some_test.T.test_a"])
            told = attempts.record("some_test", command, 1, 30, False, pathlib.Path(folder), ["some_test.T.test_b"])
            self.assertIn("some_test.T.test_b", told["error"])
            told = attempts.record("some_test", command, 1, 30, False, pathlib.Path(folder), [])
            self.assertEqual(len(told["cases"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
