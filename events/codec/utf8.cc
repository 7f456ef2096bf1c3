#include "events/codec/utf8.h"

#include <boost/locale/utf.hpp>

namespace berth {

bool is_utf8(std::string_view bytes) {
  namespace utf = boost::locale::utf;
  for (auto at = bytes.begin(); at != bytes.end();)
    if (!utf::is_valid_codepoint(utf::utf_traits<char>::decode(at, bytes.end()))) return false;
  return true;
}

}  // namespace berth
