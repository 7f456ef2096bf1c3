"""Rules about single words: what must not be written, and what must."""

import re

from rules_layers import is_pure
from source import Problem, blank, functions


def matches(tree, paths, pattern, text_of=None):
    for path in paths:
        text = (text_of or (lambda t: t))(tree.files[path])
        for match in pattern.finditer(text):
            yield path, text.count("\n", 0, match.start()) + 1, match


def schema_has_no_map_and_no_float(tree):
    """P14: a map has no order and a float no exact value, so neither can be hashed."""
    pattern = re.compile(r"\bmap\s*<|^\s*(?:repeated\s+|optional\s+)?(?:float|double)\s+\w+\s*=", re.M)
    for path, line, match in matches(tree, tree.paths(".proto"), pattern, blank):
        yield Problem(path, line, f"no {match.group().split()[0]} in the schema (P14)")


def pure_code_has_no_floating_point(tree):
    pattern = re.compile(r"\b(?:long\s+)?(?:double|float)\b")
    for path, line, match in matches(tree, filter(is_pure, tree.code()), pattern, blank):
        yield Problem(path, line, f"no {match.group()} where state is folded or decided: micro-units are integers")


def names_are_written_out(tree):
    pattern = re.compile(r"\busing\s+namespace\s+([\w:]+)")
    for path, line, match in matches(tree, tree.code(), pattern, blank):
        if match.group(1) == "std" or (path.endswith(".h") and not match.group(1).endswith("literals")):
            yield Problem(path, line, f"'using namespace {match.group(1)}' is not used here")


# What a newer library's headers no longer include by the way. In sources it may come by a header of ours, but for the algorithms.
HEADERS_OF = {
    "algorithm": re.compile(r"\bstd::(?:ranges::)?(?:min|max|minmax|clamp|(?:min|max)_element|(?:stable_)?sort|is_sorted|partial_sort|nth_element|"
                            r"find(?:_if(?:_not)?|_end|_first_of)?|adjacent_find|(?:all|any|none)_of|for_each|count(?:_if)?|copy(?:_if|_n|_backward)?|"
                            r"fill(?:_n)?|generate(?:_n)?|reverse|rotate|shuffle|transform|(?:lower|upper)_bound|equal_range|binary_search|equal|"
                            r"mismatch|lexicographical_compare(?:_three_way)?|remove_if|replace(?:_if)?|unique|(?:stable_)?partition(?:_point)?|merge|"
                            r"includes|set_(?:difference|union|intersection|symmetric_difference)|(?:push|pop|make|sort)_heap|next_permutation)\s*\("),
    "cstdint": re.compile(r"\bu?int(?:8|16|32|64)_t\b|\bu?intptr_t\b"),
    "functional": re.compile(r"\bstd::function\b"),
    "memory": re.compile(r"\bstd::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this)\b"),
}


def lacking_headers(path, text):
    code = blank(text)
    wanted = HEADERS_OF if path.endswith(".h") else {"algorithm": HEADERS_OF["algorithm"]}
    return [name for name, used in wanted.items() if f"#include <{name}>" not in text and used.search(code)
            and not (name == "cstdint" and "#include <stdint.h>" in text)]  # a header for C


def standard_headers_are_named(tree):
    for path in tree.code():
        for name in lacking_headers(path, tree.files[path]):
            used = HEADERS_OF[name].search(blank(tree.files[path]))
            line = blank(tree.files[path]).count("\n", 0, used.start()) + 1
            yield Problem(path, line, f"{used.group().rstrip('( ')} without <{name}>, which comes by accident")


def no_path_of_one_machine(tree):
    pattern = re.compile(r"(?<![\w/.}\])*])/(?:wo" r"rk)/[\w.]")
    for path, line, match in matches(tree, tree.files, pattern):
        yield Problem(path, line, f"'{match.group()}...' is a path of one machine")


KNOWN_HOSTS = {"127.0.0.1", "localhost", "example.com", "example.org", "example.net", "www.apache.org", "maven.apache.org",
               "www.w3.org", "json-schema.org"}


def no_host_outside_this_machine(tree):
    """Hosts of registries are the machine's own set-up: none is written down here."""
    url = re.compile(r"\b(?:https?|kafka|docker)://([A-Za-z][\w.-]*[A-Za-z0-9])")
    registry = re.compile(r"\b(?:registry|index|repo\d?|deb|pypi|ghcr|quay|docker|mirror|crates|proxy)[\w-]*"
                          r"(?:\.[\w-]+)*\.(?:io|org|com|net|dev)\b")
    for pattern in (url, registry):
        for path, line, match in matches(tree, [p for p in tree.files if p != "LICENSE"], pattern):
            host = match.group(1) if pattern is url else match.group()
            if "." in host and host not in KNOWN_HOSTS and not host.endswith((".invalid", ".example", ".test", ".localhost")):
                yield Problem(path, line, f"'{host}' is a host outside this machine")


ENUM_WORDS = ("superadmin|domain-admin|user|monitor|domain|project|keypair|resource-group|cluster|group|image|preset|agent|key|producer|"
              "exec|shell|copy|app|password|environment|head")


