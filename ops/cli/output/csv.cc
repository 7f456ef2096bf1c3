// CSV (table.h): the members of JSON objects as fields, RFC 4180.
#include <algorithm>

#include "events/base/csv/csv.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

// A slot's name has dots, so a leaf is found by its names and not by the joined path.
struct Field {
  std::vector<std::string> names;
  std::string title() const {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ".") + name;
    return text;
  }
};

const json::value* find(const json::value& item, const Field& field) {
  const json::value* at = &item;
  for (const auto& name : field.names) {
    at = at->is_object() ? at->get_object().if_contains(name) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Adds the leaves at and below `field` that `fields` does not have.
void add_leaves(const json::value& value, const Field& field, std::vector<Field>& fields) {
  if (value.is_object()) {
    for (const auto& [name, member] : value.get_object()) {
      Field deeper = field;
      deeper.names.emplace_back(name);
      add_leaves(member, deeper, fields);
    }
    return;
  }
  const auto same = [&](const Field& other) { return other.names == field.names; };
  if (std::none_of(fields.begin(), fields.end(), same)) fields.push_back(field);
}

Field parsed(const std::string& path) {
  Field field;
  for (std::size_t at = 0; at <= path.size();) {
    const auto dot = std::min(path.find('.', at), path.size());
    field.names.push_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  return field;
}

// Those of an object are the leaves that some item has; another one is there even where no item has it.
std::vector<Field> fields_of(const json::array& items, const std::vector<std::string>& paths) {
  std::vector<Field> fields;
  for (const auto& path : paths) {
    const Field field = parsed(path);
    std::vector<Field> leaves;
    bool object = false;
    for (const auto& item : items) {
      const auto* value = find(item, field);
      if (value == nullptr || !value->is_object()) continue;
      object = true;
      add_leaves(*value, field, leaves);
    }
    if (!object) leaves = {field};
    const auto by_name = [](const Field& a, const Field& b) { return a.names < b.names; };
    std::sort(leaves.begin(), leaves.end(), by_name);  // the same whichever item comes first
    fields.insert(fields.end(), leaves.begin(), leaves.end());
  }
  return fields;
}

// A list has blanks between its elements; what is deeper stays JSON.
std::string field_text(const json::value* value) {
  if (value == nullptr) return {};
  if (!value->is_array()) return scalar_text(*value);
  std::string text;
  for (const auto& element : value->get_array()) {
    if (element.is_object() || element.is_array()) return json::serialize(*value);
    text += (text.empty() ? "" : " ") + scalar_text(element);
  }
  return text;
}

}  // namespace

std::string csv_text(const json::array& items, const std::vector<std::string>& paths, bool headers) {
  const auto fields = fields_of(items, paths);
  std::string out;
  const auto line = [&](auto&& text) {
    for (std::size_t i = 0; i < fields.size(); ++i) out += (i == 0 ? "" : ",") + csv_field(text(fields[i]));
    out += "\n";
  };
  if (headers) line([](const Field& field) { return field.title(); });
  for (const auto& item : items) line([&](const Field& field) { return field_text(find(item, field)); });
  return out;
}

// An amount below zero is no formula, nor is the sign alone. A text that only begins as one is.
std::string csv_field(const std::string& text) {
  const bool is_negative =
      text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789.", 1) == std::string::npos;
  return csv_quoted(is_like_formula(text) && text.size() > 1 && !is_negative ? "'" + text : text);
}

}  // namespace berth::cli
