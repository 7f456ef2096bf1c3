// RawTerminal on a real pty, in a process of its own that signals end, stop and continue.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "ops/cli/session/raw_terminal.h"

namespace berth::cli {
namespace {

// A child with a terminal of its own, raw; it writes "r" when that is so and "w" at each change that it
// heard.
class OnAPty : public ::testing::Test {
 protected:
  void SetUp() override {
    child_ = ::forkpty(&hand_, nullptr, nullptr, nullptr);
    ASSERT_GE(child_, 0);
    if (child_ == 0) be_child(ignores_);
    const std::string path = ::ptsname(hand_);
    terminal_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(next_byte(), 'b');  // it has begun, and its terminal is as it was made
    ASSERT_EQ(::tcgetattr(terminal_, &before_), 0);
    type('g');
    ASSERT_EQ(next_byte(), 'r');
    ASSERT_TRUE(is_raw());
  }
  void TearDown() override {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    ::close(hand_);
    ::close(terminal_);
  }

  [[noreturn]] static void be_child(int ignored) {
    if (ignored != 0) ::signal(ignored, SIG_IGN);
    ::write(STDOUT_FILENO, "b", 1);
    char key = 0;
    termios no_echo{};
    ::tcgetattr(STDIN_FILENO, &no_echo);
    pollfd typed{STDIN_FILENO, POLLIN, 0};
    while (key != '\n') {
      if (::poll(&typed, 1, -1) != 1 || ::read(STDIN_FILENO, &key, 1) != 1) ::_exit(1);
    }
    {
      RawTerminal terminal(STDIN_FILENO);
      ::write(STDOUT_FILENO, "r", 1);
      for (key = 0; key != 'q';) {
        pollfd awaited[] = {{STDIN_FILENO, POLLIN, 0}, {terminal.changes(), POLLIN, 0}};
        if (::poll(awaited, 2, -1) < 0) continue;
        if (awaited[1].revents != 0) {
          terminal.take_changes();
          ::write(STDOUT_FILENO, "w", 1);
        }
        if (awaited[0].revents != 0 && ::read(STDIN_FILENO, &key, 1) != 1) ::_exit(1);
        if (key == 'a') ::abort();
      }
    }
    ::_exit(0);
  }

  // What the child writes next, without the echo of what was typed.
  char next_byte() {
    pollfd readable{hand_, POLLIN, 0};
    for (char byte = 0; ::poll(&readable, 1, 10'000) == 1 && ::read(hand_, &byte, 1) == 1;)
      if (byte == 'b' || byte == 'r' || byte == 'w') return byte;
    return '\0';
  }
  void type(char key) {
    const std::string keys = key == 'g' ? "\n" : std::string(1, key);
    EXPECT_EQ(::write(hand_, keys.data(), keys.size()), 1);
  }
  termios now() const {
    termios modes{};
    EXPECT_EQ(::tcgetattr(terminal_, &modes), 0);
    return modes;
  }
  bool is_raw() const {
    return (now().c_lflag & (ICANON | ECHO | ISIG)) == 0 && (now().c_oflag & OPOST) == 0;
  }
  bool is_as_before() const {
    const termios modes = now();
    return modes.c_lflag == before_.c_lflag && modes.c_iflag == before_.c_iflag &&
           modes.c_oflag == before_.c_oflag && modes.c_cflag == before_.c_cflag;
  }
  int wait_for_child(int options = 0) const {
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, options), child_);
    return status;
  }

  pid_t child_ = -1;
  int hand_ = -1, terminal_ = -1, ignores_ = 0;
  termios before_{};
};

TEST_F(OnAPty, HasItsModesBackAtTheEnd) {
  type('q');
  EXPECT_EQ(wait_for_child(), 0);
  EXPECT_TRUE(is_as_before());
}

TEST_F(OnAPty, HasItsModesBackWhenASignalEndsTheProcess) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGSEGV}) {
    ::kill(child_, signal);
    const int status = wait_for_child();
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_TRUE(is_as_before()) << signal;
    ::close(hand_), ::close(terminal_);
    SetUp();
  }
  type('a');
  const int status = wait_for_child();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  EXPECT_TRUE(is_as_before());
}

