#include "agents/init/child.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace berth::init {
namespace {

rlimit files_of_programs{};  // 0: this process's own

enum class Step : int { kFolder, kProgram };

// Why the child could not become the program; written by it into a pipe that the program closes.
struct Failure {
  Step step = Step::kProgram;
  int error = 0;
};

struct Ends {
  Descriptor in, out, err;  // the program's; with a terminal all are `in`
};

Problem not_started(const char* what) {
  return {"program-not-started", std::string(what) + ": " + std::strerror(errno)};
}

bool make_pipe(Descriptor& reads, Descriptor& writes) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reads = Descriptor(ends[0]);
  writes = Descriptor(ends[1]);
  return true;
}

bool does_not_block(const Descriptor& descriptor) {
  return fcntl(descriptor.get(), F_SETFL, fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK) == 0;
}

std::optional<Problem> make_pipes(Child& child, Ends& ends) {
  if (!make_pipe(ends.in, child.in) || !make_pipe(child.out, ends.out) || !make_pipe(child.err, ends.err) ||
      !does_not_block(child.in) || !does_not_block(child.out) || !does_not_block(child.err))
    return not_started("no pipe");
  return std::nullopt;
}

// The other side is opened through the terminal itself: what a path names belongs to the kernel's users.
std::optional<Problem> make_terminal(const Size& size, Child& child, Ends& ends) {
  child.in = Descriptor(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (child.in && unlockpt(child.in.get()) == 0)
    ends.in = Descriptor(ioctl(child.in.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ends.in)
    return Problem{"no-terminal", std::string("no terminal can be made: ") + std::strerror(errno)};
  termios modes{};
  if (tcgetattr(ends.in.get(), &modes) == 0) {
    modes.c_iflag |= IUTF8;  // so that backspace removes a whole character
    tcsetattr(ends.in.get(), TCSANOW, &modes);
  }
  set_size(child.in, size);
  return std::nullopt;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

bool has_variable(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& entry : environment)
    if (entry.compare(0, name.size() + 1, name + "=") == 0) return true;
  return false;
}

// The helper's own with the asked ones in their place or behind.
std::vector<std::string> environment_of(const Request& request, bool with_terminal) {
  std::vector<std::string> all = request.env;
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string entry = *own;
    if (!has_variable(request.env, entry.substr(0, entry.find('=')))) all.push_back(entry);
  }
  if (with_terminal && !has_variable(all, "TERM")) all.emplace_back("TERM=xterm-256color");
  // Without a locale a shell's line editor takes each byte of a letter for itself, and drops what is no
  // ASCII.
  const bool has_locale =
      has_variable(all, "LANG") || has_variable(all, "LC_ALL") || has_variable(all, "LC_CTYPE");
  if (with_terminal && !has_locale) all.emplace_back("LANG=C.UTF-8");
  return all;
}

[[noreturn]] void give_up(const Descriptor& report, Step step) {
  const Failure failure{step, errno};
  [[maybe_unused]] const ssize_t wrote = write(report.get(), &failure, sizeof failure);
  _exit(127);
}

[[noreturn]] void be_child(const Request& request, bool with_terminal, const Ends& ends,
                           const Descriptor& report, std::vector<std::string>& args,
                           std::vector<std::string>& environment) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGHUP);  // the next helper would know nothing of it
  if (with_terminal) ioctl(ends.in.get(), TIOCSCTTY, 0);
  dup2(ends.in.get(), 0);
  dup2(with_terminal ? ends.in.get() : ends.out.get(), 1);
  dup2(with_terminal ? ends.in.get() : ends.err.get(), 2);
  if (!request.cwd.empty() && chdir(request.cwd.c_str()) != 0) give_up(report, Step::kFolder);
  if (files_of_programs.rlim_max != 0) setrlimit(RLIMIT_NOFILE, &files_of_programs);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> variables = pointers_to(environment), words = pointers_to(args);
  environ = variables.data();
  execvp(words[0], words.data());
  give_up(report, Step::kProgram);
}

Problem problem_of(const Failure& failure, const Request& request) {
  const std::string why = std::strerror(failure.error);
  if (failure.step == Step::kFolder)
    return {"folder-not-usable", "cannot work in '" + request.cwd.substr(0, 256) + "': " + why};
  const std::string text = "cannot run '" + request.args[0].substr(0, 256) + "': " + why;
  return {failure.error == ENOENT ? "program-not-found" : "program-not-runnable", text};
}

}  // namespace

void raise_own_files_bound() {
  if (getrlimit(RLIMIT_NOFILE, &files_of_programs) != 0) return;
  const rlimit raised{files_of_programs.rlim_max, files_of_programs.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
}

std::optional<Problem> start_child(const Request& request, bool with_terminal, Child& child) {
  Ends ends;
  if (auto problem = with_terminal ? make_terminal(request.size, child, ends) : make_pipes(child, ends))
    return problem;
  Descriptor report, failed;
  if (!make_pipe(report, failed)) return not_started("no pipe");
  std::vector<std::string> args = request.args, environment = environment_of(request, with_terminal);
  child.pid = fork();
  if (child.pid == 0) be_child(request, with_terminal, ends, failed, args, environment);
  if (child.pid < 0) return not_started("no process");
  failed = Descriptor();
  Failure failure;
  if (read(report.get(), &failure, sizeof failure) != static_cast<ssize_t>(sizeof failure))
    return std::nullopt;
  waitpid(child.pid, nullptr, 0);
  return problem_of(failure, request);
}

void set_size(const Descriptor& terminal, const Size& size) {
  winsize window{};
  window.ws_col = size.columns;
  window.ws_row = size.rows;
  ioctl(terminal.get(), TIOCSWINSZ, &window);
}

void hang_up(pid_t pid, int terminal) {
  const pid_t foreground = terminal >= 0 ? tcgetpgrp(terminal) : -1;
  for (const pid_t group : {foreground, pid}) {
    if (group <= 1) continue;
    kill(-group, SIGHUP);
    kill(-group, SIGCONT);
  }
}

Ended ended_by(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {128 + WTERMSIG(wait_status), WTERMSIG(wait_status)};
  return {WEXITSTATUS(wait_status), 0};
}

}  // namespace berth::init
