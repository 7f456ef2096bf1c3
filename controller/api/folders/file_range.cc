#include "controller/api/folders/file_range.h"

#include <charconv>

namespace berth::controller::api {
namespace {

std::optional<std::uint64_t> position_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > INT64_MAX)
    return std::nullopt;
  return value;
}

}  // namespace

std::optional<FileRange> file_range_in(std::string_view header) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  header.remove_prefix(kUnit.size());
  const auto dash = header.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view first = header.substr(0, dash), last = header.substr(dash + 1);
  FileRange range;
  if (first.empty()) {
    const auto size = position_in(last);
    if (!size || *size == 0) return std::nullopt;
    range.offset = *size;
    range.suffix = true;
    return range;
  }
  const auto from = position_in(first);
  if (!from) return std::nullopt;
  range.offset = *from;
  if (last.empty()) return range;
  const auto to = position_in(last);
  if (!to || *to < *from) return std::nullopt;
  range.length = *to - *from + 1;
  return range;
}

}  // namespace berth::controller::api
