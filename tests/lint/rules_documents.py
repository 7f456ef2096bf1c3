"""Rules about documents: what they and the comments name must exist."""

import fnmatch
import re
from collections import Counter

from rules_words import TEST_NAME
from source import Problem

BEHAVIOURS = "tests/BEHAVIOURS.md"
ROW_ID = r"(?:SQ|DRF|FS|FR|PR|PS|RB|RS|LC|BF|RR|[CDFGHLSUV])\d{1,2}"
ROW = re.compile(r"^\|\s*([A-Z]+\d+(?:\.\d+)?|\d+(?:\.\d+)?)\s*\|", re.M)
SECTION = re.compile(r"^#{2,3}\s+(\d+(?:\.\d+)?)\b", re.M)
CITED_ROW = re.compile(rf"(?<![\w.:/$#%&*-])({ROW_ID})(?![\w%+]|-\d|\.\d\D)")
NUMBER = r"(?:\d[\d.]*\d|\d)"
CITED_SECTION = re.compile(rf"BEHAVIOURS(?:\.md)?\W{{1,4}}(?:sections?\s+(?://\s*)?)?({NUMBER}(?:(?:, | and | to ){NUMBER})*)")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*|/\*.*?\*/)', re.S)
ROW_OF_A_TABLE = re.compile(rf'"({ROW_ID})(?=[ "])')
SCENARIO = re.compile(r"tests/scenario/([^/]+)\.json$")


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def rows_and_sections(tree):
    """The ids and sections that stand in BEHAVIOURS; S13.1 also answers for S13, FR1 for the family FR."""
    text = tree.files.get(BEHAVIOURS, "")
    known = set(ROW.findall(text)) | set(SECTION.findall(text))
    return known | {row.partition(".")[0] for row in known if row[0].isalpha()} | {
        row.rstrip("0123456789") for row in known if row.isalnum() and row[0].isalpha()}


def rows_of_a_name(name):
    """Of a test's name: parts between underscores, and ids at its end (TheSmallestFirstFR6, AreLinesRS2RS11)."""
    yield from (part for part in name.split("_") if re.fullmatch(ROW_ID, part))
    end = re.search(rf"[a-z]((?:{ROW_ID})+)$", name)
    yield from re.findall(ROW_ID, end.group(1)) if end else ()


def citations_of_code(path, text):
    for match in COMMENT.finditer(text):
        for cited in CITED_ROW.finditer(match.group(1) or ""):
            yield match.start() + cited.start(), cited.group(1)
    if path.startswith("tests/"):
        for match in ROW_OF_A_TABLE.finditer(text):
            yield match.start(), match.group(1)
        for match in TEST_NAME.finditer(text):
            for row in rows_of_a_name(match.group(2)):
                yield match.start(), row


def citations(tree):
    """(path, line, cited row or section) of comments, test names, tables of tests, documents and scenario files."""
    for path in tree.paths(".cc", ".h", ".md"):
        text = tree.files[path]
        found = citations_of_code(path, text) if not path.endswith(".md") else (
            (match.start(), match.group(1)) for match in CITED_ROW.finditer(text))
        for at, row in found:
            yield path, line_of(text, at), row
        for match in CITED_SECTION.finditer(text):
            for section in re.findall(r"\d+(?:\.\d+)?", match.group(1)):
                yield path, line_of(text, match.start()), section
    for path in tree.files:
        if match := SCENARIO.match(path):
            head = match.group(1).split("-")[0]
            if re.fullmatch(r"[A-Z]+\d*|\d+\.\d+", head):
                yield path, 0, head


def cited_behaviours_have_rows(tree):
    known = rows_and_sections(tree)
    for path, line, row in citations(tree):
        if row not in known:
            yield Problem(path, line, f"{row} has no row in {BEHAVIOURS}")


# ---- what documents name ----

CODE_SPAN = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
FILE_ENDING = re.compile(r"\.(?:h|cc|py|md|proto)$")
PATH = re.compile(r"[A-Za-z_.][\w.*/{},+-]*")
TYPE_NAME = re.compile(r"([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:(?:::|\.)[\w:*.]+)?(?:\(\))?")
DECLARED = re.compile(r"\b(?:class|struct|union|enum(?:\s+class)?|concept|message)\s+(\w+)|\busing\s+(\w+)\s*="
                      r"|\b(?:TYPED_)?TEST(?:_[FP])?\s*\(\s*(\w+)|\b(?:TYPED_TEST_SUITE(?:_P)?|RC_GTEST\w*_PROP)\s*\(\s*(\w+)")
