// berth past, berth diff: the moments that there are, and what changed between two.
#include "ops/cli/command/registry.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kValueMax = 40;

const char* sign_of(const json::value& change) {
  if (find_path(change, "before")->is_null()) return "+";
  return find_path(change, "after")->is_null() ? "-" : "~";
}

std::string short_text(const json::value& value) {
  const std::string text =
      value.is_object() || value.is_array() ? json::serialize(value) : scalar_text(value);
  return text.size() <= kValueMax ? text : text.substr(0, kValueMax) + "...";
}

// "status: RUNNING -> TERMINATED", of the members that differ.
std::string differences(const json::value& change) {
  const auto* before = find_path(change, "before");
  const auto* after = find_path(change, "after");
  if (!before->is_object() || !after->is_object()) return {};
  std::string text;
  for (const auto& [name, value] : after->get_object()) {
    const auto* was = before->get_object().if_contains(name);
    if (was != nullptr && *was == value) continue;
    text += (text.empty() ? "" : ", ") + std::string(name) + ": " +
            (was == nullptr ? "none" : short_text(*was)) + " -> " + short_text(value);
  }
  return text;
}

Listing diff_listing() {
  Listing listing;
  listing.columns = {{"CHANGE", [](const json::value& change) { return std::string(sign_of(change)); }},
                     column("NOUN", "noun"),
                     column("NAME", "name"),
                     {"DIFFERENCE", differences}};
  listing.shortened = "DIFFERENCE";
  listing.fields = {"noun", "id", "name", "before", "after"};
  return listing;
}

void print_change(Shell& shell, const json::value& change) {
  shell.out() << sign_of(change) << " " << printable(text_at(change, "noun")) << " "
              << printable(text_at(change, "name"));
  if (const std::string text = differences(change); !text.empty()) shell.out() << "  " << printable(text);
  shell.out() << "\n";
  for (const auto& event : array_at(change, "events")) {
    const std::string line = text_at(event, "line");  // empty where there are too many
    shell.out() << "    " << local_time(text_at(event, "time"), shell.style().utc_offset) << "  "
                << printable(text_at(event, "position")) << "  "
                << printable(line.empty() ? text_at(event, "type") : line) << "\n";
  }
  if (const auto more = integer_at(change, "more_events"); more > 0)
    shell.out() << "    and " << more << " more events\n";
}

struct Wanted {
  std::string from, to, noun;
};

Outcome<int> diff(Shell& shell, const Wanted& o) {
  const auto api = shell.api();
  if (!api) return api.failure();
  json::array all;
  std::string page;
  do {
    const auto reply = having_list(
        (*api)->get(with_query(
            "/v1/diff",
            {{"from", shell.moment(o.from)}, {"to", shell.moment(o.to)}, {"noun", o.noun}, {"page", page}})),
        "changes");
    if (!reply) return reply.failure();
    for (const auto& change : array_at(reply->body, "changes"))
      if (shell.style().format == Format::kTable)
        print_change(shell, change);
      else
        all.push_back(change);
    page = text_at(reply->body, "next");
  } while (!page.empty());
  if (shell.style().format != Format::kTable) shell.out() << print_list(all, diff_listing(), shell.style());
  return kOk;
}

Listing bounds_listing() {
  Listing listing;
  listing.columns = {column("FIRST", "first.position"), time_column("FIRST TIME", "first.time"),
                     column("LAST", "last.position"), time_column("LAST TIME", "last.time")};
  listing.name_path = "last.position";
  return listing;
}

}  // namespace

void add_diff_commands(Registry& registry) {
  auto o = std::make_shared<Wanted>();
  auto* verb =
      registry.verb(nullptr, "diff", "What changed between two moments, with the events that did it");
  verb->add_option("FROM", o->from, "A position (1234), a time with its zone, or 14:03, the last one")
      ->required();
  verb->add_option("TO", o->to, "The same; without it: now");
  verb->add_option("--noun", o->noun, "Only of these: session, agent, folder, user, group, ...")
      ->type_name("NOUN");
  registry.on(verb, "  berth diff 14:03 14:05\n  berth diff 1200 1234 --noun session -o json",
              [o](Shell& shell) { return diff(shell, *o); });
  auto* past = registry.verb(nullptr, "past", "The moments that --at and `berth diff` take");
  registry.on(past, "  berth past", [](Shell& shell) -> Outcome<int> {
    const auto api = shell.api();
    if (!api) return api.failure();
    const auto reply = having((*api)->get("/v1/past"), {"first", "last"});
    if (!reply) return reply.failure();
    shell.out() << print_one(reply->body, bounds_listing(), shell.style());
    return kOk;
  });
}

}  // namespace berth::cli
