// berth session rm
#include <algorithm>

#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"
#include "ops/cli/session/losses.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct End {
  std::vector<std::string> sessions;
  bool forced = false, yes = false;
  std::string reason;
  WaitFor wait;
  bool waits = false;
};

// What is ended already is what was asked for: said, and no failure, when several are named.
Outcome<int> end_sessions(Shell& shell, const End& o) {
  std::string state = "ended";
  if (o.waits) {
    auto parsed = parse_wait_state(o.wait.state, "ended");
    if (!parsed) return parsed.failure();
    state = *parsed;
  }
  if (const auto timeout = parse_timeout(o.wait.timeout); !timeout) return timeout.failure();
  if (o.waits) shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (!o.yes)
    if (const auto confirmed = confirm_losses(shell, **api, o.sessions); !confirmed)
      return confirmed.failure();
  json::array ended;
  std::vector<std::string> ids;
  std::int64_t position = -1;
  int exit = kOk;
  for (const auto& session : o.sessions) {
    const auto target = with_query("/v1/sessions/" + percent_encoded(session),
                                   {{"forced", o.forced ? "true" : ""}, {"reason", o.reason}});
    const auto reply = having((*api)->remove(target), {"session"});
    if (!reply) {
      if (o.sessions.size() == 1) return reply.failure();
      print_failure(shell.err(), reply.failure(), shell.style().format, false);
      exit = reply.failure().exit;
      continue;
    }
    position = std::max(position, reply->position);
    const auto& body = *find_path(reply->body, "session");
    ids.push_back(text_at(body, "id"));
    ended.push_back(body);
  }
  if (o.waits && !ids.empty()) {
    auto waited = wait_for(shell, **api, ids, {state, o.wait.timeout}, position);
    if (!waited) return waited.failure();
    ended = waited->sessions;
    if (exit == kOk) exit = waited->exit;
  }
  shell.end_status();
  shell.out() << print_list(ended, session_listing(shell.now()), shell.style());
  return exit;
}

}  // namespace

void add_session_end(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<End>();
  auto* rm = registry.verb(noun, "rm", "End sessions; their slots are free when the agent has confirmed it",
                           {"end", "terminate", "delete"});
  rm->add_option("SESSION", o->sessions, "Names or ids")->required();
  rm->add_flag("-f,--force,--forced", o->forced,
               "Show it as ended at once; its slots come free as ever, when the agent confirms the end");
  rm->add_flag("-y,--yes", o->yes, "Do not ask on a terminal where files end with a session");
  rm->add_option("--reason", o->reason, "Why, for the record")->type_name("TEXT");
  rm->add_option("--wait", o->wait.state, "Wait until the end is confirmed")
      ->type_name("[=STATE]")
      ->expected(0, 1)
      ->each([o](const std::string&) { o->waits = true; });
  rm->add_option("--timeout", o->wait.timeout, "How long to wait at most, like 30s")->type_name("DURATION");
  registry.on(rm, "  berth session rm demo-1\n  berth session rm demo-1 demo-2 --wait --timeout 30s",
              [o](Shell& shell) { return end_sessions(shell, *o); });
  add_session_losses(registry, noun);
}

}  // namespace berth::cli
