#include "ops/cli/session/escapes.h"

namespace berth::cli {

Typed Escapes::take(std::string_view bytes) {
  Typed typed;
  for (const char c : bytes) {
    if (!begun_) {
      begun_ = c == kEscape;
      if (!begun_) typed.bytes += c;
      continue;
    }
    begun_ = false;
    if (c == '.') {
      typed.detach = true;
      return typed;
    }
    if (c == '?')
      typed.help = true;
    else if (c == kEscape)
      typed.bytes += kEscape;
    else
      typed.bytes += {kEscape, c};  // none of ours: the program gets both
  }
  return typed;
}

}  // namespace berth::cli
