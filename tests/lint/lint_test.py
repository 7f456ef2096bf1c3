"""Runs each lint rule on the tree and, for each, a tiny bad example that it must catch and a good one that it must pass."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "support")]

import lint
import rules_checks as checks
import rules_documents as documents
import rules_layers as layers
import rules_mutants as mutants
import rules_size as size
import rules_words as words
import unittest_report
from source import Tree, functions, read_tree

TREE = read_tree(lint.ROOT)
LONG_FUNCTION = "namespace a {\nint f() {\n" + "  g();\n" * 80 + "}\n}\n"
BEHAVIOURS = {"tests/BEHAVIOURS.md": "## 3. Which agent\n\n### 3.5 Groups\n\n| id | given |\n|---|---|\n| F3 | a |\n| S13.1 | b |\n"}
LABELLED = {"tests/CMakeLists.txt": "berth_test(a FOLDER folder LABELS one two)\nberth_test(b LABELS three TIMEOUT 600)\n",
            "tests/e2e/CMakeLists.txt": 'berth_e2e(c LABELS "four;five")\n'}
MUTANT = """Breaks: g.
Unit: -
Simulator: yes
---
diff --git a/a.cc b/a.cc
--- a/a.cc
+++ b/a.cc
@@ -1,2 +1 @@
 f();
