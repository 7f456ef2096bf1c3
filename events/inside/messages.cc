#include "events/inside/messages.h"

#include <algorithm>
#include <charconv>

#include "events/inside/fields.h"
#include "events/inside/frames.h"

namespace berth::inside {
namespace {

// In the order of Request::What, and of AppState.
constexpr const char* kWords[] = {"exec",    "shell", "shells", "shell-end", "pack",   "unpack",
                                  "connect", "app",   "apps",   "app-end",   "egress", "losses"};
constexpr const char* kStates[] = {"starting", "ready", "ended"};

template <class Number> bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= kNameMax && std::all_of(text.begin(), text.end(), fits);
}

bool is_size(const Size& size) {
  constexpr std::uint16_t kMost = 1000;
  return size.columns >= 1 && size.columns <= kMost && size.rows >= 1 && size.rows <= kMost;
}

bool is_byte(int number) { return number >= 0 && number <= 255; }

bool is_variable(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  return equals != std::string::npos && equals > 0;
}

bool is_variable_name(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return text.size() <= kNameMax && (text[0] < '0' || text[0] > '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

// A program's arguments end at a zero byte: what stands behind it would be lost.
bool has_zero(const std::string& text) { return text.find('\0') != std::string::npos; }

std::size_t bytes_in(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + 1;
  return bytes;
}

// False: the value is damaged. A field of another name is of a newer agent: it asks for nothing that must be.
bool take_field(const std::string& name, const std::string& value, Request& request) {
  if (name == "columns") return read_number(value, request.size.columns);
  if (name == "rows") return read_number(value, request.size.rows);
  if (name == "port") return read_number(value, request.port);
  if (name == "name")
    request.name = value;
  else if (name == "existing")
    request.existing = value == "1";
  else if (name == "arg")
    request.args.push_back(value);
  else if (name == "env")
    request.env.push_back(value);
  else if (name == "cwd")
    request.cwd = value;
  else if (name == "path")
    request.path = value;
  else if (name == "socket")
    request.socket = value;
  else if (name == "token_variable")
    request.token_variable = value;
  else if (name == "terminal")
    request.terminal = value == "1";
  return true;
}

bool is_path(const std::string& text) { return !text.empty() && text.size() <= kPathMax && !has_zero(text); }

bool is_socket(const std::string& text) {
  return text.size() > 1 && text.size() <= kSocketMax && text.front() == '/' && text.back() != '/' &&
         !has_zero(text);
}

// What is wrong with where an app is to listen, and with what it is told.
std::optional<Problem> check_app(const Request& request) {
  if (is_port_of_berth(request.port))
    return Problem{"port-refused",
                   "port " + std::to_string(request.port) + " is Berth's own, and no app listens there"};
  if (!request.socket.empty() && (request.port != 0 || !is_socket(request.socket)))
    return Problem{"socket-wrong",
                   "the socket of an app without a port is an absolute path of at most 107 bytes"};
  if (!request.token_variable.empty() && !is_variable_name(request.token_variable))
    return Problem{"variable-wrong", "the variable of a token has at most 64 letters, digits and '_'"};
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check(const Request& request) {
  using What = Request::What;
  const bool starts = request.what == What::kExec || (request.what == What::kApp && !request.existing);
  if (starts && (request.args.empty() || request.args[0].empty()))
    return Problem{"arguments-missing", "no program is named"};
  if (bytes_in(request.args) + bytes_in(request.env) + request.cwd.size() > kArgumentsMax)
    return Problem{"arguments-too-long", "arguments and variables may have 128 KiB together"};
  const bool named = request.what == What::kShell || request.what == What::kShellEnd ||
                     request.what == What::kApp || request.what == What::kAppEnd ||
                     (request.what == What::kConnect && request.port == 0);
  if (named && !is_name(request.name))
    return Problem{"name-wrong",
                   "the name of a shell or an app is 1 to 64 letters, digits, '-', '_' and '.'"};
  if (request.what == What::kApp)
    if (auto problem = check_app(request)) return problem;
  if (request.what == What::kEgress && request.port == 0)
    return Problem{"port-refused", "no port is named on which the kernel's way out listens"};
  const bool copies = request.what == What::kPack || request.what == What::kUnpack;
  if (copies && !is_path(request.path))
    return Problem{"path-wrong", "a path has 1 to 4096 bytes, none of them zero"};
  if (!is_size(request.size)) return Problem{"size-wrong", "a terminal has 1 to 1000 columns and rows"};
  if (!std::all_of(request.env.begin(), request.env.end(), is_variable))
    return Problem{"variable-wrong", "a variable is given as NAME=value"};
  if (has_zero(request.cwd) || std::any_of(request.args.begin(), request.args.end(), has_zero) ||
      std::any_of(request.env.begin(), request.env.end(), has_zero))
    return Problem{"request-damaged", "an argument has a zero byte in it"};
  return std::nullopt;
}

std::string app_socket(std::string_view name) { return "/tmp/.berth/" + std::string(name) + ".sock"; }

bool is_port_of_berth(std::uint16_t port) {
  constexpr std::uint16_t kPorts[] = {2000, 2001, 2200, 7681};
  return std::find(std::begin(kPorts), std::end(kPorts), port) != std::end(kPorts);
}

std::string encode(const Request& request) {
  Fields fields{{"request", kWords[static_cast<std::size_t>(request.what)]},
                {"name", request.name},
                {"existing", request.existing ? "1" : "0"},
                {"cwd", request.cwd},
                {"path", request.path},
                {"terminal", request.terminal ? "1" : "0"},
                {"columns", std::to_string(request.size.columns)},
                {"rows", std::to_string(request.size.rows)},
                {"port", std::to_string(request.port)},
                {"socket", request.socket},
                {"token_variable", request.token_variable}};
  for (const std::string& arg : request.args) fields.emplace_back("arg", arg);
  for (const std::string& entry : request.env) fields.emplace_back("env", entry);
  return encode_fields(fields);
}

bool append_request(std::string& out, const Request& request) {
  const std::string bytes = encode(request);
  if (bytes.size() > kRequestMax) return false;
  std::string_view rest = bytes;
  for (; rest.size() > kFrameMax; rest.remove_prefix(kFrameMax))
    append_frame(out, FrameType::kRequestPart, rest.substr(0, kFrameMax));
  append_frame(out, FrameType::kRequest, rest);
  return true;
}

std::optional<Problem> decode(std::string_view bytes, Request& request) {
  const auto fields = decode_fields(bytes);
  if (!fields || fields->empty() || fields->front().first != "request")
    return Problem{"request-damaged", "the request cannot be read"};
  const auto* const word = std::find(std::begin(kWords), std::end(kWords), fields->front().second);
  if (word == std::end(kWords))
    return Problem{"unknown-request",
                   "this kernel's helper does not know the request: it is of an older version"};
  request.what = static_cast<Request::What>(word - std::begin(kWords));
  for (const auto& [name, value] : *fields)
    if (!take_field(name, value, request))
      return Problem{"request-damaged", "the value of '" + name + "' cannot be read"};
  return check(request);
}

std::string encode(const Size& size) {
  return encode_fields({{"columns", std::to_string(size.columns)}, {"rows", std::to_string(size.rows)}});
}

std::string encode(const Begun& begun) {
  Fields fields{{"scrollback", std::to_string(begun.scrollback)},
                {"lost", std::to_string(begun.lost)},
                {"made", begun.made ? "1" : "0"},
                {"restarts", std::to_string(begun.restarts)}};
  if (!begun.token.empty()) fields.emplace_back("token", begun.token);
  return encode_fields(fields);
}

std::string encode(const ShellEntry& entry) {
  return encode_fields({{"name", entry.name},
                        {"command", entry.command},
                        {"started_at", std::to_string(entry.started_at)},
                        {"clients", std::to_string(entry.clients)}});
}

std::string encode(const AppEntry& entry) {
  return encode_fields({{"name", entry.name},
                        {"state", kStates[static_cast<std::size_t>(entry.state)]},
                        {"port", std::to_string(entry.port)},
                        {"started_at", std::to_string(entry.started_at)},
                        {"restarts", std::to_string(entry.restarts)},
                        {"code", std::to_string(entry.code)},
                        {"signal", std::to_string(entry.signal)},
                        {"log", entry.log}});
}

std::string encode(const LossSum& sum) {
  return encode_fields({{"files", std::to_string(sum.files)},
                        {"bytes", std::to_string(sum.bytes)},
                        {"complete", sum.complete ? "1" : "0"}});
}

std::string encode(const LossEntry& entry) {
  return encode_fields({{"path", entry.path}, {"bytes", std::to_string(entry.bytes)}});
}

std::string encode(const Ended& ended) {
  return encode_fields({{"code", std::to_string(ended.code)}, {"signal", std::to_string(ended.signal)}});
}

std::string encode(const Problem& problem) {
  return encode_fields({{"code", problem.code}, {"message", problem.message}});
}

std::string encode_lost(std::uint64_t bytes) { return encode_fields({{"bytes", std::to_string(bytes)}}); }

namespace {

// It becomes part of a header: nothing else may stand in it.
bool is_token(std::string_view text) {
  return text.size() == kTokenSize && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// The values of fields, taken by `take(name, value)`, which says whether a value is good.
template <class Value, class Take> std::optional<Value> decode_into(std::string_view bytes, Take take) {
  const auto fields = decode_fields(bytes);
  if (!fields) return std::nullopt;
  Value into;
  for (const auto& [name, value] : *fields)
    if (!take(into, name, value)) return std::nullopt;
  return into;
}

}  // namespace

std::optional<Size> decode_size(std::string_view bytes) {
  const auto size = decode_into<Size>(bytes, [](Size& into, const auto& name, const auto& value) {
    if (name == "columns") return read_number(value, into.columns);
    return name != "rows" || read_number(value, into.rows);
  });
  return size && is_size(*size) ? size : std::nullopt;
}

std::optional<Begun> decode_begun(std::string_view bytes) {
  return decode_into<Begun>(bytes, [](Begun& into, const auto& name, const auto& value) {
    if (name == "scrollback") return read_number(value, into.scrollback);
    if (name == "lost") return read_number(value, into.lost);
    if (name == "restarts") return read_number(value, into.restarts);
    if (name == "made") into.made = value == "1";
    if (name != "token") return true;
    into.token = value;
    return is_token(value);
  });
}

std::optional<ShellEntry> decode_shell(std::string_view bytes) {
  const auto entry =
      decode_into<ShellEntry>(bytes, [](ShellEntry& into, const auto& name, const auto& value) {
        if (name == "started_at") return read_number(value, into.started_at);
        if (name == "clients") return read_number(value, into.clients);
        if (name == "name")
          into.name = value;
        else if (name == "command")
          into.command = value;
        return true;
      });
  return entry && is_name(entry->name) ? entry : std::nullopt;
}

std::optional<AppEntry> decode_app(std::string_view bytes) {
  auto entry = decode_into<AppEntry>(bytes, [](AppEntry& into, const auto& name, const auto& value) {
    if (name == "port") return read_number(value, into.port);
    if (name == "started_at") return read_number(value, into.started_at);
    if (name == "restarts") return read_number(value, into.restarts);
    if (name == "code") return read_number(value, into.code);
    if (name == "signal") return read_number(value, into.signal);
    if (name == "name")
      into.name = value;
    else if (name == "log")
      into.log = value;
    if (name != "state") return true;
    const auto* const state = std::find(std::begin(kStates), std::end(kStates), value);
    into.state = static_cast<AppState>(state - std::begin(kStates));
    return state != std::end(kStates);
  });
  const bool good = entry && is_name(entry->name) && is_byte(entry->code) && is_byte(entry->signal);
  return good ? std::move(entry) : std::nullopt;
}

std::optional<LossSum> decode_loss_sum(std::string_view bytes) {
  const auto sum = decode_into<LossSum>(bytes, [](LossSum& into, const auto& name, const auto& value) {
    if (name == "files") return read_number(value, into.files);
    if (name == "bytes") return read_number(value, into.bytes);
    if (name == "complete") into.complete = value == "1";
    return true;
  });
  return sum && sum->files <= kLossNumberMax && sum->bytes <= kLossNumberMax ? sum : std::nullopt;
}

std::optional<LossEntry> decode_loss(std::string_view bytes) {
  auto entry = decode_into<LossEntry>(bytes, [](LossEntry& into, const auto& name, const auto& value) {
    if (name == "bytes") return read_number(value, into.bytes);
    if (name == "path") into.path = value;
    return true;
  });
  const bool good = entry && !entry->path.empty() && entry->path.size() <= kLossPathMax &&
                    !has_zero(entry->path) && entry->bytes <= kLossNumberMax;
  return good ? std::move(entry) : std::nullopt;
}

std::optional<Ended> decode_ended(std::string_view bytes) {
  const auto ended = decode_into<Ended>(bytes, [](Ended& into, const auto& name, const auto& value) {
    if (name == "code") return read_number(value, into.code);
    return name != "signal" || read_number(value, into.signal);
  });
  return ended && is_byte(ended->code) && is_byte(ended->signal) ? ended : std::nullopt;
}

std::optional<Problem> decode_problem(std::string_view bytes) {
  return decode_into<Problem>(bytes, [](Problem& into, const auto& name, const auto& value) {
    if (name == "code")
      into.code = value;
    else if (name == "message")
      into.message = value;
    return true;
  });
}

std::optional<std::uint64_t> decode_lost(std::string_view bytes) {
  return decode_into<std::uint64_t>(bytes, [](std::uint64_t& into, const auto& name, const auto& value) {
    return name != "bytes" || read_number(value, into);
  });
}

}  // namespace berth::inside