def enums_are_not_compared_as_text(tree):
    """The schema's enums are compared as such; their words are for what is read and written (events/codec/words)."""
    name, word = r"\b\w*(?:role|scope|kind|way)_?(?:\(\))?", rf'"(?:{ENUM_WORDS})"'
    pattern = re.compile(rf"{name}\s*[=!]=\s*{word}|{word}\s*[=!]=\s*(?:\w+(?:\(\))?(?:\.|->))*{name}(?![\w(])")
    code = [path for path in tree.code() if path.startswith(("controller/", "projections/", "events/", "agents/", "ops/"))]
    for path, line, match in matches(tree, code, pattern):
        yield Problem(path, line, f"'{match.group()}' compares an enum by its word")


def codes_are_not_compared_as_text(tree):
    """A Code is compared as such: `error.code == "no-capacity"` looks the word up when it compiles (events/base/codes/code.h)."""
    pattern = re.compile(r"""\.word\(\)\s*[=!]=|[=!]=\s*[\w.>()-]+\.word\(\)|text_at\([^;"]*"[\w.]*\bcode"\)\s*[=!]=""")
    code = [path for path in tree.code() if path.startswith(("controller/", "projections/", "events/", "agents/", "ops/"))]
    for path, line, match in matches(tree, code, pattern):
        yield Problem(path, line, f"'{match.group()}' compares a code by its word")


# Where the other side is a wall clock too, or where the clock itself is told.
WALL_CLOCKS = ("agents/core/agent.cc", "agents/core/agent_kernels.cc", "agents/kernel/fake_backend.cc", "agents/runtime/agent_runtime.cc",
               "controller/api/api.cc", "controller/api/api_context.h", "controller/cell/controller.cc", "controller/cell/leader/clock_guard.cc",
               "controller/cell/leader/clock_guard.h", "controller/cell/leader/rounds.cc", "controller/runtime/api_node.cc",
               "controller/runtime/cell_node.cc", "controller/runtime/controller_process.cc",
               "controller/runtime/sessions/session_spans.cc", "events/log/local/log_time.h", "ops/cli/main.cc")


def times_are_the_clusters(tree):
    """A machine's wall clock is not compared with a time of the state (P16): ApiContext::now() is the cluster's time."""
    code = [path for path in tree.code() if path.startswith(("controller/", "projections/", "events/", "agents/", "ops/"))]
    for path, line, match in matches(tree, code, re.compile(r"now\w*(?:\(\))?\.wall\b")):
        if path not in WALL_CLOCKS:
            yield Problem(path, line, f"'{match.group()}' is a wall clock: times of the state are of the cluster's (ADR 0114)")


TEST_HEAD = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*$|\bRC_GTEST(?:_\w+)?_PROP\s*\(")
TEST_NAME = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT)_\w+|\bFAIL\s*\(|\bADD_FAILURE\w*\s*\(|\bRC_\w*ASSERT\w*|\.\s*then\w*\s*\("
                       r"|\b(?:expect|Expect|assert)_?\w*\s*\(")


def name_of(function):
    found = re.search(r"(\w+)\s*\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*$", function.head)
    return found.group(1) if found else ""


def asserting_helpers(found):
    """Names of functions of a file that assert, themselves or by calling one that does."""
    names = set()
    while True:
        calls = re.compile(r"\b(?:%s)\s*\(" % "|".join(map(re.escape, sorted(names)))) if names else None
        more = {name_of(f) for f in found if not TEST_HEAD.search(f.head)
                and (ASSERTION.search(f.body) or (calls and calls.search(f.body)))} - {""}
        if more <= names:
            return calls
        names |= more


def every_test_asserts(tree):
    for path in tree.paths(".cc", ".h"):
        found = functions(tree.files[path])
        helpers = asserting_helpers(found)
        for function in found:
            asserts = ASSERTION.search(function.body) or (helpers and helpers.search(function.body))
            if TEST_HEAD.search(function.head) and not asserts:
                yield Problem(path, function.line, f"a test without an assertion: {function.head[-80:]}")


RULES_OF_THE_PROTOCOL = 27


def architecture_names_every_rule(tree):
    """A row a rule, and every test that a row names (`Suite.Name`, or `Suite.*` with any rest) is a test of the tree."""
    tests = {".".join(head.groups()) for path in tree.paths(".cc", ".h") if path.startswith("tests/")
             for head in TEST_NAME.finditer(tree.files[path])}
    lines = tree.lines("ARCHITECTURE.md") if "ARCHITECTURE.md" in tree.files else []
    rows = {match.group(1): (number, line) for number, line in enumerate(lines, 1)
            if (match := re.match(r"\|\s*\**P(\d+)\b[^|]*\|", line))}
    for rule in map(str, range(1, RULES_OF_THE_PROTOCOL + 1)):
        number, line = rows.get(rule, (0, ""))
        if not number:
            yield Problem("ARCHITECTURE.md", 0, f"no row for rule P{rule} with the test that tries to break it")
        elif not line.rstrip().rstrip("|").rpartition("|")[2].strip():
            yield Problem("ARCHITECTURE.md", number, f"the row of P{rule} names no test")
        for name in re.findall(r"`(\w+\.\w*\*?)`", line):
            if not any(test == name or (name.endswith("*") and test.startswith(name[:-1])) for test in tests):
                yield Problem("ARCHITECTURE.md", number, f"there is no test {name}")
