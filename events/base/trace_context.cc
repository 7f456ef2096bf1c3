#include "events/base/trace_context.h"

namespace berth {

bool is_traceparent(std::string_view text) {
  constexpr std::string_view kForm = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (kForm[i] == 'h' ? !hex : c != kForm[i]) return false;
  }
  return true;
}

}  // namespace berth
