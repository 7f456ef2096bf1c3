// berth session logs
#include "ops/cli/command/registry.h"

#include <charconv>

namespace berth::cli {
namespace {

struct Logs {
  std::string session;
  std::string kernel;
  bool follow = false;
  std::int64_t tail_bytes = 0;
};

std::int64_t number(const std::string& text, std::int64_t fallback) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : fallback;
}

// The kernel's bytes as they are, to stdout: nothing of ours is mixed in.
Outcome<int> print_logs(Shell& shell, const Logs& o) {
  if (o.follow) shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  std::string offset = o.tail_bytes > 0 ? std::to_string(-o.tail_bytes) : "0";
  for (;;) {
    const auto reply =
        (*api)->get(with_query("/v1/sessions/" + percent_encoded(o.session) + "/logs",
                               {{"kernel", o.kernel}, {"offset", offset}, {"limit", "262144"}}));
    if (!reply && o.follow && reply.failure().is_interrupted()) return kOk;
    if (!reply) return reply.failure();
    shell.out() << reply->raw << std::flush;
    if (!shell.out()) return kOk;
    const std::string next = reply->http.header("x-berth-log-next");
    if (reply->http.header("x-berth-log-end") == "true" || next.empty()) return kOk;
    const bool moved = number(next, 0) != number(offset, -1) && !reply->raw.empty();
    offset = next;
    if (moved) continue;
    if (!o.follow) return kOk;
    if (!(*api)->pause(std::chrono::milliseconds(300))) return kOk;
  }
}

}  // namespace

void add_session_logs(Registry& registry, CLI::App* noun, const char* name) {
  auto o = std::make_shared<Logs>();
  auto* logs = registry.verb(noun, name, "What a kernel wrote to stdout and stderr");
  logs->add_option("SESSION", o->session, "Name or id")->required();
  logs->add_option("-k,--kernel", o->kernel, "Which kernel (default main1)")->type_name("NAME");
  logs->add_flag("-f,--follow", o->follow, "Go on until the kernel has ended, or Ctrl-C");
  logs->add_option("--tail", o->tail_bytes, "Only the last N bytes")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  registry.on(logs, "  berth session logs job-1\n  berth session logs job-1 --follow",
              [o](Shell& shell) { return print_logs(shell, *o); });
}

}  // namespace berth::cli
