#include "events/base/service/last_words.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

namespace berth {
namespace {

constexpr int kFailed = 1;
const char* ending_program = "berth";

// Without memory of its own, where there is none.
[[noreturn]] void say_and_end() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    ::dprintf(STDERR_FILENO,
              "%s: resources-short: there is no memory left; the process ends, to be started again\n",
              ending_program);
    ::_exit(kFailed);
  } catch (const std::system_error& error) {
    const bool is_short = error.code() == std::errc::resource_unavailable_try_again ||
                          error.code() == std::errc::not_enough_memory ||
                          error.code() == std::errc::too_many_files_open ||
                          error.code() == std::errc::too_many_files_open_in_system;
    if (is_short) {
      ::dprintf(
          STDERR_FILENO,
          "%s: resources-short: no thread or descriptor is to be had (%s); the process ends, to be started "
          "again: raise TasksMax= or LimitNOFILE=\n",
          ending_program, error.what());
      ::_exit(kFailed);
    }
    ::dprintf(STDERR_FILENO, "%s: an error that nobody expected: %s\n", ending_program, error.what());
  } catch (const std::exception& error) {
    ::dprintf(STDERR_FILENO, "%s: an error that nobody expected: %s\n", ending_program, error.what());
  } catch (...) { ::dprintf(STDERR_FILENO, "%s: an error that nobody expected\n", ending_program); }
  std::abort();
}

}  // namespace

void say_last_words(const char* program) {
  ending_program = program;
  std::set_terminate(say_and_end);
}

}  // namespace berth
