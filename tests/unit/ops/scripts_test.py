"""The set-up scripts on a machine made of stubs: a copy of ops/ in a scratch folder, with the tools it calls replaced."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

ALL_INSTALLED = 'shift 3; for p in "$@"; do echo "$p:amd64 installed"; done'
GTEST_XML = """<testsuites><testsuite><testcase classname="Noun" name="Holds" status="run" result="completed"/>
<testcase classname="Noun" name="Breaks" status="run" result="completed"><failure message="x"/></testcase>
<testcase classname="Noun" name="Waits" status="run" result="skipped"><skipped/></testcase></testsuite></testsuites>"""


class Scripts(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="berth-scripts-")
        self.addCleanup(shutil.rmtree, self.root)
        for path in ("setup", "up", "check", "lib"):
            source, target = os.path.join(ROOT, "ops", path), os.path.join(self.root, "ops", path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, target)

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def stub(self, path, body):
        self.put(path, f"#!/bin/bash\n{body}\n")

    def run_script(self, *command, **env):
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        return subprocess.run([os.path.join(self.root, command[0]), *command[1:]], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path, **env})

    def calls(self):
        path = os.path.join(self.root, "calls")
        return open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []

    def test_every_script_of_the_tree_parses_and_can_be_run(self):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "ops", "tests", ".ci"], cwd=ROOT,
                                capture_output=True, text=True, check=False).stdout.splitlines()
        for path in listed:
            full = os.path.join(ROOT, path)
            if not os.path.isfile(full) or open(full, "rb").read(11) != b"#!/bin/bash":
                continue
            self.assertTrue(os.access(full, os.X_OK), f"{path} is not executable")
            parsed = subprocess.run(["bash", "-n", full], capture_output=True, text=True, check=False)
            self.assertEqual(parsed.stderr, "", path)

    # ops/setup

    def test_setup_does_nothing_when_all_is_there(self):
        self.stub("bin/dpkg-query", ALL_INSTALLED)
        self.stub("bin/apt-get", f"echo apt-get >>{self.root}/calls")
        done = self.run_script("ops/setup")
        self.assertEqual((done.returncode, done.stdout, done.stderr, self.calls()), (0, "", "", []))

    def test_setup_without_root_names_the_packages_and_the_command(self):
        self.stub("bin/dpkg-query", "exit 1")
        self.stub("bin/id", "echo 1000")
        self.apt_has("openjdk-17-jre-headless")
        done = self.run_script("ops/setup", "kafka")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing packages: maven openjdk-17-jre-headless", done.stderr)
        self.assertIn("apt-get install", done.stderr)

    def apt_has(self, *names):
        """apt knows of each name that it is asked for, and can install these."""
        self.stub("bin/apt-cache", 'shift; for p in "$@"; do candidate="(none)"; '
                                   f'case " {" ".join(names)} " in *" $p "*) candidate=1.0-1 ;; esac; '
                                   'printf "%s:\\n  Installed: (none)\\n  Candidate: %s\\n  Version table:\\n" "$p" "$candidate"; done')

    def test_setup_takes_of_an_entrys_names_the_one_that_apt_has(self):
        self.stub("bin/id", "echo 0")
        self.stub("bin/apt-get", f'echo "${{@: -4}}" >>{self.root}/calls')
        self.stub("bin/dpkg-query", "exit 1")
        for there, taken in ((["openjdk-21-jre-headless", "maven"], 21), (["openjdk-17-jre-headless", "openjdk-21-jre-headless"], 17), ([], 17)):
            self.apt_has(*there)
            done = self.run_script("ops/setup", "kafka")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.calls()[-1], f"install --no-install-recommends maven openjdk-{taken}-jre-headless")

    def test_setup_is_content_with_either_name_of_an_entry(self):
        self.stub("bin/apt-get", f"echo apt-get >>{self.root}/calls")
        self.apt_has("openjdk-17-jre-headless")
        self.stub("bin/dpkg-query", 'shift 3; echo "maven installed"; echo "openjdk-21-jre-headless:amd64 installed"; exit 1')
        done = self.run_script("ops/setup", "kafka")
        self.assertEqual((done.returncode, done.stderr, self.calls()), (0, "", []))
        listed = self.run_script("ops/setup", "--list", "kafka").stdout.splitlines()
        self.assertIn("maven", listed)
        self.assertFalse([line for line in listed if line.endswith(" missing")], listed)

    def test_setup_as_root_installs_only_what_is_missing(self):
        self.stub("bin/dpkg-query", 'shift 3; for p in "$@"; do [ "$p" = maven ] || echo "$p installed"; done')
        self.stub("bin/id", "echo 0")
        self.stub("bin/apt-get", f'echo "${{@: -3}}" >>{self.root}/calls')
        done = self.run_script("ops/setup", "kafka", "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls()[-1], "install --no-install-recommends maven")

    def test_setup_shows_what_apt_said_when_it_fails(self):
        self.stub("bin/dpkg-query", "exit 1")
        self.stub("bin/id", "echo 0")
        self.stub("bin/apt-get", "echo 'E: no such thing'; exit 100")
        done = self.run_script("ops/setup", "kafka")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: no such thing", done.stderr)

    def test_setup_refuses_an_unknown_group(self):
        done = self.run_script("ops/setup", "everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown group or option 'everything'", done.stderr)

    # ops/up

    def built_tree(self):
        self.stub("ops/setup", f'echo "setup $*" >>{self.root}/calls')
        self.stub("ops/console/build", f"echo console >>{self.root}/calls")
        self.stub("ops/images/build", f'echo "image $*" >>{self.root}/calls')
        self.stub("bin/ninja", f"echo ninja >>{self.root}/calls")
        self.put("build/release/build.ninja", "")
        self.stub("build/release/bin/berth", f'printf "<%s>" "$@" >>{self.root}/calls')

    def test_up_hands_every_option_to_berth_up_as_it_is(self):
        self.built_tree()
        done = self.run_script("ops/up", "--data", "a folder", "--accelerator", "mock:1x2", "--end-kernels")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        self.assertEqual(calls[:2], ["setup build", "setup runtime"])
        self.assertEqual(sorted(calls[2:6]), ["console", "image python:3.11", "ninja", "setup console"])  # side by side
        self.assertEqual(calls[6:], ["<up><--data><a folder><--accelerator><mock:1x2><--end-kernels>"
                                     f"<--build-image><jupyter><--image-builder><{self.root}/ops/images/build>"])

    def test_up_starts_nothing_without_its_image_and_says_why(self):
        self.built_tree()
        self.stub("ops/images/build", "echo 'no mirror answers'; exit 1")
        done = self.run_script("ops/up")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no mirror answers", done.stderr)
        self.assertNotIn("<up>", "".join(self.calls()))

    def test_up_goes_on_without_a_console(self):
        self.built_tree()
        self.stub("ops/console/build", "exit 1")
        done = self.run_script("ops/up")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("going on without it", done.stderr)
        self.assertIn("<up>", "".join(self.calls()))

    def test_up_builds_jupyter_in_the_background_unless_it_is_told_otherwise(self):
        self.built_tree()
        for options, up in ((["--without-jupyter", "--port", "7411"], "<up><--port><7411>"),
                            (["--build-image=r"], "<up><--build-image=r>"),
                            (["--backend", "process"], "<up><--backend><process>")):
            self.run_script("ops/up", *options)
            line = self.calls()[-1]
            self.assertEqual(line[line.rindex("<up>"):], up)

    def test_up_with_processes_needs_neither_container_tools_nor_an_image(self):
        self.built_tree()
        self.run_script("ops/up", "--backend=process")
        self.assertEqual(sorted(self.calls()[1:4]), ["console", "ninja", "setup console"])
        self.assertEqual([self.calls()[0], *self.calls()[4:]], ["setup build", "<up><--backend=process>"])

    def test_up_starts_nothing_when_the_build_fails(self):
        self.built_tree()
        self.stub("bin/ninja", "echo 'session.cc:1: error'; exit 1")
        done = self.run_script("ops/up")
        self.assertEqual(done.returncode, 1)
        self.assertIn("session.cc:1: error", done.stderr)
        self.assertNotIn("<up>", "".join(self.calls()))

    # ops/check

    def test_check_goes_on_after_a_failed_stage_and_ends_with_one_summary_line(self):
        self.stub("ops/setup", "echo no root; exit 1")
        self.stub("ops/images/build", f"echo image >>{self.root}/calls")
        self.stub("build/release/bin/berth-sim", f'echo "$*" >>{self.root}/calls')
        done = self.run_script("ops/check", "--only", "setup,image,sim")
        self.assertEqual(done.returncode, 1)
        image, *runs = self.calls()
        self.assertEqual(image, "image")
        again = "--seeds 1..60 --decisions --every-policy"
        at_once = [{f"--seeds {half} --compare tests/simulation/recorded.txt" for half in ("1..500", "501..1000")},
                   {f"--seeds {half} --profile hostile" for half in ("1..150", "151..300")},
                   {f"--seeds {half} --profile strange" for half in ("1..32", "33..64")}, {again, f"{again} --profile hostile"}]
        self.assertEqual([set(runs[at:at + 2]) for at in range(0, len(runs), 2)], at_once)
        summary = [line for line in done.stdout.splitlines() if re.fullmatch(r"\d+ passed, \d+ failed(, \d+ skipped)?", line)]
        self.assertEqual(summary, ["4 passed, 1 failed"])
        self.assertEqual(done.stdout.splitlines()[-1], summary[0])
        self.assertIn("setup: the stage failed  (build/check/setup.log)", done.stdout)

    def check_with_ctest(self, body):
        """Two stages whose ctest is this: the lines of the first one's report, and the whole result."""
        self.put("build/release/CTestTestfile.cmake", "")
        self.stub("bin/ctest", f"echo ctest >>{self.root}/calls; {body}")
        done = self.run_script("ops/check", "--only", "tests,lint")
        report = done.stdout.partition("FAIL lint")[0].splitlines()
        return [line for line in report if line.startswith("       | ")], done

    def test_check_with_1000_failure_lines_shows_30_of_them_and_goes_on(self):
        lines, done = self.check_with_ctest("seq 1000 | sed 's/.*/[  FAILED  ] Noun.Row&/'; exit 8")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual((len(lines), lines[0]), (30, "       | [  FAILED  ] Noun.Row1"))
        self.assertEqual(self.calls(), ["ctest", "ctest"])
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 2 failed")

    def test_check_names_the_ten_tests_that_took_longest(self):
        rows = "".join(f'<testcase name="e2e_{at}" classname="e2e_{at}" time="{at}.7" status="run"/>' for at in range(14))
        _, done = self.check_with_ctest(f"while [ $# -gt 0 ]; do [ $1 != --output-junit ] || echo '{rows}' >$2; shift; done")
        said = [line.strip() for line in done.stdout.splitlines() if "slowest" in line]
        self.assertEqual(said[0], "slowest: " + ", ".join(f"e2e_{at} {at} s" for at in range(13, 3, -1)))

    def test_check_with_tests_that_failed_without_a_word_about_it_shows_their_last_lines_and_goes_on(self):
        lines, done = self.check_with_ctest("seq 1000; echo no test to run; exit 8")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual((len(lines), lines[-1]), (12, "       | no test to run"))
        self.assertEqual(self.calls(), ["ctest", "ctest"])
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 2 failed")

    def test_check_says_which_label_no_test_has_instead_of_naming_a_target(self):
        for program in ("cmake", "ctest"):
            self.stub(f"bin/{program}", "exit 0")
        self.stub("bin/ninja", "exit 1")
        done = self.run_script("ops/check", "--only", "asan-api")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("       | no test of the preset asan-full has the label api", done.stdout)

    def test_check_refuses_what_the_compiler_warned_of_though_another_build_compiled_it(self):
        shutil.copytree(os.path.join(ROOT, "ops", "cmake"), os.path.join(self.root, "ops", "cmake"))
        self.stub("compiler", 'echo "$1: warning: unused" >&2; echo object >"$3"')
        self.stub("quiet", 'echo object >"$3"')
        self.put("build/release/old.o.warnings", "old.cc: warning: of a file that no target has any more")
        self.stub("bin/cmake", "exit 0")
        self.stub("bin/ninja", "printf '%s\\n' a.cc a.o b.o liba.a")
        object_file = f"{self.root}/build/release/a.o"
        compiled = self.run_script("ops/cmake/compile", f"{self.root}/compiler", "a.cc", "-o", object_file)
        self.assertEqual((compiled.returncode, compiled.stderr), (0, "a.cc: warning: unused\n"))
        done = self.run_script("ops/check", "--only", "build")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a.cc: warning: unused", done.stdout)
        self.assertIn("the compiler warns in 1 files", done.stdout)
        self.run_script("ops/cmake/compile", f"{self.root}/quiet", "a.cc", "-o", object_file)
        done = self.run_script("ops/check", "--only", "build")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_compilers_own_end_is_that_of_the_build(self):
        self.stub("compiler", "echo error >&2; exit 3")
        done = subprocess.run([os.path.join(ROOT, "ops", "cmake", "compile"), f"{self.root}/compiler", "-c", "-o", f"{self.root}/a.o"],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (3, "error\n"))

    def test_check_goes_on_where_what_it_builds_ahead_ends_before_the_slow_tests_or_after_them(self):
        for program in ("cmake", "ctest"):
            self.stub(f"bin/{program}", "exit 0")
        self.stub("ops/console/check", f"sleep 0.1; until [ -e {self.root}/built ]; do sleep 0.02; done; rm {self.root}/built")
        for ends in ("exit 0", "exit 1", "exec sleep 60"):
            self.stub("bin/ninja", f'[[ $* != *inputs* ]] || exit 0; touch {self.root}/built; {ends}')
            done = self.run_script("ops/check", "--only", "build,console,e2e,tests")
            stages = re.findall(r"^  ok   (\w+)", done.stdout, re.M)
            self.assertEqual(stages, ["release", "console", "end", "release", "unit"], ends + done.stdout + done.stderr)
            self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "1 passed, 0 failed"), ends)

    def test_check_fails_where_one_half_of_the_hostile_seeds_does(self):
        self.stub("build/release/bin/berth-sim", '[ "$2 $4" != "1..150 hostile" ]')
        done = self.run_script("ops/check", "--only", "sim")
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 passed, 1 failed", done.stdout)

    def test_check_full_asks_which_mutants_survive(self):
        self.stub("tests/simulation/mutants/run", "echo 'SURVIVES any-mac'; exit 1")
        done = self.run_script("ops/check", "--only", "mutants")
        self.assertEqual(done.returncode, 1)
        self.assertIn("SURVIVES any-mac", done.stdout)
        with open(os.path.join(self.root, "ops", "check"), encoding="utf-8") as check:
            self.assertIn("\n! wanted mutants full || ", check.read())

    def test_check_full_ends_with_readmes_commands_on_a_bare_machine(self):
        self.stub("ops/bare", f'echo "bare $*" >>{self.root}/calls')
        self.run_script("ops/check", "--only", "bare", CCACHE_DIR="/a cache")
        self.assertEqual(self.calls(), ["bare --ccache /a cache ops/lib/readme_commands",
                                        "bare --suite trixie --ccache /a cache-trixie ops/lib/readme_commands"])
        with open(os.path.join(self.root, "ops", "check"), encoding="utf-8") as check:
            stages = re.findall(r"^! wanted (\w+) ([a-z ]+?) \|\| ", check.read(), re.M)
        self.assertEqual(stages[-1], ("bare", "full"), "in the usual check it would run itself for ever")

    # ops/lib/readme_commands

    def readme_commands(self, *, up_ends_with=0, session=0, prints="42", check=0):
        self.stub("ops/up", f"trap 'echo up ended >>{self.root}/calls; exit {up_ends_with}' INT; echo '  berth session run --wait -- true'; "
                            "echo 'Ctrl-C stops it'; while :; do sleep 0.1; done")
        self.stub("build/release/bin/berth", f'echo "berth $*" >>{self.root}/calls; echo {prints}; exit {session}')
        self.stub("ops/check", f"echo check >>{self.root}/calls; exit {check}")
        return self.run_script("ops/lib/readme_commands")

    def test_readme_commands_are_up_with_its_first_session_and_check(self):
        done = self.readme_commands()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["berth session run --wait -- true", "up ended", "check"])

    def test_readme_commands_fail_by_what_fails_in_them(self):
        for fault, words in (({"session": 1}, "the first session did not run"), ({"prints": ""}, "the first session did not print 42"),
                             ({"up_ends_with": 1}, "ops/up ended with 1 after Ctrl-C")):
            done = self.readme_commands(**fault)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("check", self.calls())
        self.put("build/check/stages.tsv", "build\tstep\t0\t1.0\ntests\ttests\t8\t1.0\n")
        self.put("build/check/tests.log", "the words of the test\n")
        done = self.readme_commands(check=1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the words of the test", done.stdout)

    def summary(self, stages, junit=""):
        self.put("build/check/stages.tsv", stages)
        self.put("build/check/tests.junit.xml", f"<testsuite>{junit}</testsuite>")
        done = subprocess.run([sys.executable, "-B", "ops/lib/summary.py", "build/check", "build"], cwd=self.root,
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def test_summary_counts_the_tests_inside_a_program(self):
        self.put("build/release/test-results/noun_test.xml", GTEST_XML)
        code, lines = self.summary("tests\ttests\t8\t1.0\n", '<testcase name="noun_test" status="fail"/>')
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertIn("noun_test: Noun.Breaks  (build/check/tests.log)", lines[1])

    def test_summary_counts_a_program_that_crashed_or_was_not_built_as_one_failure(self):
        code, lines = self.summary("tests\ttests\t8\t1.0\n", '<testcase name="crashed" status="fail"/>'
                                   '<testcase name="absent" status="notrun"/><testcase name="script" status="run"/>')
        self.assertEqual((code, lines[-1]), (1, "1 passed, 2 failed"))

    def test_summary_counts_a_failed_stage_without_results_as_one_failure(self):
        code, lines = self.summary("build\tstep\t1\t1.0\ntests\ttests\t8\t1.0\nsim\tone\t0\t2.0\n")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 2 failed"))

    def test_summary_of_success_exits_0(self):
        code, lines = self.summary("sim\tone\t0\t2.0\nlint\tstep\t0\t0.1\n")
        self.assertEqual((code, lines), (0, ["1 passed, 0 failed"]))


if __name__ == "__main__":
    unittest_report.run(Scripts)
