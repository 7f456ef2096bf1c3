"""Reads the tree for the lint rules: which files, their text with comments and strings blanked, their functions and tests."""

import os
import re
import subprocess
from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    path: str
    line: int  # 1-based; 0: the whole file or tree
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class Tree:
    """Path (relative to the root) -> text. Tests hand in a dict; the real one comes from read_tree()."""

    def __init__(self, files):
        self.files = dict(files)

    def paths(self, *suffixes):
        return sorted(p for p in self.files if not suffixes or p.endswith(suffixes))

    def code(self):
        return self.paths(".cc", ".h")

    def lines(self, path):
        return self.files[path].splitlines()


def read_tree(root):
    """Every file that git tracks or would add; without git, every file outside build/ and hidden folders but .ci."""
    try:
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=root, capture_output=True,
                                check=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [os.path.relpath(os.path.join(folder, name), root) for folder, dirs, names in os.walk(root)
                  for name in names if not prune(dirs)]
    files = {}
    for path in filter(None, listed):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                files[path] = file.read()
        except (UnicodeDecodeError, OSError):
            continue  # binary, or deleted but still listed
    return Tree(files)


def prune(dirs):
    dirs[:] = [d for d in dirs if d not in ("build", "node_modules", "__pycache__") and (d == ".ci" or d[0] != ".")]
    return False


BLANKED = re.compile(r'R"([^(\s]{0,16})\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'',
                     re.S)


def blank(text):
    """Comments, strings and character literals become spaces; line breaks stay, so line numbers do."""
    return BLANKED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


@dataclass(frozen=True)
class Function:
    head: str   # what stands before its brace, from the last statement's end
    line: int   # of the brace
    lines: int  # from the brace to its end, both included
    body: str   # blanked


NO_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$|=\s*$|\b(if|for|while|switch|catch|do|else)\b")


def functions(text):
    """Function bodies by counting braces: a brace after `)` at the level of a namespace or class opens one."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), blank(text), flags=re.M)
    found, stack, last = [], [], 0
    for match in re.finditer(r"[{};]", code):
        at, mark = match.start(), match.group()
        if mark == "{":
            head = code[last:at]
            inside = any(kind != "scope" for kind, _, _ in stack)
            is_function = not inside and ")" in head and not NO_FUNCTION.search(head)
            is_scope = not inside and re.search(r"\b(namespace|class|struct|union|extern)\b", head)
            stack.append(("function" if is_function else "scope" if is_scope else "block", head, at))
        elif mark == "}" and stack:
            kind, head, begin = stack.pop()
            if kind == "function":
                line = code.count("\n", 0, begin) + 1
                found.append(Function(" ".join(head.split()), line, code.count("\n", begin, at) + 1, code[begin:at + 1]))
        if not any(kind == "function" for kind, _, _ in stack):
            last = at + 1
    return found