TEST_F(OnAPty, HasItsModesBackWhileTheProcessIsStopped) {
  for (int i = 0; i < 2; ++i) {
    // The group of a session's leader is an orphan: it is not stopped by SIGTSTP; a parent beside it would.
    ::kill(child_, SIGTSTP);
    ASSERT_EQ(next_byte(), 'w');
    EXPECT_TRUE(is_raw());
  }
  ::kill(child_, SIGSTOP);
  ASSERT_TRUE(WIFSTOPPED(wait_for_child(WUNTRACED)));
  ASSERT_EQ(::tcsetattr(terminal_, TCSANOW, &before_), 0);  // as an interactive shell does
  ::kill(child_, SIGCONT);
  ASSERT_EQ(next_byte(), 'w');
  EXPECT_TRUE(is_raw());
  type('q');
  EXPECT_EQ(wait_for_child(), 0);
  EXPECT_TRUE(is_as_before());
}

TEST_F(OnAPty, TellsThatTheSizeChanged) {
  const winsize size{30, 90, 0, 0};
  ASSERT_EQ(::ioctl(hand_, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(next_byte(), 'w');
  const auto told = terminal_size(terminal_);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->columns, 90);
  EXPECT_EQ(told->rows, 30);
}

// As an interactive shell has it: the program is a job of its own in the foreground of the shell's terminal.
[[noreturn]] void be_shell(int pids) {
  ::signal(SIGTTOU, SIG_IGN);
  const pid_t job = ::fork();
  if (job == 0) {
    ::setpgid(0, 0);
    ::tcsetpgrp(STDIN_FILENO, ::getpid());
    ::signal(SIGTTOU, SIG_DFL);
    RawTerminal terminal(STDIN_FILENO);
    for (pollfd changes{terminal.changes(), POLLIN, 0};;) {
      ::write(STDOUT_FILENO, "r", 1);
      while (::poll(&changes, 1, -1) != 1) {}
      terminal.take_changes();
    }
  }
  ::write(pids, &job, sizeof job);
  for (int status = 0; ::waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status);)
    ::write(STDOUT_FILENO, "s", 1);
  ::_exit(0);
}

TEST(RawTerminalOfAJob, IsAsBeforeWhileTheJobIsStoppedAndRawAfterwards) {
  int hand = -1, pids[2];
  ASSERT_EQ(::pipe(pids), 0);
  const pid_t shell = ::forkpty(&hand, nullptr, nullptr, nullptr);
  if (shell == 0) be_shell(pids[1]);
  pid_t job = 0;
  ASSERT_EQ(::read(pids[0], &job, sizeof job), static_cast<ssize_t>(sizeof job));
  const int terminal = ::open(::ptsname(hand), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const auto next_byte = [hand] {
    char byte = 0;
    pollfd readable{hand, POLLIN, 0};
    return ::poll(&readable, 1, 10'000) == 1 && ::read(hand, &byte, 1) == 1 ? byte : '\0';
  };
  const auto is_raw = [terminal] {
    termios modes{};
    return ::tcgetattr(terminal, &modes) == 0 && (modes.c_lflag & ICANON) == 0;
  };
  EXPECT_EQ(next_byte(), 'r');
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(is_raw());
    ::kill(job, SIGTSTP);
    EXPECT_EQ(next_byte(), 's');
    EXPECT_FALSE(is_raw());
    ::kill(job, SIGCONT);
    EXPECT_EQ(next_byte(), 'r');
  }
  ::kill(job, SIGKILL);
  ::waitpid(shell, nullptr, 0);
  for (const int descriptor : {hand, terminal, pids[0], pids[1]}) ::close(descriptor);
}

class OnAPtyIgnoringSighup : public OnAPty {
 protected:
  OnAPtyIgnoringSighup() { ignores_ = SIGHUP; }
};

TEST_F(OnAPtyIgnoringSighup, GoesOn) {
  ::kill(child_, SIGHUP);
  type('q');
  EXPECT_EQ(wait_for_child(), 0);
}

TEST(TerminalSize, IsOfATerminalThatHasOne) {
  int hand = -1, terminal = -1;
  const winsize none{0, 0, 0, 0}, large{5000, 5000, 0, 0};
  ASSERT_EQ(::openpty(&hand, &terminal, nullptr, nullptr, &none), 0);
  EXPECT_FALSE(terminal_size(terminal));
  ASSERT_EQ(::ioctl(hand, TIOCSWINSZ, &large), 0);
  EXPECT_EQ(terminal_size(terminal)->columns, 1000);
  ::close(hand);
  ::close(terminal);
  const int null = ::open("/dev/null", O_RDWR);
  EXPECT_FALSE(terminal_size(null));
  ::close(null);
}

}  // namespace
}  // namespace berth::cli
