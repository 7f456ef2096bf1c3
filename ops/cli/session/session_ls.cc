// berth session ls, show and why
#include <algorithm>

#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/command/watch.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

struct Ls {
  std::string state, name, user, group, since;
  bool all = false;
  bool shared = false;
  bool watch = false;
  std::size_t limit = 0;
};

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// "2h" before now, or a time as it is.
Outcome<std::string> since_time(const std::string& text, Timestamp now) {
  if (text.empty() || parse_time(text)) return text;
  const auto span = parse_duration(text);
  if (!span || *span > now)
    return usage_failure("'" + text.substr(0, 40) + "' is neither a time nor a duration",
                         "write 2h, 3d or 2026-01-31T18:00:00Z");
  return format_time((now - *span) / kSecond * kSecond);
}

Outcome<int> list_sessions(Shell& shell, const Ls& o) {
  const bool word = o.state == "live" || o.state == "ended" || o.state == "all";
  const bool all = o.all || (o.state.empty() && !o.since.empty());
  const std::string state = all ? "all" : word ? o.state : upper(o.state);
  const auto since = since_time(o.since, shell.now());
  if (!since) return since.failure();
  const std::string target = with_query("/v1/sessions", {{"state", state},
                                                         {"name", o.name},
                                                         {"user", o.user},
                                                         {"group", o.group},
                                                         {"since", *since},
                                                         {"shared", o.shared ? "true" : ""}});
  const bool ended = !state.empty() && state != "live";
  const auto print = [&](const boost::json::array& sessions) {
    Listing listing = session_listing(shell.now(), ended);
    const bool any = std::ranges::any_of(sessions, [](const auto& s) { return !share_text(s).empty(); });
    return print_list(sessions, any ? with_shares(std::move(listing)) : listing, shell.style());
  };
  if (o.watch)
    return watch(shell, with_query(target, {{"limit", std::to_string(o.limit == 0 ? 1000 : o.limit)}}),
                 "sessions", [&](const ApiReply& reply) { return print(array_at(reply.body, "sessions")); });
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto sessions = get_all(**api, target, "sessions", o.limit);
  if (!sessions) return sessions.failure();
  shell.out() << print(*sessions);
  const bool table = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  if (sessions->empty() && table)
    shell.note(!state.empty() ? "no such session" : "no session is live; --all shows the ended ones too");
  return kOk;
}

}  // namespace

void add_session_ls(Registry& registry, CLI::App* noun, const char* name) {
  auto o = std::make_shared<Ls>();
  auto* ls = registry.verb(
      noun, name, "List sessions",
      noun == nullptr ? std::initializer_list<const char*>{} : std::initializer_list<const char*>{"list"});
  ls->add_option("-s,--state", o->state, "Only these: PENDING,RUNNING or live (default), ended, all")
      ->type_name("STATES");
  ls->add_option("--name", o->name, "Only this name")->type_name("NAME");
  ls->add_option("-u,--user", o->user, "Only of this user (superadmin)")->type_name("USER");
  ls->add_option("-g,--group", o->group, "Only of this resource group")->type_name("GROUP");
  ls->add_option("--since", o->since, "The ended ones too that ended since then, like 2h or a time")
      ->type_name("TIME");
  ls->add_option("--limit", o->limit, "At most so many")->type_name("N");
  ls->add_flag("--shared", o->shared, "Only those that others share with you");
  ls->add_flag("-a,--all", o->all, "The ended ones too, newest first, and how they ended");
  ls->add_flag("-w,--watch", o->watch, "Again at every change, until Ctrl-C");
  registry.on(ls,
              "  berth session ls --all\n"
              "  berth session ls --state ended --since 1d\n"
              "  berth session ls --state PENDING -o wide\n"
              "  berth session ls -o json --watch",
              [o](Shell& shell) { return list_sessions(shell, *o); });
}

