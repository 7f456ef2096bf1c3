#include "ops/cli/output/table.h"

#include <algorithm>

#include "ops/cli/output/json_text.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr int kGap = 2;       // blanks between two columns
constexpr int kCellMin = 8;   // no cell is cut shorter
constexpr int kTextMin = 24;  // and no long text, as long as columns can be left out

constexpr struct {
  const char* name;
  Format format;
} kNamed[] = {{"table", Format::kTable}, {"wide", Format::kWide},   {"json", Format::kJson},
              {"yaml", Format::kYaml},   {"jsonl", Format::kJsonl}, {"name", Format::kName},
              {"csv", Format::kCsv}};

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(0, count)), ' '); }

std::vector<std::string> fields_of(const Listing& listing) {
  if (!listing.fields.empty()) return listing.fields;
  std::vector<std::string> fields;
  for (const auto& column : listing.columns)
    if (!column.path.empty()) fields.push_back(column.path);
  return fields;
}

struct ShownColumn {
  std::string title;
  bool right = false;
  std::vector<std::string> cells;
  int width = 0;
};

std::vector<ShownColumn> shown_columns(const json::array& items, const Listing& listing, const Style& style) {
  std::vector<ShownColumn> shown;
  for (const auto& column : listing.columns) {
    if (column.wide && style.format != Format::kWide) continue;
    ShownColumn one{column.title, column.right, {}, style.headers ? display_width(column.title) : 0};
    for (const auto& item : items) {
      std::string text = column.text(item);
      if (column.time) text = local_time(text, style.utc_offset);
      one.cells.push_back(text.empty() ? "-" : printable(text));
      one.width = std::max(one.width, display_width(one.cells.back()));
    }
    shown.push_back(std::move(one));
  }
  return shown;
}

// Which columns a narrow table may leave out, by index, the most important one first.
std::vector<std::size_t> spare_columns(const std::vector<ShownColumn>& shown,
                                       const std::vector<std::string>& least) {
  std::vector<std::size_t> spare;
  if (least.empty())
    for (std::size_t i = 2; i < shown.size(); ++i) spare.push_back(i);
  for (auto title = least.rbegin(); title != least.rend(); ++title)
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (shown[i].title == *title) spare.push_back(i);
  return spare;
}

// Cuts the widest column, again and again, until the table is `excess` narrower.
void cut(std::vector<ShownColumn>& shown, int excess) {
  const auto narrower = [](const ShownColumn& a, const ShownColumn& b) { return a.width < b.width; };
  for (; excess > 0; --excess) {
    auto& widest = *std::max_element(shown.begin(), shown.end(), narrower);
    if (widest.width <= kCellMin) break;
    --widest.width;
  }
  for (auto& column : shown)
    for (auto& cell : column.cells) cell = clipped_to(cell, column.width);
}

// Cuts the texts of one column so that all columns fit, or as far as they stay readable.
void shorten(std::vector<ShownColumn>& shown, std::string_view title, int columns_max) {
  int excess = -kGap - columns_max;
  for (const auto& column : shown) excess += kGap + column.width;
  for (auto& column : shown) {
    if (excess <= 0 || column.title != title || column.width <= kTextMin) continue;
    column.width = std::max(kTextMin, column.width - excess);
    for (auto& cell : column.cells) cell = clipped_to(cell, column.width);
  }
}

// Makes the columns fit into the terminal: what a table can spare goes first, then the longest texts are cut.
// The lines that name what was left out; "" if nothing was.
std::string fit(std::vector<ShownColumn>& shown, const Listing& listing, int columns_max) {
  shorten(shown, listing.shortened, columns_max);
  const auto spare = spare_columns(shown, listing.least);
  std::vector<bool> taken(shown.size(), true);
  for (const std::size_t i : spare) taken[i] = false;
  int used = -kGap;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (taken[i]) used += kGap + shown[i].width;
  for (const std::size_t i : spare) {
    if (used + kGap + shown[i].width > columns_max) continue;
    taken[i] = true;
    used += kGap + shown[i].width;
  }
  std::vector<ShownColumn> kept;
  std::string left_out;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (taken[i])
      kept.push_back(std::move(shown[i]));
    else
      left_out += (left_out.empty() ? "" : ", ") + shown[i].title;
  shown = std::move(kept);
  cut(shown, used - columns_max);
  if (left_out.empty()) return {};
  return "not shown for want of width: " + left_out + "\n(" + listing.whole + " has all)\n";
}

}  // namespace

Outcome<Format> parse_format(std::string_view text) {
  for (const auto& [name, format] : kNamed)
    if (text == name) return format;
  return usage_failure("'" + std::string(text.substr(0, 40)) + "' is no output format",
                       std::string("one of ") + kFormats);
}

Column column(std::string title, std::string path, bool wide) {
  return {std::move(title),
          [path](const json::value& item) { return text_at(item, path); },
          wide,
          false,
          path,
          false};
}

Column time_column(std::string title, std::string path, bool wide) {
  Column shown = column(std::move(title), std::move(path), wide);
  shown.time = true;
  return shown;
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
      gap += (right[i] ? 0 : pad) + kGap;
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
      for (const auto& item : items) out += one_line_json(item) + "\n";
      return out;
    case Format::kName:
      for (const auto& item : items) out += printable(text_at(item, listing.name_path)) + "\n";
      return out;
    case Format::kCsv:
      out = csv_text(items, fields_of(listing), style.headers);
      return style.terminal ? printable_lines(out) : out;
    case Format::kTable:
    case Format::kWide: break;
  }
  auto shown = shown_columns(items, listing, style);
  const bool narrow = style.format == Format::kTable && style.columns_max > 0;
  const std::string left_out = narrow ? fit(shown, listing, style.columns_max) : "";
  std::vector<std::string> titles;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows(items.size());
  for (auto& column : shown) {
    titles.push_back(std::move(column.title));
    right.push_back(column.right);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(std::move(column.cells[i]));
  }
  return render_table(titles, rows, right, style) + (style.headers ? left_out : "");
}

std::string print_one(const json::value& item, const Listing& listing, const Style& style) {
  if (style.format == Format::kJson) return pretty_json(item) + "\n";
  if (style.format == Format::kYaml) return to_yaml(item);
  return print_list(json::array{item}, listing, style);
}

}  // namespace berth::cli
