#include "ops/cli/log_shell/line_editor.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace berth::cli {
namespace {

// Ctrl-C is a key to the editor, and no signal.
bool takes_ctrl_c(int terminal) {
  ::termios modes{};
  return ::tcgetattr(terminal, &modes) == 0 && (modes.c_lflag & ISIG) == 0;
}

// A program on `terminal` that reads a line; its exit code is 0 if that is `wanted`.
pid_t read_line_on(int terminal, const char* wanted) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setsid();
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int file : {0, 1, 2}) ::dup2(terminal, file);
  LineEditor editor([](const std::string&) { return std::vector<std::string>(); });
  ::_exit(editor.read("> ") == wanted ? 0 : 1);
}

TEST(LineEditor, ACtrlCThatComesWithThePromptEmptiesTheLineAndEndsNothing) {
  int hand = -1;
  int terminal = -1;
  ASSERT_EQ(::openpty(&hand, &terminal, nullptr, nullptr, nullptr), 0);
  ASSERT_EQ(::tcflow(terminal, TCOOFF), 0);  // the prompt is printed, and gets no further
  const pid_t child = read_line_on(terminal, "pwd");
  ASSERT_GT(child, 0);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!takes_ctrl_c(terminal) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(takes_ctrl_c(terminal));

  constexpr std::string_view kTyped = "never mind\x03pwd\r";
  EXPECT_EQ(::write(hand, kTyped.data(), kTyped.size()), static_cast<ssize_t>(kTyped.size()));
  ASSERT_EQ(::tcflow(terminal, TCOON), 0);

  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(hand);
  ::close(terminal);
}

}  // namespace
}  // namespace berth::cli
