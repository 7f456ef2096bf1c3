#include "ops/cli/slurm/fields.h"

#include <algorithm>

#include "ops/cli/output/table.h"

namespace berth::cli::slurm {
namespace {

constexpr int kWidthMax = 1000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string field_line(const std::vector<Field>& fields,
                       const std::function<std::string(const Field&)>& text) {
  std::string line;
  for (const auto& field : fields)
    line += field.before + (field.letter == '\0' && !field.text
                                ? std::string()
                                : in_width(text(field), field.width, field.right));
  return line + "\n";
}

}  // namespace

Outcome<std::vector<Field>> parse_format_of(const char* tool, const std::string& format,
                                            const std::function<Field(char letter)>& field_of) {
  const std::string hint = std::string("`berth slurm ") + tool + " --help` lists the letters";
  std::vector<Field> fields;
  std::string before;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      before += format[at];
      continue;
    }
    bool right = false, fits = false;
    int width = 0;
    for (++at; at < format.size() && (format[at] == '.' || format[at] == '#'); ++at)
      (format[at] == '.' ? right : fits) = true;
    for (; at < format.size() && is_digit(format[at]); ++at)
      width = std::min(kWidthMax, width * 10 + (format[at] - '0'));
    if (at == format.size())
      return usage_failure(
          std::string(tool) + ": --format '" + format.substr(0, 60) + "' ends with no letter", hint);
    Field field = field_of(format[at]);
    if (!field.text)
      return usage_failure(std::string(tool) + ": --format has no letter '%" + format[at] + "'", hint);
    field.width = width, field.right = right, field.fits = fits, field.letter = format[at];
    field.before = std::exchange(before, {});
    fields.push_back(std::move(field));
  }
  if (fields.empty())
    return usage_failure(std::string(tool) + ": --format '" + format.substr(0, 60) + "' names no field",
                         hint);
  if (!before.empty()) fields.push_back({.before = before});
  return fields;
}

std::string in_width(const std::string& text, int width, bool right) {
  std::string shown = printable(text);
  if (width == 0) return shown;
  const auto wide = static_cast<std::size_t>(width);
  if (shown.size() > wide) shown.resize(wide);
  return right ? std::string(wide - shown.size(), ' ') + shown
               : shown + std::string(wide - shown.size(), ' ');
}

std::string field_lines(std::vector<Field> fields, std::size_t rows, bool titles) {
  for (auto& field : fields) {
    if (!field.fits) continue;
    std::size_t most = titles ? field.title.size() : 0;
    for (std::size_t row = 0; row < rows; ++row) most = std::max(most, field.text(row).size());
    field.width = static_cast<int>(std::min<std::size_t>(most, kWidthMax));
  }
  std::string lines;
  if (titles) lines += field_line(fields, [](const Field& field) { return field.title; });
  for (std::size_t row = 0; row < rows; ++row)
    lines += field_line(fields, [row](const Field& field) { return field.text(row); });
  return lines;
}

}  // namespace berth::cli::slurm
