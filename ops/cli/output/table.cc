#include "ops/cli/output/table.h"

#include <algorithm>

#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr struct {
  const char* name;
  Format format;
} kNamed[] = {{"table", Format::kTable}, {"wide", Format::kWide},   {"json", Format::kJson},
              {"yaml", Format::kYaml},   {"jsonl", Format::kJsonl}, {"name", Format::kName},
              {"csv", Format::kCsv}};

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::string csv(const json::array& items, const std::vector<Column>& columns, bool headers) {
  std::string out;
  const auto line = [&](auto&& field_of) {
    for (std::size_t i = 0; i < columns.size(); ++i)
      out += (i == 0 ? "" : ",") + csv_field(field_of(columns[i]));
    out += "\n";
  };
  if (headers)
    line([](const Column& c) {
      std::string name = c.title;
      for (char& ch : name)
        ch = ch == ' ' ? '_' : ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch - 'A' + 'a') : ch;
      return name;
    });
  for (const auto& item : items) line([&](const Column& c) { return c.text(item); });
  return out;
}

}  // namespace

Outcome<Format> parse_format(std::string_view text) {
  for (const auto& [name, format] : kNamed)
    if (text == name) return format;
  return usage_failure("'" + std::string(text.substr(0, 40)) + "' is no output format",
                       std::string("one of ") + kFormats);
}

Column column(std::string title, std::string path, bool wide) {
  return {std::move(title), [path = std::move(path)](const json::value& item) { return text_at(item, path); },
          wide, false};
}

std::string csv_field(const std::string& text) {
  // A field that begins like a formula would run in a spreadsheet.
  const std::string safe = !text.empty() &&
                                   std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos &&
                                   text.size() > 1 && !(text[0] == '-' && text[1] >= '0' && text[1] <= '9')
                               ? "'" + text
                               : text;
  if (safe.find_first_of("\",\r\n") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string render_table(const std::vector<std::string>& titles,
                         const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right,
                         const Style& style) {
  std::vector<int> widths(titles.size(), 0);
  if (style.headers)
    for (std::size_t i = 0; i < titles.size(); ++i) widths[i] = display_width(titles[i]);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(printable(row[i])));

  std::string out;
  const auto line = [&](const std::vector<std::string>& cells, bool head) {
    std::string text;
    int gap = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = printable(cells[i]);
      const int pad = widths[i] - display_width(cell);
      if (right[i]) gap += pad;
      if (!cell.empty()) text += spaces(gap), gap = 0, text += head ? cell : tinted(cell, style.color);
      gap += (right[i] ? 0 : pad) + 2;
    }
    out += text + "\n";
  };
  if (style.headers) line(titles, true);
  for (const auto& row : rows) line(row, false);
  return out;
}

std::string print_list(const json::array& items, const Listing& listing, const Style& style) {
  std::string out;
  switch (style.format) {
    case Format::kJson: return pretty_json(items) + "\n";
    case Format::kYaml: return to_yaml(items);
    case Format::kJsonl:
      for (const auto& item : items) out += json::serialize(item) + "\n";
      return out;
    case Format::kName:
      for (const auto& item : items) out += printable(text_at(item, listing.name_path)) + "\n";
      return out;
    case Format::kCsv: return csv(items, listing.columns, style.headers);
    case Format::kTable:
    case Format::kWide: break;
  }
  std::vector<std::string> titles;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows(items.size());
  for (const auto& column : listing.columns) {
    if (column.wide && style.format != Format::kWide) continue;
    titles.push_back(column.title);
    right.push_back(column.right);
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::string text = column.text(items[i]);
      rows[i].push_back(text.empty() ? "-" : std::move(text));
    }
  }
  return render_table(titles, rows, right, style);
}

std::string print_one(const json::value& item, const Listing& listing, const Style& style) {
  if (style.format == Format::kJson) return pretty_json(item) + "\n";
  if (style.format == Format::kYaml) return to_yaml(item);
  return print_list(json::array{item}, listing, style);
}

}  // namespace berth::cli
