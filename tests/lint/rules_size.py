"""Rules about sizes: a reader holds one file in mind."""

import re

from source import Problem, functions

FILE_LINES_MAX = 600
FILE_LINES_MEDIAN_MAX = 120
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 110  # as in .clang-format
RAW_STRING_COLUMNS_MAX = 140  # what a raw string holds cannot be broken anywhere
RAW_STRING = re.compile(r'R"([^(\s]{0,16})\(.*?\)\1"', re.S)


def code_and_scripts(tree):
    return [p for p in tree.paths() if p.endswith((".cc", ".h", ".proto", ".py", ".sh", "CMakeLists.txt", ".cmake"))]


def files_are_short(tree):
    for path in code_and_scripts(tree):
        count = len(tree.lines(path))
        if count > FILE_LINES_MAX:
            yield Problem(path, 0, f"{count} lines, at most {FILE_LINES_MAX}: split it by noun")


def the_median_file_is_short(tree):
    counts = sorted(len(tree.lines(path)) for path in tree.code())
    if counts and counts[len(counts) // 2] > FILE_LINES_MEDIAN_MAX:
        yield Problem("(all .cc and .h)", 0,
                      f"the median file has {counts[len(counts) // 2]} lines, at most {FILE_LINES_MEDIAN_MAX}")


def functions_are_short(tree):
    for path in tree.code():
        for function in functions(tree.files[path]):
            if function.lines > FUNCTION_LINES_MAX:
                yield Problem(path, function.line,
                              f"a function of {function.lines} lines, at most {FUNCTION_LINES_MAX}: {function.head[-60:]}")


def lines_fit_the_page(tree):
    for path in tree.paths(".cc", ".h", ".proto"):
        text = tree.files[path]
        raw = {line for match in RAW_STRING.finditer(text)
               for line in range(text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 2)}
        for number, line in enumerate(tree.lines(path), 1):
            most = RAW_STRING_COLUMNS_MAX if number in raw else COLUMNS_MAX
            if len(line) > most:
                yield Problem(path, number, f"{len(line)} columns, at most {most}")
