#include "agents/kernel/host/given_ids.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "agents/kernel/shim/system.h"

namespace berth::agents {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t end = std::min(line.find(':', from), line.size());
    fields.push_back(line.substr(from, end - from));
    from = end + 1;
  }
  return fields;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > UINT32_MAX) return std::nullopt;
  return value;
}

template <class Take> void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    take(fields_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

void read_subids(std::string_view text, const std::string& file, std::vector<GivenIds>& given) {
  each_line(text, [&](const std::vector<std::string_view>& fields) {
    if (fields.size() != 3) return;
    const auto first = number(fields[1]), count = number(fields[2]);
    if (first && count && *count > 0)
      given.push_back({*first, *first + *count - 1, std::string(fields[0]) + " by " + file});
  });
}

void read_users(std::string_view text, const std::string& file, std::vector<GivenIds>& given) {
  each_line(text, [&](const std::vector<std::string_view>& fields) {
    const auto id = fields.size() > 2 ? number(fields[2]) : std::nullopt;
    if (id) given.push_back({*id, *id, std::string(fields[0]) + " by " + file});
  });
}

std::vector<GivenIds> read_given_ids() {
  std::vector<GivenIds> given;
  for (const char* file : {"/etc/subuid", "/etc/subgid"})
    read_subids(shim::read_file(file).value_or(""), file, given);
  for (const char* file : {"/etc/passwd", "/etc/group"})
    read_users(shim::read_file(file).value_or(""), file, given);
  return given;
}

const GivenIds* owner_among(const std::vector<GivenIds>& given, std::uint64_t first, std::uint64_t count) {
  for (const GivenIds& one : given)
    if (one.first < first + count && first <= one.last) return &one;
  return nullptr;
}

}  // namespace berth::agents