-g();
"""
ALL_RULES_TABLE = "".join(f"| P{n} | t |\n" for n in range(1, 28))

# rule -> (bad files, good files)
EXAMPLES = {
    layers.includes_follow_the_layers: (
        [{"events/base/a.h": '#include "projections/tables/session_table.h"'},
         {"agents/core/a.h": '#include "controller/cell/controller.h"'},
         {"controller/decide/a.cc": '#include "controller/runtime/server.h"'},
         {"projections/tables/a.cc": '#include "projections/store/rocks/rocks_store.h"'},
         {"controller/cell/a.cc": '#include "events/log/kafka/kafka_log.h"'},
         {"events/base/a.cc": '#include "tests/support/given.h"'},
         {"controller/placement/model/a.cc": '#include "controller/placement/pass/pass.h"'},
         {"controller/decide/a.cc": '#include "controller/placement/model/model.h"'},
         {"controller/api/map/a.cc": '#include "controller/answers/why.h"'},
         {"events/base/a.cc": '#include "result.h"'},
         {"events/newcomer/a.cc": "", "agents/unheard/of.cc": "", "newtop/a.cc": ""}],
        [{"controller/cell/a.cc": '#include "controller/decide/decide.h"\n#include "projections/limits.h"'},
         {"tests/unit/a.cc": '#include "agents/core/agent.h"'}]),
    layers.pure_folders_do_no_io: (
        [{"projections/tables/a.cc": "#include <thread>"}, {"events/codec/a.cc": "#include <chrono>"},
         {"controller/placement/pass/a.h": "#include <boost/asio/post.hpp>"}, {"agents/core/a.cc": "#include <spdlog/spdlog.h>"},
         {"controller/decide/a.cc": '#include "events/base/system_clock.h"'},
         {"projections/fold/projector.cc": '#include "events/base/secrets.h"'}],
        [{"controller/runtime/a.cc": "#include <thread>"}, {"events/base/system_clock.cc": "#include <ctime>"},
         {"projections/tables/a.cc": '#include "events/base/clock.h"'}]),
    layers.libraries_stay_at_home: (
        [{"controller/runtime/a.cc": "#include <librdkafka/rdkafka.h>"}, {"controller/api/a.cc": "#include <rocksdb/db.h>"},
         {f"controller/api/{c}.cc": "#include <boost/beast/http.hpp>" for c in "abcde"}],
        [{"events/log/kafka/a.cc": "#include <librdkafka/rdkafka.h>", "bench/a.cc": "#include <rocksdb/db.h>"}]),
    layers.top_folders_are_known: ([{"src/a.cc": ""}], [{"ops/a": "", ".ci/run": "", "README.md": ""}]),
    size.files_are_short: ([{"a/b.cc": "x\n" * 601}], [{"a/b.cc": "x\n" * 600}]),
    size.the_median_file_is_short: ([{"a.cc": "x\n" * 121, "b.h": "x\n" * 130, "c.h": "x\n"}],
                                    [{"a.cc": "x\n" * 400, "b.h": "x\n" * 90, "c.h": "x\n"}]),
    size.functions_are_short: ([{"a.cc": LONG_FUNCTION}], [{"a.cc": LONG_FUNCTION.replace("  g();\n" * 80, "  g();\n" * 60)}]),
    size.lines_fit_the_page: ([{"a.h": "x" * 111}, {"a.cc": 'f(R"(' + "x" * 136 + ')");'}],
                              [{"a.h": "x" * 110, "a.md": "x" * 300}, {"a.cc": 'f(R"(' + "x" * 130 + ')");'}]),
    words.schema_has_no_map_and_no_float: (
        [{"a.proto": "message A { map<string, int32> m = 1; }"}, {"a.proto": "message A {\n  double share = 1;\n}"}],
        [{"a.proto": "message A {\n  uint64 a = 1;  // no map<> here\n}"}]),
    words.pure_code_has_no_floating_point: (
        [{"controller/placement/pass/a.cc": "double score = 0;"}],
        [{"controller/placement/pass/a.cc": "int score = 0;  // a double would differ"}, {"bench/a.cc": "double rate = 0;"}]),
    words.names_are_written_out: (
        [{"a.cc": "using namespace std;"}, {"a.h": "using namespace berth;"}], [{"a.cc": "using namespace berth;"}]),
    words.no_path_of_one_machine: (
        [{"a.sh": "cd /wo" + "rk/main"}], [{"a.sh": "cd $ROOT/wo" + "rk/x"}]),
    words.no_host_outside_this_machine: (
        [{"a.sh": "curl https:/" + "/some.where.net/x"}, {"a.md": "take it from docker" + ".io/library"}],
        [{"a.sh": "curl http://127.0.0.1:7410/v1 https://example.com"}]),
    words.every_test_asserts: (
        [{"a.cc": "TEST(Noun, Does) {\n  run();\n}"}, {"a.cc": "TEST_F(Noun, Does) { SUCCEED(); }"},
         {"a.cc": "void rows(int a) { run(a); }\nTEST(Noun, Does) { rows(1); }"}],
        [{"a.cc": "TEST(Noun, Does) { EXPECT_EQ(1, one()); }"}, {"a.cc": "TEST(Noun, Does) {\n  given({}).when(x).then({y});\n}"},
         {"a.cc": "void rows(int a) { EXPECT_EQ(a, 1); }\nTEST(Noun, Does) { rows(1); }"}]),
    words.architecture_names_every_rule: (
        [{"ARCHITECTURE.md": ALL_RULES_TABLE.replace("| P14 |", "| P99 |")},
         {"ARCHITECTURE.md": ALL_RULES_TABLE.replace("| P14 | t |", "| P14 |  |")},
         {"ARCHITECTURE.md": ALL_RULES_TABLE.replace("| P14 | t |", "| P14 | `Noun.Does` |"), "a.cc": "TEST(Noun, Does)"}],
        [{"ARCHITECTURE.md": ALL_RULES_TABLE},
         {"ARCHITECTURE.md": ALL_RULES_TABLE.replace("t |", "`Noun.Does`, `Noun.*`, `Noun.D*` |"),
          "tests/a.cc": "TEST_F(Noun, Does) {"}]),
    documents.cited_behaviours_have_rows: (
        [{**BEHAVIOURS, "a.h": "// As rows say (F4)."}, {**BEHAVIOURS, "tests/a.cc": "TEST(Noun, F4_Does) {"},
         {**BEHAVIOURS, "tests/a.cc": "TEST(Noun, DoesF3F4) {"}, {**BEHAVIOURS, "tests/a.cc": '{"F4 with room", 1}'},
         {**BEHAVIOURS, "a.md": "See F4."}, {**BEHAVIOURS, "a.h": "// tests/BEHAVIOURS.md 3.6"},
         {**BEHAVIOURS, "a.h": "// (BEHAVIOURS sections 3.5 and 4)"}, {**BEHAVIOURS, "tests/scenario/F4-waits.json": ""},
         {**BEHAVIOURS, "tests/scenario/3.4-waits.json": ""}, {**BEHAVIOURS, "tests/scenario/RR-in-turn.json": ""}],
        [{**BEHAVIOURS, "a.h": '// F3, S13, P14, C++20, 0xF4, UTF-8; BEHAVIOURS.md sections 3, 3.5\nf("F4");', "a.md": "F3",
          "tests/a.cc": 'TEST(Noun, F3_DoesF3) { f("F3 with room"); }', "tests/scenario/F-a.json": "",
          "tests/scenario/bad-order.json": "", "tests/scenario/3.5-spread.json": ""}]),
    documents.documents_name_files_that_exist: (
        [{"a.md": "`b/c.h`"}, {"a.md": "`c.h`"}, {"a.md": "`b/`", "a/b.h": ""}, {"x/a.md": "`b/{c,d}.h`", "b/c.h": ""},
         {"a.md": "`ops/gone --now`"}, {"a.md": "`b/d*`", "b/c.h": ""}],
        [{"a.md": "`b/c.h`, `c.h`, `b/`, `x/b/{c,d}.h`, `b/*.h`, `b/c`, `ops/up --data D`, `1/2`, `/v1/x`, `DOMAIN/NAME`, `kafka://h/x`"
                  "\n```\ngone/a.h\n```\n", "x/b/c.h": "", "x/b/d.h": "", "ops/up": ""},
         {"CHANGELOG.md": "`gone.h`", "ops/adr/0001-a.md": "`gone/a.h`"}]),
    documents.documents_name_types_that_exist: (
        [{"a.md": "`SessionGone`"}, {"a.md": "`SessionGone::step`", "a.h": "// class SessionGone2"}],
        [{"a.md": "`SessionRequested`, `TableRow::key()`, `NounSuite.*`, `Word`, `RocksDB`", "a.proto": "message SessionRequested {",
          "a.h": "class TableRow {", "a.cc": "TEST_F(NounSuite, Does) {"}]),
    documents.decisions_are_listed: (
        [{"ops/adr/0001-a.md": "", "ops/adr/README.md": "[0002](0002-b.md)"}, {"ops/adr/0001-a.md": ""}],
        [{"ops/adr/0001-a.md": "", "ops/adr/template.md": "", "ops/adr/README.md": "| [0001](0001-a.md) |"}]),
    documents.cited_decisions_exist: (
        [{"a.h": "// AD" "R 0002", "ops/adr/0001-a.md": ""}, {"a.md": "AD" "R 0001 to 0003", "ops/adr/0001-a.md": ""}],
        [{"a.h": "// AD" "R 0001", "ops/adr/0001-a.md": ""}]),
    documents.rooms_are_small: (
        [{f"a/b{n}.h": "" for n in range(41)}],
        [{**{f"a/b{n}.h": "" for n in range(40)}, **{f"c/b{n}.json": "" for n in range(50)}}]),
    checks.ops_check_chooses_by_labels_that_tests_have: (
        [{**LABELLED, "ops/check": "build_labelled asan gone"}, {**LABELLED, "ops/check": "run_ctest a asan -L gone"},
         {**LABELLED, "ops/check": "run_ctest a asan -LE \"$SLOW|gone\" -j 2"}, {**LABELLED, "ops/check": "SLOW='one|gone'"},
         {**LABELLED, "ops/check": "run_ctest a asan -L folder"}],
        [{**LABELLED, "ops/check": "SLOW='one|two'  # gone\nbuild_labelled asan four\nrun_ctest a asan -L 'three|four' -LE \"$SLOW|five\""}]),
    mutants.mutants_apply: (
        [{"tests/simulation/mutants/a.patch": MUTANT, "a.cc": "f();\nh();\n"},
         {"tests/simulation/mutants/a.patch": MUTANT.replace("Unit", "unit"), "a.cc": "f();\ng();\n"}],
        [{"tests/simulation/mutants/a.patch": MUTANT, "a.cc": "f();\ng();\n"}]),
}


class Lint(unittest.TestCase):
    def test_every_rule_has_a_bad_example(self):
        self.assertEqual(set(EXAMPLES), set(lint.RULES))

    def test_functions_are_found_with_their_lines(self):
        text = "struct S {\n  int f() const { return 1; }\n};\nS g(\n    int a) {\n  if (a) {\n  }\n  auto l = [] {\n  };\n}\n"
        self.assertEqual([(f.line, f.lines) for f in functions(text)], [(2, 1), (5, 6)])

    def test_braces_in_strings_and_comments_do_not_count(self):
        text = 'int f() {\n  g("{{{", \'{\');  // {\n  /* { */\n}\nint h() {\n}\n'
        self.assertEqual([(f.line, f.lines) for f in functions(text)], [(1, 4), (5, 2)])


def add_rule_tests(rule):
    bad, good = EXAMPLES.get(rule, ([], []))

    def on_tree(self):
        problems = [str(problem) for problem in rule(TREE)]
        self.assertEqual(problems, [], "\n" + "\n".join(problems))

    def catches(self):
        for files in bad:
            self.assertTrue(list(rule(Tree(files))), files)

    def passes(self):
        for files in good:
            self.assertEqual([str(p) for p in rule(Tree(files))], [], files)

    for name, test in (("holds_on_the_tree", on_tree), ("catches_bad_examples", catches), ("passes_good_examples", passes)):
        setattr(Lint, f"test_{rule.__name__}_{name}", test)


def main():
    for rule in lint.RULES:
        add_rule_tests(rule)
    unittest_report.run(Lint)


if __name__ == "__main__":
    main()
