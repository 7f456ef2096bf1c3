// BERTH_CHECK stops the process if an invariant is broken, also in production.
//
// Use BERTH_CHECK for bugs of ours, never for errors that a user, a file or a network can cause.
#pragma once

#include <string_view>

namespace berth {

// Prints place, expression and message to stderr, then aborts. Never returns.
[[noreturn]] void check_failed(const char* file, int line, const char* expression, std::string_view message);

}  // namespace berth

#define BERTH_CHECK(condition, message)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::berth::check_failed(__FILE__, __LINE__, #condition, message); \
  } while (false)
