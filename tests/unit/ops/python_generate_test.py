"""The generator of the Python client: what it wrote is up to date, and it copes with what OpenAPI documents hold."""

import os
import sys
import types
import typing
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support"), os.path.join(ROOT, "ops", "python")]

import generate
import unittest_report

GET = {"operationId": "getThing", "summary": "A thing"}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def answers(kind, schema):
    return {"200": {"content": {kind: {"schema": schema}}}, "default": {"$ref": "#/components/responses/Problem"}}


def thing(**fields):
    return {"type": "object", "properties": fields, "required": list(fields)}


def rendered(schemas=None, **paths):
    """Operations by path, its slash left out."""
    document = {"components": {"schemas": schemas or {}}, "paths": {f"/{path}": verbs for path, verbs in paths.items()}}
    return generate.render(document)


def models(schemas):
    """As a module that was imported."""
    module = types.ModuleType("models_of_a_test")
    sys.modules[module.__name__] = module
    exec(compile(rendered(schemas)["models.py"], "models", "exec"), module.__dict__)
    return module


def hints(schemas, name):
    return typing.get_type_hints(getattr(models(schemas), name), include_extras=True)


def calls(schemas=None, **paths):
    source = rendered(schemas, **paths)["calls.py"]
    compile(source, "calls", "exec")
    return " ".join(source.split())  # however its lines are broken


def methods(schemas=None, **paths):
    source = rendered(schemas, **paths)["operations.py"]
    compile(source, "operations", "exec")
    return source.splitlines()


