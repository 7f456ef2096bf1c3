#include "ops/cli/login/ask_terminal.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace berth::cli {
namespace {

constexpr std::size_t kLineMax = 4096;
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

int terminal = -1;
termios before{};

// Async-signal-safe. The signal then ends the program as it would have.
void restore_and_end(int signal) {
  ::tcsetattr(terminal, TCSAFLUSH, &before);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::string read_line() {
  std::string line;
  char c = 0;
  while (line.size() < kLineMax && ::read(terminal, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

std::string read_unseen_line() {
  std::array<struct sigaction, kSignals.size()> handlers{};
  struct sigaction restore {};
  restore.sa_handler = restore_and_end;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &restore, &handlers[i]);
  termios silent = before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(terminal, TCSAFLUSH, &silent);
  std::string line = read_line();
  ::tcsetattr(terminal, TCSAFLUSH, &before);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &handlers[i], nullptr);
  return line;
}

}  // namespace

Result<std::string> ask_terminal(const std::string& prompt, bool shown) {
  terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0 || ::tcgetattr(terminal, &before) != 0) {
    if (terminal >= 0) ::close(terminal);
    return make_error("no-terminal", "there is no terminal to ask on", "give --user and --password-stdin");
  }
  const auto write = [](const std::string& text) { return ::write(terminal, text.data(), text.size()) >= 0; };
  const bool asked = write(prompt);
  std::string line = shown ? read_line() : read_unseen_line();
  if (!shown && asked) write("\n");
  ::close(terminal);
  return line;
}

}  // namespace berth::cli
