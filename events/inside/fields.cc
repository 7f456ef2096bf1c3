#include "events/inside/fields.h"

namespace berth {
namespace {

void append_escaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
}

std::string unescaped(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '\\' || i + 1 == value.size())
      out += value[i];
    else
      out += value[++i] == 'n' ? '\n' : value[i];
  }
  return out;
}

}  // namespace

std::string encode_fields(const Fields& fields) {
  std::string out = "v=1\n";
  for (const auto& [name, value] : fields) {
    out += name;
    out += '=';
    append_escaped(out, value);
    out += '\n';
  }
  out += "end=\n";  // a record without it was cut short
  return out;
}

std::optional<Fields> decode_fields(std::string_view bytes) {
  Fields fields;
  bool first = true;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    if (newline == std::string_view::npos) return std::nullopt;
    const std::string_view line = bytes.substr(0, newline);
    bytes.remove_prefix(newline + 1);
    if (first && line != "v=1") return std::nullopt;
    if (line == "end=" && bytes.empty()) return fields;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    if (!first) fields.emplace_back(line.substr(0, equals), unescaped(line.substr(equals + 1)));
    first = false;
  }
  return std::nullopt;
}

}  // namespace berth
