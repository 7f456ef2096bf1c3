#include "events/base/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

namespace berth {
namespace {

int pipe_ends[2];
std::atomic<int> asked{0};

void on_signal(int) {
  if (asked.fetch_add(1) > 0) _exit(1);  // asked twice: what is not done is left to the next start
  const char byte = 1;
  [[maybe_unused]] const auto written = write(pipe_ends[1], &byte, 1);
}

}  // namespace

bool catch_stop_signals() {
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return false;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return true;
}

void wait_for_stop_signal() {
  char byte = 0;
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {}
}

bool stop_was_asked() { return asked > 0; }

void ask_to_stop() { on_signal(0); }

}  // namespace berth
