// Lists of JSON objects as a table, CSV, names, JSON, JSON lines or YAML. Pure: the caller passes in width
// and colour.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

#include "ops/cli/exit_code.h"
#include "ops/cli/output/times.h"

namespace berth::cli {

enum class Format { kTable, kWide, kJson, kYaml, kJsonl, kName, kCsv };

Outcome<Format> parse_format(std::string_view text);
inline constexpr const char* kFormats = "table|wide|json|yaml|jsonl|name|csv";

struct Column {
  std::string title;  // "NAME"
  std::function<std::string(const boost::json::value& item)> text;
  bool wide = false;      // only with -o wide
  bool right = false;     // numbers
  std::string path = {};  // of the member that it shows; empty: a text made of several
  bool time = false;      // `text` is RFC 3339, shown in the reader's zone
};

// A column that shows the member at `path`.
Column column(std::string title, std::string path, bool wide = false);
// The same of a time.
Column time_column(std::string title, std::string path, bool wide = false);

struct Style {
  Format format = Format::kTable;
  bool color = false;
  bool headers = true;
  bool terminal = false;  // somebody looks at it: CSV is printable_lines()
  int columns_max = 0;    // the terminal's width; 0 = tables may be of any
  UtcOffset utc_offset;   // the reader's zone; none: UTC
};

// How each format shows a list's items.
struct Listing {
  std::vector<Column> columns;
  std::string name_path = "name";  // printed by -o name
  // Titles of the columns that a table leaves out where the terminal is too narrow, in that order; empty:
  // from the right, all but two. Texts that are still too wide are cut.
  std::vector<std::string> least = {};
  // Title of a column of long texts: it is shortened before any column is left out.
  const char* shortened = "";
  const char* whole = "-o wide";  // what shows them all
  // Members that CSV prints, as the API gives them: exact numbers, ISO times. An object stands for a field of
  // each of its leaves ("resources.cpu"). Empty: the members of the columns.
  std::vector<std::string> fields = {};
};

// Ends with a newline unless it is empty. JSON and YAML print one array; jsonl one object a line.
std::string print_list(const boost::json::array& items, const Listing& listing, const Style& style);
// One object: JSON and YAML print the object, all other formats a list of one.
std::string print_one(const boost::json::value& item, const Listing& listing, const Style& style);

// The items' `fields` under their names, see Listing.
std::string csv_text(const boost::json::array& items, const std::vector<std::string>& fields, bool headers);

// Rows of texts under titles: two spaces between columns, no blanks at the ends of lines. Control characters
// become '?', so that no session name can write to the terminal.
std::string render_table(const std::vector<std::string>& titles,
                         const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right,
                         const Style& style);

// Columns that a text takes on a terminal: East Asian wide characters take two.
int display_width(std::string_view text);
// The text with what `in_place` gives for each code point that steers_terminal().
std::string replaced(std::string_view text, const std::function<std::string(std::uint32_t point)>& in_place);
// The text with '?' for what steers_terminal().
std::string printable(std::string_view text);
// The same, but line ends and tabs stay.
std::string printable_lines(std::string_view text);
// At most `width` columns of the text; what is cut off is shown as "..".
std::string clipped_to(std::string_view text, int width);
// Control characters and direction marks: what a terminal obeys instead of showing.
bool steers_terminal(std::uint32_t point);
// Lines of at most `width` columns, broken at blanks; the rest of a line stands below its last text of two
// blanks or more in front ("--name    Its name" goes on below "Its"). 0: as it is.
std::string wrapped(const std::string& text, int width);
// Wraps a state's bare name in its colour if `color`; the caller adds padding.
std::string tinted(const std::string& state, bool color);
// Quotes the text if CSV needs quotes; a formula gets a "'" in front.
std::string csv_field(const std::string& text);

}  // namespace berth::cli
