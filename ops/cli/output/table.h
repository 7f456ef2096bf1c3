// Lists of JSON objects as a table, CSV, names, JSON, JSON lines or YAML. Pure: no terminal is asked, colour
// is handed in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ops/cli/exit_code.h"

namespace berth::cli {

enum class Format { kTable, kWide, kJson, kYaml, kJsonl, kName, kCsv };

Outcome<Format> parse_format(std::string_view text);
inline constexpr const char* kFormats = "table|wide|json|yaml|jsonl|name|csv";

struct Column {
  std::string title;  // "NAME"; in CSV lower-cased, spaces to underscores
  std::function<std::string(const boost::json::value& item)> text;
  bool wide = false;   // only with -o wide and csv
  bool right = false;  // numbers
};

// A column that shows the member at `path`.
Column column(std::string title, std::string path, bool wide = false);

struct Style {
  Format format = Format::kTable;
  bool color = false;
  bool headers = true;
  int columns_max = 0;  // the terminal's width; 0 = do not cut
};

// What kind of thing a list holds: how it is shown in each format.
struct Listing {
  std::vector<Column> columns;
  std::string name_path = "name";  // what -o name prints
};

// Ends with a newline unless it is empty. JSON and YAML print one array; jsonl one object a line.
std::string print_list(const boost::json::array& items, const Listing& listing, const Style& style);
// One object: JSON and YAML as it is, name and jsonl as a list of one, CSV and wide as a list of one.
std::string print_one(const boost::json::value& item, const Listing& listing, const Style& style);

// Rows of texts under titles: two spaces between columns, no blanks at the ends of lines. Control characters
// are shown as
// '?', so that nobody's session name can write to the terminal.
std::string render_table(const std::vector<std::string>& titles,
                         const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right,
                         const Style& style);

// Columns that a text takes on a terminal: East Asian wide characters take two.
int display_width(std::string_view text);
std::string printable(std::string_view text);
// Wraps a state's name in its colour if `color`.
std::string tinted(const std::string& state, bool color);
// The text itself inside a longer cell keeps its padding: colour is added after the padding.
std::string csv_field(const std::string& text);

}  // namespace berth::cli