NOT_OURS = {"RocksDB", "GoogleTest", "OpenAPI"}
# Made by the build, or media types of the API.
NOT_IN_THE_TREE = ("build/", "application/", "text/")
PLACEHOLDER = re.compile(r"(?:^|/)[A-Z]+(?:/|$)")


def is_present(document):
    """Decisions and the changelog tell of the past: what they name may be gone."""
    return document.endswith(".md") and document != "CHANGELOG.md" and not document.startswith("ops/adr/")


def spans(text):
    text = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for match in CODE_SPAN.finditer(text):
        yield line_of(text, match.start()), match.group(1).strip()


def named_path(span):
    """The path that a span names, or nothing: a word with a slash, or one with the ending of a source file."""
    word = span.split()[0] if span.startswith("ops/") else span
    word = word.replace("…", "*")
    looks = PATH.fullmatch(word) and ("/" in word or FILE_ENDING.search(word)) and word.strip("*/.")
    return word if looks and not word.startswith(NOT_IN_THE_TREE) and not PLACEHOLDER.search(word) else ""


def written_out(path):
    """a/{b,c}.h -> a/b.h, a/c.h"""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [one for part in match.group(1).split(",") for one in written_out(path[:match.start()] + part + path[match.end():])]


def parts_of_paths(tree):
    """What a document may call a file or folder by: whole components in a row, a folder's with a slash, a source also without ending."""
    parts = set()
    for path in [*tree.files, *(re.sub(r"\.\w+$", "", path) for path in tree.code())]:
        words = path.split("/")
        for begin in range(len(words)):
            parts.add("/".join(words[begin:]))
            for end in range(begin + 1, len(words)):
                folder = "/".join(words[begin:end])
                parts.update((folder, folder + "/"))
    return parts


def stands(path, parts):
    return path in parts or ("*" in path and any(fnmatch.fnmatchcase(part, path) for part in parts))


def documents_name_files_that_exist(tree):
    parts = parts_of_paths(tree)
    for document in filter(is_present, tree.paths(".md")):
        for line, span in spans(tree.files[document]):
            for path in written_out(named_path(span)):
                if path and not stands(path, parts):
                    yield Problem(document, line, f"there is no file or folder {path}")


def documents_name_types_that_exist(tree):
    """Events, messages, classes and suites of tests."""
    declared = {name for path in tree.paths(".cc", ".h", ".proto", ".py") for match in DECLARED.finditer(tree.files[path])
                for name in match.groups() if name}
    for document in filter(is_present, tree.paths(".md")):
        for line, span in spans(tree.files[document]):
            match = TYPE_NAME.fullmatch(span)
            if match and match.group(1) not in declared | NOT_OURS:
                yield Problem(document, line, f"nothing is named {match.group(1)}: no message, no type, no suite of tests")


def decisions_are_listed(tree):
    listed = tree.files.get("ops/adr/README.md", "")
    for path in tree.paths(".md"):
        name = path.rpartition("/")[2]
        if re.fullmatch(r"ops/adr/\d{4}-[^/]+\.md", path) and f"({name})" not in listed:
            yield Problem(path, 0, "ops/adr/README.md does not list it")


def cited_decisions_exist(tree):
    numbers = {match.group(1) for path in tree.files if (match := re.match(r"ops/adr/(\d{4})-", path))}
    for path in tree.paths(".cc", ".h", ".md", ".py", ".proto"):
        for match in re.finditer(r"\bADRs? (\d{4}(?:(?:, | and | to )\d{4})*)", tree.files[path]):
            for number in re.findall(r"\d{4}", match.group(1)):
                if number not in numbers:
                    yield Problem(path, line_of(tree.files[path], match.start()), f"there is no decision {number} in ops/adr")


ROOM_FILES_MAX = 40


def rooms_are_small(tree):
    """A reader holds one folder in mind."""
    rooms = Counter(path.rpartition("/")[0] for path in tree.paths(".cc", ".h", ".py"))
    for room, count in sorted(rooms.items()):
        if count > ROOM_FILES_MAX:
            yield Problem(room, 0, f"{count} files in one folder, at most {ROOM_FILES_MAX}: split it by noun")
