"""Rules about sizes: a reader holds one file in mind."""

from source import Problem, functions

FILE_LINES_MAX = 600
FILE_LINES_MEDIAN_MAX = 120
FUNCTION_LINES_MAX = 70
COLUMNS_MAX = 140  # .clang-format aims at 125


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
        for number, line in enumerate(tree.lines(path), 1):
            if len(line) > COLUMNS_MAX:
                yield Problem(path, number, f"{len(line)} columns, at most {COLUMNS_MAX}")