class Generator(unittest.TestCase):
    def test_what_it_wrote_is_up_to_date_with_the_document(self):
        document = generate.json.loads(generate.DOCUMENT.read_text(encoding="utf-8"))
        for name, text in generate.render(document).items():
            written = (generate.HERE / "berth" / name).read_text(encoding="utf-8")
            self.assertEqual(written, text, f"run ops/python/generate.py: {name} is not of this openapi.json")

    def test_a_field_that_need_not_be_there_is_not_required(self):
        found = hints({"T": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}}, "required": ["a"]}}, "T")
        self.assertEqual(found, {"a": int, "b": typing.NotRequired[bool]})

    def test_null_is_none_in_types_oneOf_and_objects(self):
        found = hints({"N": {"type": ["object", "null"], "properties": {}},
                       "T": thing(a={"type": ["string", "null"]}, b={"oneOf": [{"type": "null"}, {"type": "integer"}]}, c=ref("N"))}, "T")
        self.assertEqual((found["a"], found["b"]), (str | None, int | None))
        self.assertIn(type(None), typing.get_args(found["c"]))

    def test_values_of_an_enum_are_literals(self):
        found = hints({"T": thing(a={"type": "string", "enum": ["x", "y"]}, b={"type": "string", "const": "z"})}, "T")
        self.assertEqual(found, {"a": typing.Literal["x", "y"], "b": typing.Literal["z"]})

    def test_objects_inside_others_get_names_of_their_place(self):
        made = models({"T": thing(rows={"type": "array", "items": thing(a={"type": "string"})}, by_name={
            "type": "object", "additionalProperties": thing(b={"type": "string"})})})
        self.assertEqual(typing.get_type_hints(made.T), {"rows": list[made.TRowsItem], "by_name": dict[str, made.TByNameValue]})

    def test_a_field_may_be_called_as_a_word_of_python(self):
        self.assertEqual(hints({"T": {**thing(**{"from": ref("U")})}, "U": thing(a={"type": "string"})}, "T")["from"].__name__, "U")

    def test_a_type_may_be_named_before_it_is_defined(self):
        self.assertEqual(str(models({"A": {"type": "array", "items": ref("B")}, "B": {"type": "string"}}).A), "list[B]")

    def test_what_it_does_not_understand_it_refuses(self):
        with self.assertRaisesRegex(ValueError, "T: allOf"):
            rendered({"T": {"allOf": [ref("U")]}})

    def test_texts_of_the_document_cannot_leave_their_string(self):
        calls(things={"get": {**GET, "summary": 'says """ and \\', "responses": {"204": {}}}})

    def test_each_verb_has_a_method_in_both_clients(self):
        body = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
        paths = {"things/{id}": {verb: {
            "operationId": f"{verb}Thing", "summary": "", "requestBody": body, "responses": {"204": {}},
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]} for verb in ("put", "patch")}}
        for verb in ("put", "patch"):
            self.assertIn(f"    {verb}_thing = client.call(calls.{verb}_thing)", methods(**paths))
            self.assertIn(f"    {verb}_thing = client.async_call(calls.{verb}_thing)", methods(**paths))
            self.assertIn(f'def {verb}_thing(id: str, body: dict[str, Any]) -> Call[None]: """({verb.upper()} /things/{{id}})""" '
                          f'return Call("{verb.upper()}", f"/things/{{segment(id)}}", body=body)', calls(**paths))

    def test_an_answer_is_of_any_type_that_succeeds(self):
        source = calls({"A": thing(), "B": thing()}, things={"get": {**GET, "responses": {
            "201": answers("application/json", ref("A"))["200"], "200": answers("application/json", {"oneOf": [ref("A"), ref("B")]})["200"],
            "401": answers("application/json", {"type": "integer"})["200"]}}})
        self.assertIn("def get_thing() -> Call[models.A | models.B]:", source)

    def test_text_is_str_and_other_bodies_are_bytes(self):
        self.assertIn("def get_thing() -> Call[str]:", calls(things={"get": {**GET, "responses": answers("text/plain", {"type": "string"})}}))
        self.assertIn("def get_thing() -> Call[bytes]:", calls(things={"get": {**GET, "responses": answers("image/png", {})}}))

    def test_an_operation_without_security_is_not_signed(self):
        self.assertIn('Call("GET", "/things", signed=False)', calls(things={"get": {**GET, "security": [], "responses": {"204": {}}}}))

    def test_a_stream_alone_takes_the_name_of_the_operation(self):
        paths = {"things": {"get": {**GET, "operationId": "watchThings", "responses": answers("text/event-stream", {"type": "string"})}}}
        self.assertIn("def watch_things() -> Stream:", calls(**paths))
        self.assertIn("    watch_things = client.stream(calls.watch_things)", methods(**paths))
        self.assertIn("    watch_things = client.async_stream(calls.watch_things)", methods(**paths))

    def test_a_list_has_an_iterator_of_its_items(self):
        page = thing(things={"type": "array", "items": ref("T")}, next_page_token={"type": ["string", "null"]})
        document = {"T": thing(), "Page": page}, {"things": {"get": {
            **GET, "operationId": "listThings", "responses": answers("application/json", ref("Page")),
            "parameters": [{"name": "from", "in": "query", "schema": {"type": "integer"}},
                           {"name": "page_token", "in": "query", "schema": {"type": "string"}}]}}}
        source = calls(document[0], **document[1])
        self.assertIn("def list_things(*, from_: int | None = None, page_token: str | None = None) -> Call[models.Page]:", source)
        self.assertIn("def iter_things(*, from_: int | None = None) -> Pages[models.T]:", source)
        self.assertIn('return Pages("GET", "/things", query={"from": from_}, items="things")', source)
        self.assertIn("    iter_things = client.pages(calls.iter_things)", methods(document[0], **document[1]))

    def test_a_dry_run_is_a_method_of_its_own(self):
        source = calls({"Made": thing(), "DryRun": thing()}, things={"post": {
            "operationId": "makeThings", "summary": "Make", "responses": answers("application/json", {"oneOf": [ref("Made"), ref("DryRun")]}),
            "parameters": [{"name": "dry_run", "in": "query", "schema": {"type": "boolean"}}]}})
        self.assertIn('def make_things() -> Call[models.Made]: """Make (POST /things)""" return Call("POST", "/things")', source)
        self.assertIn('def try_make_things() -> Call[models.DryRun]: """Make (POST /things)""" '
                      'return Call("POST", "/things", query={"dry_run": True})', source)


if __name__ == "__main__":
    unittest_report.run(Generator)