void add_session_show(Registry& registry, CLI::App* noun) {
  struct Show {
    std::string session;
    bool watch = false;
    WaitFor wait;
    bool waits = false;
  };
  auto o = std::make_shared<Show>();
  auto* show = registry.verb(noun, "show", "One session with its kernels", {"get", "describe"});
  show->add_option("SESSION", o->session, "Name or id")->required();
  show->add_flag("--watch", o->watch, "Again at every change, until Ctrl-C");
  show->add_option("--wait", o->wait.state, "Wait until it is RUNNING, or in STATE")
      ->type_name("[=STATE]")
      ->expected(0, 1)
      ->each([o](const std::string&) { o->waits = true; });
  show->add_option("--timeout", o->wait.timeout, "How long to wait at most, like 30s")->type_name("DURATION");
  registry.on(show,
              "  berth session show demo-1\n  berth session show demo-1 -o json\n  berth session show demo-3 "
              "--wait --timeout 30s",
              [o](Shell& shell) -> Outcome<int> {
                const std::string target = with_query("/v1/sessions/" + percent_encoded(o->session),
                                                      {{"estimate", o->waits || o->watch ? "" : "true"}});
                const auto text = [&shell](const boost::json::value& s) {
                  const bool plain = shell.style().format == Format::kTable;
                  return plain ? session_text(s, shell.now(), shell.style())
                               : print_one(s, session_listing(shell.now()), shell.style());
                };
                if (!o->waits)
                  return show_or_watch(shell, o->watch, target, "status",
                                       [&](const ApiReply& reply) { return text(reply.body); });
                const auto state = parse_wait_state(o->wait.state, "RUNNING");
                if (!state) return state.failure();
                shell.catch_signals();
                const auto api = shell.api();
                if (!api) return api.failure();
                const auto waited = wait_for(shell, **api, {o->session}, {*state, o->wait.timeout}, 0);
                if (!waited) return waited.failure();
                shell.end_status();
                for (const auto& session : waited->sessions) shell.out() << text(session);
                return waited->exit;
              });
}

namespace {

// "job ended ERROR: start-failed: no such file", as `session show` has it.
Outcome<int> tell_end(Shell& shell, Api& api, const std::string& path) {
  const auto session = api.get(path);
  if (!session) return session.failure();
  std::string text = text_at(session->body, "name") + " ended " + text_at(session->body, "status");
  for (const char* more : {"reason.code", "message"})
    if (const std::string why = text_at(session->body, more); !why.empty()) text += ": " + why;
  shell.out() << printable(text) << "\n";
  return kOk;
}

Outcome<int> tell_why(Shell& shell, const std::string& session) {
  Listing listing;
  listing.columns = {column("NAME", "name"), column("STATUS", "status"), column("CODE", "code"),
                     column("SLOT", "slot"), column("TEXT", "text"),     column("HINT", "hint")};
  const auto api = shell.api();
  if (!api) return api.failure();
  const std::string path = "/v1/sessions/" + percent_encoded(session);
  const auto why = having((*api)->get(path + "/why"), {"status"});
  if (!why) return why.failure();
  const bool plain = shell.style().format == Format::kTable;
  if (plain && is_ended(text_at(why->body, "status"))) return tell_end(shell, **api, path);
  shell.out() << (plain ? why_text(why->body, shell.now(), shell.style())
                        : print_one(why->body, listing, shell.style()));
  return kOk;
}

}  // namespace

void add_session_why(Registry& registry, CLI::App* noun) {
  auto session = std::make_shared<std::string>();
  auto* why =
      registry.verb(noun, "why", "Why it waits: which slot, what the best place has free, who holds it");
  why->add_option("SESSION", *session, "Name or id")->required();
  registry.on(why, "  berth session why demo-3",
              [session](Shell& shell) { return tell_why(shell, *session); });
}

void add_session_commands(Registry& registry) {
  auto* noun = registry.noun("session", "Sessions: what people ask for", {"sessions", "s"});
  add_session_run(registry, noun, "run");
  add_session_ls(registry, noun, "ls");
  add_session_show(registry, noun);
  add_session_end(registry, noun);
  add_session_logs(registry, noun, "logs");
  add_session_attach(registry, noun);
  add_session_exec(registry, noun);
  add_session_shell(registry, noun);
  add_session_cp(registry, noun);
  add_session_events(registry, noun);
  add_session_share(registry, noun);
  add_session_why(registry, noun);
  add_session_run(registry, nullptr, "run");
  add_session_ls(registry, nullptr, "ps");
  add_session_logs(registry, nullptr, "logs");
  add_session_why(registry, nullptr);
  add_session_exec(registry, nullptr);
  add_session_shell(registry, nullptr);
  add_session_cp(registry, nullptr);
}

}  // namespace berth::cli
