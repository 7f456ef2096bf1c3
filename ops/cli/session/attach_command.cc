// berth session attach
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/session/attach.h"

namespace berth::cli {
namespace {

Outcome<int> follow_session(Shell& shell, const std::string& session, const std::string& timeout) {
  if (const auto parsed = parse_timeout(timeout); !parsed) return parsed.failure();
  shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto waited = wait_for(shell, **api, {session}, {"ended", timeout, true}, 0);
  if (!waited) return waited.failure();
  shell.end_status();
  for (const auto& one : waited->sessions) shell.note(parting_words(one));
  return waited->exit == kOk ? job_exit_code(waited->sessions) : waited->exit;
}

}  // namespace

void add_session_attach(Registry& registry, CLI::App* noun) {
  struct Attach {
    std::string session, timeout;
  };
  auto o = std::make_shared<Attach>();
  auto* attach = registry.verb(noun, "attach", "Follow what a session writes until it has ended");
  attach->add_option("SESSION", o->session, "Name or id")->required();
  attach->add_option("--timeout", o->timeout, "How long at most, like 30s")->type_name("DURATION");
  registry.on(
      attach,
      "  berth session attach job-1\n\n"
      "What its first kernel has written comes first, as of `session run`; Ctrl-C leaves, and the session "
      "goes on.\n"
      "How it ended is said on stderr, and its code is the exit code. `berth session shell` opens a shell "
      "in it.",
      [o](Shell& shell) { return follow_session(shell, o->session, o->timeout); });
}

}  // namespace berth::cli
