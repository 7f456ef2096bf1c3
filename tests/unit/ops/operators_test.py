"""What operators read: runbooks name tests that play them, and every error code is explained."""

import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

# Every word that people see, with its status, meaning and advice. Its order and that no word stands twice are checked when it compiles.
TABLE = "events/base/codes/codes.inc"

# Where a code stands as text: of shims and helpers in kernels. A Code that the table lacks does not compile.
CODES = [r'(?:fail_start\(|\.error_code = )\s*(?:\w+ \? )?"([a-z][a-z0-9-]+)"', r'\? "[a-z-]+" : "([a-z-]+)",\n.*the runtime took',
          r'Problem\s*\{\s*"([a-z][a-z0-9-]+)"']
# The sets of words that people see as a state, an end, a result or a reason: (file, the part of it that has them, how one looks).
WORDS = [
    ("projections/tables/session_table.h", r"namespace end_reason \{.*?\n\}", r'= "([a-z-]+)"'),
    ("projections/tables/session_table.cc", r"name_of\(SessionStatus.*?\n\}", r'"([A-Z_]+)"'),
    ("projections/tables/session_table.cc", r"name_of\(SessionResult.*?\n\}", r'"([A-Z_]+)"'),
    ("projections/tables/kernel_table.cc", r"name_of\(KernelState.*?\n\}", r'"([A-Z_]+)"'),
    ("projections/tables/agent_table.cc", r"name_of\(AgentState.*?\n\}", r'"([A-Z_]+)"'),
    ("projections/tables/folder_table.cc", r"name_of\(FolderState.*?\n\}", r'"([A-Z_]+)"'),
    ("events/schema/v1/common.proto", r"enum KernelEnd \{.*?\n\}", r"^  ([A-Z_]+) = [1-9]"),
    ("agents/runtime/kernel_spans.cc", r"name_of\(KernelEnd.*?\n\}", r'return "([a-z-]+)"'),
    ("controller/placement/types.cc", r"code_of\(Code.*?\n\}", r'return "([a-z-]+)"'),
    ("controller/answers/cause_text.cc", r"kCauses\[\] = .*?;", r'\{"([a-z-]+)"'),
    ("controller/answers/decision/decision_types.h", r"name_of\(QueueStep::Outcome.*?\n\}", r'return "([a-z-]+)"'),
    ("controller/cell/producer_refusal.h", r"kProducerRefusals = .*?;", r'"([a-z-]+)"'),
    ("ops/cli/output/views.cc", r"string agent_state\(.*?\n\}", r'"([A-Z_]+)"'),
]


def plain(word):
    return word.lower().replace("_", "-")


# Of codes that others make longer ("config-file" + "-missing"), and what is none.
NO_CODES = {"unknown-"}


def tracked(*patterns):
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in done.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, path))]


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Operators(unittest.TestCase):
    def explained(self):
        text = text_of(TABLE)
        rows = re.findall(r'^CODE\(\d+, "([^"]+)", (\d+), "(.+)", "(.+)"\)$', text, re.M)
        self.assertEqual(len(rows), text.count("\nCODE("), "each row of the table has a line: CODE(number, word, status, what it means, what to do)")
        return {row[0] for row in rows}

    def test_every_error_code_of_the_sources_is_explained(self):
        found = {}
        for path in tracked("*.cc", "*.h"):
            if path.startswith(("tests/", "bench/")):
                continue
            text = text_of(path)
            for pattern in CODES:
                for match in re.finditer(pattern, text, re.M):
                    found.setdefault(match.group(1), path)
        missing = {code: path for code, path in found.items() if code not in self.explained() | NO_CODES}
        self.assertEqual(missing, {}, f"add a line to {TABLE}")

    def test_every_word_that_people_see_as_a_state_an_end_or_a_reason_is_explained(self):
        explained = self.explained()
        for path, part, word in WORDS:
            with self.subTest(path=path, part=part):
                found = re.search(part, text_of(path), re.S)
                self.assertTrue(found, "the set of words is elsewhere now")
                words = re.findall(word, found.group(0), re.M)
                self.assertGreater(len(words), 1)
                missing = sorted({one for one in words if plain(one) not in explained})
                self.assertEqual(missing, [], f"add a line to {TABLE}")

    def test_a_code_that_is_made_of_parts_is_explained(self):
        read = ("missing", "foreign", "unreadable", "too-large", "open")
        suffixes = {"read_private_file": read, "read_trusted_file": read, "check_secret_file": ("missing", "open"), "write_private_file": ("unwritable",)}
        made = set()
        for path in tracked("agents/*.cc", "controller/*.cc", "events/*.cc", "ops/*.cc"):
            for call, kind in re.findall(r'\b(\w+_file)\([^;"]*?"([a-z-]+)"', text_of(path)):
                made |= {f"{kind}-{suffix}" for suffix in suffixes.get(call, ())}
        self.assertGreater(len(made), 30)
        self.assertEqual(sorted(made - self.explained()), [])

    def test_no_code_is_explained_that_nothing_says(self):
        sources = "".join(text_of(path) for path in tracked("*.cc", "*.h", "*.py") if not path.startswith("tests/"))
        words = {plain(word) for path, part, like in WORDS for word in re.findall(like, re.search(part, text_of(path), re.S).group(0), re.M)}
        unknown = [code for code in sorted(self.explained() - words) if f'"{code}"' not in sources and
                   not any(f'"{code[at.start():]}"' in sources for at in re.finditer("-", code))]
        self.assertEqual(unknown, [])

    def test_every_runbook_says_what_one_sees_one_command_and_which_tests_play_it(self):
        tests = "".join(text_of(path) for path in tracked("tests/*.cc", "tests/*.py", "tests/*.h"))
        books = tracked("ops/runbooks/*.md")
        self.assertGreaterEqual(len(books), 10)
        for path in books:
            text = text_of(path)
            with self.subTest(path):
                self.assertIn("**What one sees.**", text)
                self.assertEqual(text.count("```\n"), 2, "one command")
                played = re.findall("`([^`]+)`", text.rpartition("Played by:")[2])
                self.assertTrue(played)
                for name in played:
                    suite, _, case = name.rpartition(".")
                    there = re.search(rf"\((?:{suite}), {case}\)" if suite else rf"def {case}\(", tests)
                    self.assertTrue(there, f"no test is called {name}")
                for link in re.findall(r"\b([a-z-]+\.md)\b", text):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, "ops", "runbooks", link)), link)

    def test_every_runbook_that_a_code_names_is_there(self):
        for path in re.findall(r"ops/runbooks/[a-z-]+\.md", text_of(TABLE)):
            self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)


if __name__ == "__main__":
    unittest_report.run(Operators)
