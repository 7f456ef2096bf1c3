#include "events/codec/utf8.h"

#include <boost/locale/utf.hpp>

namespace berth {

bool is_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  for (auto at = bytes.begin(); at != bytes.end();)
    if (!utf::is_valid_codepoint(utf::utf_traits<char>::decode(at, bytes.end()))) return false;
  return true;
}

std::string shown_as_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  std::string text;
  for (auto at = bytes.begin(); at != bytes.end();) {
    const auto begin = at;
    if (utf::is_valid_codepoint(utf::utf_traits<char>::decode(at, bytes.end()))) {
      text.append(begin, at);
    } else {
      text += "\uFFFD";
      at = begin + 1;
    }
  }
  return text;
}

}  // namespace berth
