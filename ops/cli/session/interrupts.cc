#include "ops/cli/session/interrupts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace berth::cli {
namespace {

constexpr std::array kInterrupting = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupted = 0;
std::array<int, 2> interrupt_pipe = {-1, -1};
std::array<struct sigaction, kInterrupting.size()> interrupting_before{};

void note_interrupt(int signal) {
  const int kept = errno;
  interrupted = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(interrupt_pipe[1], "", 1);
  ::signal(signal, SIG_DFL);
  errno = kept;
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  if (::pipe2(interrupt_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) interrupt_pipe = {-1, -1};
  for (std::size_t i = 0; i < kInterrupting.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    ::sigaction(kInterrupting[i], nullptr, &interrupting_before[i]);
    // What is ignored stays so (nohup).
    if (interrupting_before[i].sa_handler != SIG_IGN) ::sigaction(kInterrupting[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kInterrupting.size(); ++i)
    ::sigaction(kInterrupting[i], &interrupting_before[i], nullptr);
  for (int& end : interrupt_pipe) {
    if (end >= 0) ::close(end);
    end = -1;
  }
}

bool Interrupts::caught() const { return interrupted != 0; }
int Interrupts::descriptor() const { return interrupt_pipe[0]; }

}  // namespace berth::cli
