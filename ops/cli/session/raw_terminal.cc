#include "ops/cli/session/raw_terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace berth::cli {
namespace {

// Those that end a process: sent by somebody, or a fault of its own.
constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV,
                                SIGBUS, SIGFPE,  SIGILL, SIGALRM, SIGUSR1, SIGUSR2};

int terminal = -1;
termios before{}, raw{};
std::array<int, 2> wakes = {-1, -1};  // the two ends of a pipe
std::array<struct sigaction, kEnding.size()> ending_before{};
struct sigaction stop_before {};
struct sigaction continue_before {};
struct sigaction size_before {};

// All below until the class is async-signal-safe. Modes change at once: output that nobody reads is not
// waited for.
void wake() {
  const int kept = errno;
  [[maybe_unused]] const ssize_t wrote = ::write(wakes[1], "", 1);  // full: it is awake
  errno = kept;
}

// Then the signal does what it did before, which need not be the end.
void restore_and_end(int signal) {
  const int kept = errno;
  ::tcsetattr(terminal, TCSANOW, &before);
  for (std::size_t i = 0; i < kEnding.size(); ++i)
    if (kEnding[i] == signal) ::sigaction(signal, &ending_before[i], nullptr);
  ::raise(signal);
  errno = kept;
}

void note_size(int) { wake(); }

// Stopped by SIGSTOP, too: the shell has its own modes on the terminal meanwhile.
void make_raw_again(int) {
  const int kept = errno;
  ::tcsetattr(terminal, TCSANOW, &raw);
  errno = kept;
  wake();
}

void restore_and_stop(int signal);

void handle(int signal, void (*handler)(int), int flags, struct sigaction* was) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, was);
}

void restore_and_stop(int signal) {
  const int kept = errno;
  ::tcsetattr(terminal, TCSANOW, &before);
  handle(signal, SIG_DFL, 0, nullptr);
  ::raise(signal);  // SA_NODEFER: it stops here
  handle(signal, restore_and_stop, SA_NODEFER | SA_RESTART, nullptr);
  errno = kept;
  make_raw_again(signal);
}

void make_pipe_of_wakes() {
  if (wakes[0] >= 0) return;
  [[maybe_unused]] const int made = ::pipe2(wakes.data(), O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

std::optional<inside::Size> terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return std::nullopt;
  constexpr unsigned short kMost = 1000;
  return inside::Size{std::min(size.ws_col, kMost), std::min(size.ws_row, kMost)};
}

RawTerminal::RawTerminal(int descriptor) {
  make_pipe_of_wakes();
  terminal = descriptor;
  ::tcgetattr(terminal, &before);
  raw = before;
  ::cfmakeraw(&raw);
  // Handlers first: a signal in between finds the modes as they were.
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    handle(kEnding[i], restore_and_end, 0, &ending_before[i]);
    if (ending_before[i].sa_handler == SIG_IGN) handle(kEnding[i], SIG_IGN, 0, nullptr);  // as of nohup
  }
  handle(SIGTSTP, restore_and_stop, SA_NODEFER | SA_RESTART, &stop_before);
  handle(SIGCONT, make_raw_again, SA_RESTART, &continue_before);
  handle(SIGWINCH, note_size, SA_RESTART, &size_before);
  ::tcsetattr(terminal, TCSANOW, &raw);
}

RawTerminal::~RawTerminal() {
  ::sigaction(SIGCONT, &continue_before, nullptr);
  ::sigaction(SIGTSTP, &stop_before, nullptr);
  ::tcsetattr(terminal, TCSANOW, &before);
  for (std::size_t i = 0; i < kEnding.size(); ++i) ::sigaction(kEnding[i], &ending_before[i], nullptr);
  ::sigaction(SIGWINCH, &size_before, nullptr);
}

int RawTerminal::changes() const { return wakes[0]; }

void RawTerminal::take_changes() {
  char bytes[64];
  while (::read(wakes[0], bytes, sizeof bytes) > 0) {}
}

}  // namespace berth::cli
