#include "ops/cli/session/inside_talk.h"

#include <algorithm>

#include <boost/json.hpp>

#include "ops/cli/output/json_text.h"
#include "ops/cli/problem_codes.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// The first byte of a binary message.
constexpr char kOfStdout = 1;
constexpr char kOfStderr = 2;

Failure not_berth(const std::string& why) {
  return {kFailed,
          kNotBerthCode,
          "this is no message of Berth: " + why,
          "is the address right (berth config show --origin), and no proxy or portal in between?",
          {}};
}

json::object environment_of(const inside::Request& request) {
  json::object environment;
  for (const std::string& variable : request.env) {
    const auto equals = variable.find('=');
    environment[variable.substr(0, equals)] =
        equals == std::string::npos ? std::string() : variable.substr(equals + 1);
  }
  return environment;
}

// As the same problems exit where an HTTP reply has them.
ExitCode exit_of_problem(Code code) {
  struct Row {
    Code code;
    ExitCode exit;
  };
  static constexpr Row kRows[] = {
      {"session-ended", kConflict},
      {"session-not-running", kConflict},
      {"kernel-not-open", kConflict},
      {"channel-closed", kConflict},
      {"too-many-shells", kConflict},
      {"too-many-programs", kConflict},
      {"too-many-apps", kConflict},
      {"app-ended", kConflict},
      {"app-in-terminal", kConflict},
      {"app-not-started-here", kConflict},
      {"port-not-open", kConflict},
      {"not-for-this-backend", kConflict},
      {"signed-out", kDenied},
      {"access-lost", kDenied},
      {"denied", kDenied},
      {"key-read-only", kDenied},
      {kAgentUnreachable, kUnreachable},
      {kStopping, kUnreachable},
      {"agent-busy", kUnreachable},
      {"kernel-busy", kUnreachable},
      {"port-busy", kUnreachable},
      {"unknown-kernel", kNotFound},
      {"unknown-session", kNotFound},
      {"not-found", kNotFound},
      {kNoSuchShell, kNotFound},
      {kNoSuchApp, kNotFound},
      {"unknown-app", kNotFound},
      {"arguments-missing", kUsage},
      {"arguments-too-long", kUsage},
      {"name-wrong", kUsage},
      {"size-wrong", kUsage},
      {"variable-wrong", kUsage},
      {"folder-not-usable", kUsage},
      {"path-wrong", kUsage},
      {"not-a-folder", kUsage},
      {"not-copyable", kUsage},
      {"several-at-top", kUsage},
      {"program-not-found", kProgramNotFound},
      {"program-not-runnable", kProgramNotRunnable},
  };
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [code](const Row& one) { return one.code == code; });
  return row == std::end(kRows) ? kFailed : row->exit;
}

std::optional<std::uint64_t> count_in(const json::value& value) {
  std::uint64_t count = 0;
  if (const auto* number = value.if_int64(); number != nullptr && *number >= 0)
    count = static_cast<std::uint64_t>(*number);
  else if (const auto* large = value.if_uint64())
    count = *large;
  else
    return std::nullopt;
  return count;
}

// 0 if it is missing: a later server may leave out what is 0.
std::uint64_t count_at(const json::value& value, std::string_view path) {
  const auto* found = find_path(value, path);
  return found == nullptr ? 0 : count_in(*found).value_or(0);
}

inside::Begun begun_in(const json::value& said) {
  inside::Begun begun;
  begun.made = true_at(said, "made");
  begun.scrollback = count_at(said, "scrollback");
  begun.lost = count_at(said, "lost");
  begun.restarts =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(count_at(said, "restarts"), UINT32_MAX));
  return begun;
}

Failure problem_in(const json::value& said) {
  Failure failure;
  failure.code = code_at(said, "code");
  failure.message = text_at(said, "message");
  failure.hint = text_at(said, "hint");
  failure.exit = exit_of_problem(failure.code);
  return failure;
}

Outcome<Heard> heard_in_text(const std::string& text) {
  boost::system::error_code error;
  const json::value said = json::parse(text, error);
  if (error || !said.is_object() || said.get_object().size() != 1)
    return not_berth("a text is no JSON of one member");
  const auto& [name, value] = *said.get_object().begin();
  if (name == "lost") {
    const auto bytes = count_in(value);
    return bytes ? Outcome<Heard>(inside::Lost{*bytes}) : not_berth("'lost' is no count");
  }
  if (!value.is_object()) return not_berth("'" + std::string(name) + "' is no object");
  if (name == "begun") return Heard(begun_in(value));
  if (name == "problem") return Heard(problem_in(value));
  if (name != "ended") return not_berth("nobody knows '" + std::string(name) + "'");
  const auto* exit_code = find_path(value, "exit_code");
  const auto code = exit_code == nullptr ? std::nullopt : count_in(*exit_code);
  const auto signal = count_at(value, "signal");
  if (!code || *code > 255 || signal > 127) return not_berth("'ended' has no exit code from 0 to 255");
  return Heard(inside::Ended{static_cast<int>(*code), static_cast<int>(signal)});
}

}  // namespace

Outcome<SocketMessage> first_message(const inside::Request& request) {
  json::object said;
  if (request.what == inside::Request::What::kPack) said["from"] = request.path;
  if (request.what == inside::Request::What::kUnpack) said["to"] = request.path;
  if (!request.args.empty()) said["command"] = json::array(request.args.begin(), request.args.end());
  if (!request.env.empty()) said["environment"] = environment_of(request);
  if (!request.cwd.empty()) said["folder"] = request.cwd;
  if (request.what == inside::Request::What::kShell) {
    said["name"] = request.name;
    said["existing"] = request.existing;
  }
  if (request.what == inside::Request::What::kExec) said["terminal"] = request.terminal;
  if (request.terminal) {
    said["columns"] = request.size.columns;
    said["rows"] = request.size.rows;
  }
  std::string text = json::serialize(said);
  boost::system::error_code error;
  json::parse(text, error);
  if (error) return usage_failure("command, variables, folder and path are to be UTF-8");
  return SocketMessage{false, std::move(text)};
}

SocketMessage size_message(inside::Size size) {
  return {false, json::serialize(json::object{{"columns", size.columns}, {"rows", size.rows}})};
}

SocketMessage end_of_input_message() { return {false, R"({"end_of_input":true})"}; }

Outcome<Heard> heard_in(SocketMessage message) {
  if (!message.binary) return heard_in_text(message.bytes);
  const char of = message.bytes.empty() ? '\0' : message.bytes.front();
  if (of != kOfStdout && of != kOfStderr) return not_berth("bytes are of neither stdout nor stderr");
  message.bytes.erase(0, 1);
  if (of == kOfStdout) return Heard(inside::Out{std::move(message.bytes)});
  return Heard(inside::Err{std::move(message.bytes)});
}

int exit_code_of(const inside::Ended& ended) { return ended.signal == 0 ? ended.code : 128 + ended.signal; }

}  // namespace berth::cli
