/* berth-init: PID 1 of a kernel. Static, and as small as can be.
 *
 *   berth-init [--exit-fd FD] [-- COMMAND [ARG...]]
 *
 * Runs COMMAND and ends with its exit code (128 + signal if it was killed); without one it waits until SIGTERM. Passes SIGTERM,
 * SIGINT, SIGHUP, SIGUSR1 and SIGUSR2 on to the command, and reaps what the kernel's processes leave behind. FD is open for
 * writing; it gets "started", then "exited CODE" or "signalled SIGNAL" before init ends, so that the result is known even if
 * nobody waited for it. Init alone has it, and nothing in the kernel may trace init. A command that cannot be run: 127 (not
 * found) or 126, as in a shell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int exit_file = -1;

static void note(const char* what, int number) {
  char line[32];
  int size = number < 0 ? snprintf(line, sizeof line, "%s\n", what) : snprintf(line, sizeof line, "%s %d\n", what, number);
  if (exit_file >= 0 && write(exit_file, line, (size_t)size) != size) { /* full disk: the parent's wait still knows */
  }
}

static pid_t run(char** command, const sigset_t* signals) {
  pid_t child = fork();
  if (child > 0) setpgid(child, child); /* here and there: whoever comes first, signals find the group */
  if (child != 0) return child;
  setpgid(0, 0);
  sigprocmask(SIG_UNBLOCK, signals, NULL);
  execvp(command[0], command);
  int why = errno;
  dprintf(2, "berth-init: cannot run '%s': %s\n", command[0], strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

int main(int argc, char** argv) {
  int at = 1;
  prctl(PR_SET_DUMPABLE, 0);
  if (at + 1 < argc && strcmp(argv[at], "--exit-fd") == 0) {
    exit_file = atoi(argv[at + 1]);
    fcntl(exit_file, F_SETFD, FD_CLOEXEC);
    at += 2;
  }
  char** command = at < argc && strcmp(argv[at], "--") == 0 && at + 1 < argc ? argv + at + 1 : NULL;

  sigset_t signals;
  sigfillset(&signals);
  for (const int* left = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, 0}; *left != 0; ++left)
    sigdelset(&signals, *left);
  sigprocmask(SIG_SETMASK, &signals, NULL);
  note("started", -1);
  pid_t child = command != NULL ? run(command, &signals) : 0;
  if (child < 0) {
    dprintf(2, "berth-init: cannot fork: %s\n", strerror(errno));
    return 126;
  }
  for (;;) {
    int signal = sigwaitinfo(&signals, NULL);
    if (signal == SIGCHLD) {
      int status = 0;
      for (pid_t ended = waitpid(-1, &status, WNOHANG); ended > 0; ended = waitpid(-1, &status, WNOHANG)) {
        if (ended != child) continue;
        if (WIFSIGNALED(status)) note("signalled", WTERMSIG(status));
        else note("exited", WEXITSTATUS(status));
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      }
    } else if (child == 0 && (signal == SIGTERM || signal == SIGINT)) {
      note("signalled", signal);
      return 128 + signal;
    } else if (child > 0 && (signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2)) {
      kill(-child, signal);
    }
  }
}
