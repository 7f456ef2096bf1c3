#include "controller/api/inside/messages.h"

#include <algorithm>
#include <utility>

#include "controller/api/map/json_reader.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using inside::Request;

constexpr std::string_view kAppStates[] = {"starting", "ready", "ended"};
constexpr std::size_t kArgumentsCountMax = 16'384;
constexpr std::size_t kVariablesCountMax = 4'096;
constexpr std::int64_t kSideMax = 1000;  // columns or rows
constexpr char kOut = 1;                 // first byte of stdout, or of the terminal
constexpr char kErr = 2;

Error invalid_message(std::string message, std::string hint) {
  if (hint.empty()) hint = "the API's description has the messages of this stream";
  return make_error(kMessageInvalid, std::move(message), std::move(hint));
}

// Reads a text that is one object with `read`, and says that nothing else may stand in it.
template <class Read> std::optional<Error> misread(std::string_view text, Read read) {
  if (text.empty()) return invalid_message("the message is empty", "");
  const auto object = parse_body(text);
  if (!object.ok()) {
    constexpr std::string_view kBody = "the body";
    std::string why = object.error().message;
    if (why.starts_with(kBody)) why.replace(0, kBody.size(), "the message");
    return invalid_message(std::move(why), object.error().hint);
  }
  Errors errors;
  ObjectReader reader(*object, "", errors);
  read(reader);
  reader.finish();
  if (errors.empty()) return std::nullopt;
  const Problem problem = std::move(errors).take();
  return invalid_message(problem.detail, problem.hint);
}

std::uint16_t read_side(ObjectReader& in, std::string_view name, std::uint16_t absent) {
  return static_cast<std::uint16_t>(in.integer(name, 1, kSideMax).value_or(absent));
}

std::vector<std::string> read_arguments(ObjectReader& in, std::string_view name) {
  const auto* texts = in.array(name, kArgumentsCountMax);
  if (texts == nullptr) return {};
  return texts_of(*texts, in.place_of(name), inside::kArgumentsMax, in.errors());
}

void read_environment(ObjectReader& in, Request& request) {
  if (const auto* environment = in.object("environment")) {
    if (environment->size() > kVariablesCountMax)
      in.fail("invalid-value", "environment", "has more than 4096 variables");
    for (const auto& [name, value] :
         text_pairs_of(*environment, in.place_of("environment"), inside::kArgumentsMax, in.errors()))
      request.env.push_back(name + "=" + value);
  }
}

// What starts a program.
void read_program(ObjectReader& in, Request& request) {
  request.args = read_arguments(in, "command");
  read_environment(in, request);
  request.cwd = in.text("folder", kTextMax).value_or("");
  request.size = {read_side(in, "columns", request.size.columns), read_side(in, "rows", request.size.rows)};
}

void read_exec(ObjectReader& in, Request& request) {
  request.what = Request::What::kExec;
  read_program(in, request);
  in.require("command", in.raw("command") != nullptr);
  request.terminal = in.boolean("terminal").value_or(false);
}

void read_shell(ObjectReader& in, Request& request) {
  request.what = Request::What::kShell;
  request.name = in.text("name", inside::kNameMax).value_or("main");
  request.existing = in.boolean("existing").value_or(false);
  read_program(in, request);
}

// Which of the two it says is the direction, as the client sees it.
void read_copy(ObjectReader& in, Request& request) {
  const auto from = in.text("from", inside::kPathMax), to = in.text("to", inside::kPathMax);
  request.what = to ? Request::What::kUnpack : Request::What::kPack;
  request.path = to.value_or(from.value_or(""));
  if (from.has_value() == to.has_value() && in.errors().empty())
    in.fail("invalid-value", "from", "or \"to\" must be given, one of the two");
}

