#include "controller/api/map/json_text.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

namespace berth::controller::api {
namespace {

// Of each byte, whether it stands in JSON as it is.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 256; ++c) plain[static_cast<std::size_t>(c)] = c != '"' && c != '\\';
  return plain;
}();

bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

}  // namespace

JsonText& JsonText::key(std::string_view name) {
  value(name);
  text_ += ':';
  return *this;
}

void JsonText::value(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) return raw(boost::json::serialize(text));
  text_.append(is_first() ? "\"" : ",\"").append(text) += '"';
}

}  // namespace berth::controller::api
