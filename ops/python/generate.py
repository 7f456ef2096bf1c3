#!/usr/bin/env python3
"""Writes berth/models.py, calls.py and operations.py from controller/api/openapi.json; the same document gives the same files.

    ops/python/generate.py     # after a change of openapi.json; a test compares
"""

import json
import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent.parent / "controller" / "api" / "openapi.json"
COLUMNS = 120
JSON = "application/json"
EVENT_STREAM = "text/event-stream"
BINARY = "application/octet-stream"
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
STANDARD = {  # library -> what of it the generated code may use
    "typing": ["Any", "Literal", "NotRequired", "TypeAlias", "TypedDict"],
}
NOTES = {  # what the senders of client.py do, by the type of the call
    "Call": "",
    "Pages": "; every item of all pages",
    "Stream": "; as it happens, through broken connections",
}

Schema = dict[str, Any]


def snake(name: str) -> str:
    """listSessions, Idempotency-Key, from -> list_sessions, idempotency_key, from_"""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|-", "_", name).lower()
    return words + "_" if keyword.iskeyword(words) else words


def camel(name: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))


def last(reference: str) -> str:
    return reference.rpartition("/")[2]


def union(types: Iterable[str]) -> str:
    """Each once, None at the end."""
    return " | ".join(sorted(dict.fromkeys(types), key=lambda one: one == "None"))


def quoted(annotation: str) -> str:
    """As text, so that it may name what is defined later."""
    return f"'{annotation}'" if '"' in annotation else f'"{annotation}"'


def one_line(text: str) -> str:
    return " ".join(text.split())


def docstring(text: str) -> str:
    text = one_line(text).replace("\\", "\\\\").replace('"', "'")
    return f'"""{text}"""'


def filled(parts: list[str], indent: str) -> str:
    """As many parts a line as fit, each with its comma."""
    lines = [""]
    for part in parts:
        if lines[-1] and len(indent) + len(lines[-1]) + len(part) + 2 > COLUMNS:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + part + ","
    return "".join(f"{indent}{line}\n" for line in lines)


def in_brackets(head: str, parts: list[str], tail: str, indent: str) -> str:
    """head, the parts and tail on one line, or the parts on lines below."""
    short = f"{indent}{head}{', '.join(parts)}{tail}"
    return short if len(short) <= COLUMNS else f"{indent}{head}\n{filled(parts, indent + '    ')}{indent}{tail}"


