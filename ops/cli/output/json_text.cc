#include "ops/cli/output/json_text.h"

#include <charconv>
#include <cstdio>

#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// JSON has no control characters outside its strings, and its writer escapes those of ASCII.
std::string escaped(std::string_view json) {
  return replaced(json, [](std::uint32_t point) {
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", point);
    return std::string(text);
  });
}

std::string quoted(std::string_view text) {
  return escaped(json::serialize(json::string_view(text.data(), text.size())));
}

void print(const json::value& value, const std::string& indent, std::string& out) {
  const std::string deeper = indent + "  ";
  if (value.is_object() && !value.get_object().empty()) {
    out += "{";
    const char* separator = "\n";
    for (const auto& [key, member] : value.get_object()) {
      out += separator + deeper + quoted({key.data(), key.size()}) + ": ";
      print(member, deeper, out);
      separator = ",\n";
    }
    out += "\n" + indent + "}";
  } else if (value.is_array() && !value.get_array().empty()) {
    out += "[";
    const char* separator = "\n";
    for (const auto& element : value.get_array()) {
      out += separator + deeper;
      print(element, deeper, out);
      separator = ",\n";
    }
    out += "\n" + indent + "]";
  } else {
    out += one_line_json(value);
  }
}

bool is_empty_container(const json::value& value) {
  return (value.is_object() && value.get_object().empty()) || (value.is_array() && value.get_array().empty());
}

// YAML 1.2 takes any JSON string as a scalar; bare only what cannot be read as something else.
std::string yaml_scalar(const json::value& value) {
  if (!value.is_string()) return json::serialize(value);
  const std::string text(value.get_string());
  bool bare = !text.empty() &&
              ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') || text[0] == '/');
  for (const char c : text)
    bare = bare && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                    c == '_' || c == '.' || c == '/');
  for (const char* word :
       {"true", "false", "null",  "yes",  "no",  "on", "off", "True", "False", "Null", "Yes", "No", "On",
        "Off",  "TRUE",  "FALSE", "NULL", "YES", "NO", "ON",  "OFF",  "y",     "n",    "Y",   "N"})
    bare = bare && text != word;
  return bare ? text : quoted(text);
}

void print_yaml(const json::value& value, const std::string& indent, bool after_dash, std::string& out) {
  const auto child = [&](const json::value& member, const std::string& deeper) {
    if (is_empty_container(member) || (!member.is_object() && !member.is_array())) {
      out += " " + yaml_scalar(member) + "\n";
    } else {
      out += "\n";
      print_yaml(member, deeper, false, out);
    }
  };
  bool first = true;
  if (value.is_object()) {
    for (const auto& [key, member] : value.get_object()) {
      out += (first && after_dash ? "" : indent) + yaml_scalar(json::value(key)) + ":";
      child(member, indent + "  ");
      first = false;
    }
  } else if (value.is_array()) {
    for (const auto& element : value.get_array()) {
      out += (first && after_dash ? "" : indent) + "-";
      first = false;
      if (element.is_object() && !element.get_object().empty()) {
        out += " ";
        print_yaml(element, indent + "  ", true, out);
      } else {
        child(element, indent + "  ");
      }
    }
  }
}

}  // namespace

std::string one_line_json(const json::value& value) { return escaped(json::serialize(value)); }

std::string pretty_json(const json::value& value) {
  std::string out;
  print(value, "", out);
  return out;
}

std::string to_yaml(const json::value& value) {
  if (is_empty_container(value) || (!value.is_object() && !value.is_array()))
    return yaml_scalar(value) + "\n";
  std::string out;
  print_yaml(value, "", false, out);
  return out;
}

const json::value* find_path(const json::value& value, std::string_view path) {
  const json::value* at = &value;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const auto name = path.substr(0, dot);
    if (!at->is_object()) return nullptr;
    at = at->get_object().if_contains({name.data(), name.size()});
    if (at == nullptr) return nullptr;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return at;
}

std::string scalar_text(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_null() || value.is_object() || value.is_array()) return {};
  return json::serialize(value);
}

Code code_at(const json::value& value, std::string_view path) { return Code::told(text_at(value, path)); }

std::string text_at(const json::value& value, std::string_view path) {
  const auto* found = find_path(value, path);
  return found == nullptr ? std::string() : scalar_text(*found);
}

std::int64_t integer_at(const json::value& value, std::string_view path) {
  const std::string text = text_at(value, path);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool true_at(const json::value& value, std::string_view path) {
  const auto* found = find_path(value, path);
  return found != nullptr && found->is_bool() && found->get_bool();
}

const json::array& array_at(const json::value& value, std::string_view path) {
  static const json::array none;
  const auto* found = find_path(value, path);
  return found == nullptr || !found->is_array() ? none : found->get_array();
}

}  // namespace berth::cli
