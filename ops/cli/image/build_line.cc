#include "ops/cli/image/build_line.h"

#include <algorithm>
#include <charconv>

#include "events/base/plain_text.h"
#include "events/base/text.h"
#include "ops/cli/output/terminal_text.h"

namespace berth::cli {
namespace {

constexpr std::string_view kBetweenParts = ": ";
constexpr std::string_view kPercent = " %";
constexpr std::string_view kLayout = "oci:/";

bool is_word(std::string_view text, std::size_t bytes_max) {
  return !text.empty() && text.size() <= bytes_max &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
}

// The text up to the next ": ", which is taken off `rest`; all of it, if there is none.
std::string_view take_part(std::string_view& rest) {
  const auto end = rest.find(kBetweenParts);
  const auto part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + kBetweenParts.size());
  return part;
}

std::optional<int> read_percent(std::string_view text) {
  if (!text.ends_with(kPercent)) return std::nullopt;
  text.remove_suffix(kPercent.size());
  int percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || percent < 0 || percent > 100)
    return std::nullopt;
  return percent;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string shown = TerminalText().shown(text);
  for (char& c : shown)
    if (c == '\t' || c == '\r' || c == '\n') c = ' ';
  return has_control_character(shown) ? std::string() : shown;
}

std::optional<BuildProgress> read_progress_line(std::string_view line) {
  const auto program = take_part(line), reference = take_part(line), percent_text = take_part(line);
  const auto percent = read_percent(percent_text);
  if (!percent || program.empty() || !is_word(reference, kBuildReferenceBytesMax)) return std::nullopt;
  return BuildProgress{std::string(reference), *percent, clipped(plain(line), kBuildStepBytesMax - 3)};
}

std::optional<BuiltImage> read_built_line(std::string_view line) {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto reference = line.substr(0, blank), source = line.substr(blank + 1);
  if (!is_word(reference, kBuildReferenceBytesMax) || !is_word(source, kBuildSourceBytesMax) ||
      !source.starts_with(kLayout))
    return std::nullopt;
  const auto colon = source.rfind(':');
  const auto folder = source.substr(kLayout.size() - 1, colon - (kLayout.size() - 1));
  const auto tag = source.substr(colon + 1);
  if (colon < kLayout.size() || tag.empty() || tag.find('/') != std::string_view::npos) return std::nullopt;
  return BuiltImage{std::string(reference), std::string(folder), std::string(tag)};
}

}  // namespace berth::cli