@dataclass(frozen=True)
class Models:
    """Annotations of schemas. An object with named fields inside another schema becomes a type of its own, named by its place.
    `prefix`: how the types are named by who asks, "models." outside models.py."""

    schemas: dict[str, Schema]
    sources: dict[str, str] = field(default_factory=dict)
    prefix: str = ""

    def define(self, name: str, schema: Schema) -> None:
        self.sources[name] = replace(self, prefix="").definition(name, schema)

    def definition(self, name: str, schema: Schema) -> str:
        if "properties" not in schema:
            return f"{name}: TypeAlias = {quoted(self.annotation(schema, name))}"
        required = schema.get("required", [])
        fields = {}
        for key, of_field in schema["properties"].items():
            annotation = self.annotation(of_field, name + camel(key))
            fields[key] = annotation if key in required else f"NotRequired[{annotation}]"
        if not all(key.isidentifier() and not keyword.iskeyword(key) for key in fields):
            pairs = [f'"{key}": {quoted(annotation)}' for key, annotation in fields.items()]
            return in_brackets(f'{name} = TypedDict("{name}", {{', pairs, "})", "")
        lines = [f"class {name}(TypedDict):"]
        if description := schema.get("description"):
            lines.append(f"    {docstring(description)}\n")
        for key, annotation in fields.items():
            note = schema["properties"][key].get("description")
            lines.append(f"    {key}: {annotation}" + (f"  # {one_line(note)}" if note else ""))
        return "\n".join(lines if len(lines) > 1 else [*lines, "    pass"])

    def annotation(self, schema: Schema, name: str) -> str:
        """`name`: of the type that it becomes if it has named fields."""
        if "allOf" in schema:
            raise ValueError(f"{name}: allOf is not understood")
        if "$ref" in schema:
            target = last(schema["$ref"])
            nullable = "null" in self.schemas[target].get("type", []) and "properties" in self.schemas[target]
            return f"{self.prefix}{target}" + (" | None" if nullable else "")
        for key in ("oneOf", "anyOf"):
            if key in schema:
                options = schema[key]
                return union(self.annotation(option, name if len(options) == 1 else f"{name}{number}")
                             for number, option in enumerate(options, 1))
        kinds = schema.get("type", "any")
        return union(self.of_kind(kind, schema, name) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def of_kind(self, kind: str, schema: Schema, name: str) -> str:
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        if kind in ("string", "integer") and values:
            return f"Literal[{', '.join(json.dumps(value) for value in values if value is not None)}]"
        if kind == "array":
            return f"list[{self.annotation(schema.get('items', {}), name + 'Item')}]"
        if kind == "object" and "properties" in schema:
            self.define(name, schema)
            return self.prefix + name
        if kind == "object":
            of_values = schema.get("additionalProperties")
            return f"dict[str, {self.annotation(of_values, name + 'Value') if isinstance(of_values, dict) else 'Any'}]"
        return "Any" if kind == "any" else SCALARS[kind]

    def source(self) -> str:
        return module("The JSON of the API, as types.", [], list(self.sources.values()))


@dataclass(frozen=True)
class Method:
    """One method of the clients. `kind`: a Call gives an answer, Pages an iterator of items, a Stream one of events."""

    name: str
    summary: str
    arguments: list[str]
    answer: str
    kind: str
    call: list[str]

    def source(self) -> str:
        answer = self.kind + f"[{self.answer}]" * (self.kind != "Stream")
        head = in_brackets(f"def {self.name}(", self.arguments, f") -> {answer}:", "")
        body = in_brackets(f"return {self.kind}(", self.call, ")", "    ")
        return f"{head}\n    {docstring(self.summary + NOTES[self.kind])}\n{body}"


@dataclass(frozen=True)
class Parameter:
    name: str  # on the wire
    where: str  # path, query or header
    annotation: str
    required: bool

    @property
    def argument(self) -> str:
        annotation = self.annotation if self.required else union([self.annotation, "None"])
        return f"{snake(self.name)}: {annotation}" + ("" if self.required else " = None")


class Operations:
    """The methods of a document, in its order: each makes a call, which either client sends."""

    def __init__(self, document: Schema, models: Models) -> None:
        self.components = document["components"]
        self.models = replace(models, prefix="models.")
        self.methods = [method for path, verbs in document["paths"].items() for verb, operation in verbs.items()
                        if "operationId" in operation for method in self.of(path, verb.upper(), operation)]

    def resolved(self, entry: Schema) -> Schema:
        """A parameter or response itself, where the document names one of its components."""
        if "$ref" not in entry:
            return entry
        *_, kind, name = entry["$ref"].split("/")
        component: Schema = self.components[kind][name]
        return component

    def of(self, path: str, verb: str, operation: Schema) -> Iterator[Method]:
        """The method of an operation. Besides: try_NAME is its dry run, iter_NOUN all its pages, stream_NOUN its event stream."""
        name = snake(operation["operationId"])
        noun = name.partition("_")[2]
        answers = self.answers(operation)
        make = partial(self.method, path, verb, operation)
        streams = answers.pop(EVENT_STREAM, None)
        dry_runs = [schema for schema in answers.get(JSON, []) if last(schema.get("$ref", "")) == "DryRun"]
        if answers:
            kinds = {kind: [schema for schema in schemas if schema not in dry_runs] for kind, schemas in answers.items()}
            yield make(name, self.answer(kinds, name), "Call", without=("Last-Event-ID", *["dry_run"] * bool(dry_runs)))
        if dry_runs:
            yield make(f"try_{name}", self.answer({JSON: dry_runs}, name), "Call", dry_run="True")
        for field_name, item in self.pages(answers.get(JSON, [])):
            yield make(f"iter_{noun}", item, "Pages", without=("Last-Event-ID", "page_token"), items=field_name)
        if streams:
            yield make(f"stream_{noun}" if answers else name, "ServerEvent", "Stream", without=("limit", "page_token"))

    def answers(self, operation: Schema) -> dict[str, list[Schema]]:
        """Media type -> the schemas of what succeeds; "" where there is no body."""
        found: dict[str, list[Schema]] = {}
        for status, entry in operation["responses"].items():
            if status.startswith("2"):
                for kind, content in self.resolved(entry).get("content", {"": {"schema": {}}}).items():
                    found.setdefault(kind, []).extend(content["schema"].get("oneOf", [content["schema"]]))
        return found

    def answer(self, answers: dict[str, list[Schema]], name: str) -> str:
        types = []
        for kind, schemas in answers.items():
            if kind == JSON:
                types += [self.models.annotation(schema, camel(name) + "Answer") for schema in schemas]
            else:
                types.append("None" if not kind else "str" if kind.startswith("text/") else "bytes")
        return union(types)

    def pages(self, schemas: list[Schema]) -> Iterator[tuple[str, str]]:
        """The field of a page that has the items, and their type."""
        for schema in schemas:
            name = last(schema.get("$ref", ""))
            fields = self.components["schemas"].get(name, {}).get("properties", {})
            if "next_page_token" in fields:
                for key, of_field in fields.items():
                    if of_field.get("type") == "array":
                        yield key, self.models.annotation(of_field["items"], name + camel(key) + "Item")

    def method(self, path: str, verb: str, operation: Schema, name: str, answer: str, kind: str, *,
               without: tuple[str, ...] = (), items: str = "", **fixed: str) -> Method:
        """`without`: parameters that are left out; `fixed`: those whose value the method knows."""
        entries = [self.resolved(entry) for entry in operation.get("parameters", [])]
        parameters = [Parameter(entry["name"], entry["in"], self.models.annotation(entry["schema"], camel(entry["name"])),
                                entry.get("required", False)) for entry in entries if entry["name"] not in without]
        located = re.sub(r"\{(\w+)\}", lambda found: "{segment(" + snake(found[1]) + ")}", path)
        call = [f'"{verb}"', f'{"f" * (located != path)}"{located}"']
        arguments = [parameter.argument for parameter in parameters if parameter.where == "path"]
        if body := operation.get("requestBody"):
            content = body["content"]
            annotation = "bytes" if BINARY in content else self.models.annotation(content[JSON]["schema"], camel(name) + "Body")
            arguments.append(Parameter("body", "", annotation, body.get("required", False)).argument)
        keywords = [parameter.argument for parameter in parameters if parameter.where != "path" and parameter.name not in fixed]
        for where, argument in (("query", "query"), ("header", "headers")):
            pairs = [f'"{p.name}": {fixed.get(p.name, snake(p.name))}' for p in parameters if p.where == where]
            call += [in_brackets(f"{argument}={{", pairs, "}", " " * 8).strip()] if pairs else []
        call += ["body=body"] if body else []
        call += ["signed=False"] if operation.get("security") == [] else []
        call += [f'items="{items}"'] if items else []
        return Method(name, f"{operation['summary']} ({verb} {path})", arguments + (["*", *keywords] if keywords else []),
                      answer, kind, call)

    def calls(self) -> str:
        imports = ["", "from berth import models", "from berth.call import Call, Pages, Stream, segment"]
        return module("What every operation of the API asks, as data.", imports, [method.source() for method in self.methods])

    def source(self) -> str:
        imports = ["from berth import calls, client"]
        return module("A method for every operation of the API, once for each of the two clients.", imports, [
            f"class {prefix}Client(client.Base{prefix}Client):\n" + "\n".join(
                f"    {method.name} = client.{prefix.lower()}{'_' * bool(prefix)}{method.kind.lower()}(calls.{method.name})"
                for method in self.methods)
            for prefix in ("", "Async")])


def module(title: str, imports: list[str], definitions: list[str]) -> str:
    body = "\n\n\n".join(definition.rstrip() for definition in definitions) + "\n"
    standard = []
    for library, names in STANDARD.items():
        used = [name for name in names if re.search(rf"\b{name}\b", body)]
        standard += [f"from {library} import {', '.join(used)}"] if used else []
    head = [docstring(title), "# Generated by ops/python/generate.py from controller/api/openapi.json.\n",
            "from __future__ import annotations\n", *standard, *imports]
    return "\n".join(head) + "\n\n\n" + body


def render(document: Schema) -> dict[str, str]:
    """File below berth/ -> its text."""
    models = Models(document["components"]["schemas"])
    for name, schema in models.schemas.items():
        models.define(name, schema)
    operations = Operations(document, models)
    return {"models.py": models.source(), "calls.py": operations.calls(), "operations.py": operations.source()}


def main() -> None:
    for name, text in render(json.loads(DOCUMENT.read_text(encoding="utf-8"))).items():
        (HERE / "berth" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
