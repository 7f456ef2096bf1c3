#include "events/logs/json_line.h"

#include <ctime>

#include "events/codec/utf8.h"
#include "events/logs/log_scope.h"

namespace berth {
namespace {

std::string time_text(spdlog::log_clock::time_point when) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(since / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string thousandths = std::to_string(1000 + since % 1000);
  return std::string(text, length) + "." + thousandths.substr(1) + "Z";
}

void add_field(std::string& line, std::string_view name, std::string_view value) {
  line += line.size() == 1 ? "" : ",";
  line += json_quoted(name) + ":" + json_quoted(value);
}

}  // namespace

std::string json_quoted(std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : shown_as_utf8(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    else
      out += c;
  }
  return out + '"';
}

void JsonLines::format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
  const auto level = spdlog::level::to_string_view(message.level);
  std::string line = "{";
  add_field(line, "time", time_text(message.time));
  add_field(line, "level", {level.data(), level.size()});
  add_field(line, "program", {message.logger_name.data(), message.logger_name.size()});
  add_field(line, "msg", {message.payload.data(), message.payload.size()});
  for (const auto& [name, value] : LogScope::fields()) add_field(line, name, value);
  line += "}\n";
  out.append(line.data(), line.data() + line.size());
}

}  // namespace berth
