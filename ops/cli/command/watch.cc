#include "ops/cli/command/watch.h"

#include "ops/cli/command/paging.h"
#include "ops/cli/output/json_text.h"

namespace berth::cli {

Outcome<int> watch(Shell& shell, const std::string& target, const char* member,
                   const std::function<std::string(const ApiReply&)>& show) {
  if (shell.is_past()) return no_past_failure();
  shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  const bool redraw = shell.world().out_is_terminal;
  const bool blank_between = shell.style().format == Format::kTable || shell.style().format == Format::kWide;
  std::string last;
  std::int64_t position = -1;
  for (bool first = true;;) {
    // Ages in the text move by themselves, so the wait is short on a terminal.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(redraw ? 1 : 30);
    auto reply = first ? [&]() -> Outcome<std::optional<ApiReply>> {
      auto now = (*api)->get(target);
      if (!now) return now.failure();
      return std::optional<ApiReply>(std::move(*now));
    }()
        : (*api)->get_after(target, position, deadline);
    if (!reply && reply.failure().is_interrupted()) return kOk;
    if (!reply && reply.failure().exit != kTimeout) return reply.failure();
    const bool moved = reply && reply->has_value();
    if (!moved && redraw && !first) {
      auto now = (*api)->get(target);
      if (!now && now.failure().is_interrupted()) return kOk;
      if (now) reply = Outcome<std::optional<ApiReply>>(std::optional<ApiReply>(std::move(*now)));
    }
    if (reply && reply->has_value()) {
      if (auto failure = lacking((*reply)->body, {member})) return std::move(*failure);
      position = (*reply)->position;
      const std::string text = show(**reply);
      if (text != last) {
        if (redraw)
          shell.out() << "\x1b[H\x1b[2J";
        else if (!first && blank_between)
          shell.out() << "\n";
        shell.out() << text << std::flush;
        last = text;
      }
      first = false;
    }
    if (!shell.out()) return kOk;  // whoever read us is gone
    if (!(*api)->pause(std::chrono::milliseconds(position < 0 ? 1000 : 50))) return kOk;
  }
}

Outcome<int> show_or_watch(Shell& shell, bool again, const std::string& target, const char* member,
                           const std::function<std::string(const ApiReply&)>& show) {
  if (again) return watch(shell, target, member, show);
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto reply = having((*api)->get(target), {member});
  if (!reply) return reply.failure();
  shell.out() << show(*reply);
  return kOk;
}

Outcome<int> show_list(Shell& shell, const std::string& target, const char* key, const Listing& listing,
                       bool again) {
  const auto print = [&](const boost::json::array& items) {
    return print_list(items, listing, shell.style());
  };
  if (again)
    return watch(shell, with_query(target, {{"limit", "1000"}}), key,
                 [&](const ApiReply& reply) { return print(array_at(reply.body, key)); });
  const auto api = shell.api();
  if (!api) return api.failure();
  const auto items = get_all(**api, target, key);
  if (!items) return items.failure();
  shell.out() << print(*items);
  return kOk;
}

}  // namespace berth::cli
