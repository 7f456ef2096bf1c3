// berth session logs
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/kernel_log.h"

namespace berth::cli {
namespace {

struct Logs {
  std::string session;
  std::string kernel;
  bool follow = false;
  std::optional<std::int64_t> tail;
};

// Some kernel of it runs or has run, or none ever will.
bool has_started(const boost::json::value& session) {
  for (const auto& kernel : array_at(session, "kernels"))
    if (!text_at(kernel, "started_at").empty()) return true;
  return is_ended(text_at(session, "status"));
}

// An empty log is told, else it looks like a failure of ours.
void tell_silence(Shell& shell, Api& api, const Logs& o) {
  const auto session = api.get("/v1/sessions/" + percent_encoded(o.session));
  if (!session) return;
  const std::string name = text_at(session->body, "name"), status = text_at(session->body, "status");
  const std::string who = o.kernel.empty() ? name : o.kernel + " of " + name;
  if (is_ended(status))
    shell.note(who + " wrote nothing: " + end_text(session->body));
  else
    shell.note(who + " has written nothing so far and is " + status + "; -f waits for more");
}

Outcome<int> print_logs(Shell& shell, const Logs& o) {
  if (o.follow) shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (o.follow) {
    const auto started = wait_until(shell, **api, o.session, has_started, true, Api::never(), 0);
    if (!started && started.failure().is_interrupted()) return kOk;
    if (!started) return started.failure();
    shell.end_status();
  }
  KernelLog log(shell, **api, o.session, o.kernel, o.tail);
  for (;;) {
    const auto ended = log.print();
    if (!ended && o.follow && ended.failure().is_interrupted()) return kOk;
    if (!ended) return ended.failure();
    if (!*ended && o.follow && (*api)->pause(kLogPause)) continue;
    if (!log.any()) tell_silence(shell, **api, o);
    return kOk;
  }
}

}  // namespace

void add_session_logs(Registry& registry, CLI::App* noun, const char* name) {
  auto o = std::make_shared<Logs>();
  auto* logs = registry.verb(noun, name, "What a kernel wrote to stdout and stderr");
  logs->add_option("SESSION", o->session, "Name or id")->required();
  logs->add_option("-k,--kernel", o->kernel, "Which kernel (default main1)")->type_name("NAME");
  logs->add_flag("-f,--follow", o->follow,
                 "Go on until the kernel has ended, or Ctrl-C; wait if it has not started");
  logs->add_option("--tail", o->tail, "Only the last N lines")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
  registry.on(logs,
              "  berth session logs job-1 --tail 20\n  berth session logs job-1 --follow\n\n"
              "On a terminal what would steer it is shown (^[[31m), not run; into a file or a pipe the bytes "
              "go as they are.",
              [o](Shell& shell) { return print_logs(shell, *o); });
}

}  // namespace berth::cli