void read_what(v1::WayKind kind, ObjectReader& in, Request& request) {
  switch (kind) {
    case v1::WAY_KIND_EXEC: return read_exec(in, request);
    case v1::WAY_KIND_SHELL: return read_shell(in, request);
    case v1::WAY_KIND_COPY: return read_copy(in, request);
    default: return;  // read_app_start() does
  }
}

// By the helper's own rules, asked here, where no agent and no event is needed to say no.
Result<Request> checked(Request request) {
  if (encode(request).size() > inside::kRequestMax)
    return invalid_message("arguments and variables have more than 128 KiB together", "");
  if (const auto problem = inside::check(request)) return invalid_message(problem->message, "");
  return request;
}

Message text_message(const char* name, json::object told) {
  return {true, json::serialize(json::object{{name, std::move(told)}})};
}

struct Says {
  Message operator()(const inside::Begun& begun) const {
    return text_message("begun", {{"made", begun.made},
                                  {"scrollback", begun.scrollback},
                                  {"lost", begun.lost},
                                  {"restarts", begun.restarts}});
  }
  Message operator()(const inside::Out& out) const { return {false, kOut + out.bytes}; }
  Message operator()(const inside::Err& err) const { return {false, kErr + err.bytes}; }
  Message operator()(const inside::Lost& lost) const {
    return {true, json::serialize(json::object{{"lost", lost.bytes}})};
  }
  Message operator()(const inside::ShellEntry&) const { return {}; }
  Message operator()(const inside::LossSum&) const { return {}; }
  Message operator()(const inside::LossEntry&) const { return {}; }
  Message operator()(const inside::AppEntry& app) const {
    return text_message("app", {{"state", name_of(app.state)},
                                {"exit_code", app.code},
                                {"signal", app.signal},
                                {"restarts", app.restarts}});
  }
  Message operator()(const inside::Ended& ended) const {
    return text_message("ended", {{"exit_code", ended.code}, {"signal", ended.signal}});
  }
  Message operator()(const inside::Problem& problem) const {
    return message_of(make_error(Code::told(problem.code), problem.message));
  }
};

}  // namespace

std::string_view name_of(inside::AppState state) { return kAppStates[static_cast<std::size_t>(state)]; }

Result<Request> read_request(v1::WayKind kind, std::string_view text) {
  Request request;
  if (const auto wrong = misread(text, [&](ObjectReader& in) { read_what(kind, in, request); }))
    return *wrong;
  return checked(std::move(request));
}

Result<Request> read_app_start(const ImageApp& app, std::string_view text) {
  Request request;
  request.what = Request::What::kApp;
  request.name = app.name;
  request.args = app.command;
  request.socket = app.socket;
  request.port = app.socket.empty() ? app.port : 0;
  request.token_variable = app.token_variable;
  const auto wrong = misread(text, [&](ObjectReader& in) {
    for (std::string& argument : read_arguments(in, "arguments")) request.args.push_back(std::move(argument));
    read_environment(in, request);
  });
  if (wrong) return *wrong;
  return checked(std::move(request));
}

Result<Told> read_told(std::string_view text) {
  inside::Size size;
  bool ends = false;
  const auto wrong = misread(text, [&](ObjectReader& in) {
    ends = in.raw("end_of_input") != nullptr;
    if (ends) {
      if (!in.boolean("end_of_input").value_or(true))
        in.fail("invalid-value", "end_of_input", "must be true");
      return;
    }
    const auto side = [&in](std::string_view name) {
      in.require(name, in.raw(name) != nullptr);
      return read_side(in, name, 1);
    };
    const std::uint16_t columns = side("columns");
    size = {columns, side("rows")};
  });
  if (wrong) return *wrong;
  return ends ? Told(EndOfInput{}) : Told(size);
}

Message message_of(const inside::Answer& answer) { return std::visit(Says{}, answer); }

Message message_of(const Error& problem) {
  return text_message("problem",
                      {{"code", problem.code.word()}, {"message", problem.message}, {"hint", problem.hint}});
}

}  // namespace berth::controller::api
