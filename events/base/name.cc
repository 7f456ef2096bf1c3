#include "events/base/name.h"

namespace berth {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

bool is_valid_name(std::string_view name) {
  if (name.empty() || name.size() > kNameMax || !is_word(name[0])) return false;
  for (const char c : name)
    if (!is_word(c) && c != '-' && c != '_' && c != '.') return false;
  return true;
}

}  // namespace berth
