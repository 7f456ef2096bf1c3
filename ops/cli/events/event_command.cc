// berth event tail, berth session events
#include <algorithm>

#include "ops/cli/app.h"
#include "ops/cli/command/paging.h"
#include "ops/cli/command/registry.h"
#include "ops/cli/command/wait.h"
#include "ops/cli/events/event_types.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/views.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

struct Tail {
  std::string from, session, type, timeout, until;
  bool no_follow = false;
  bool follow = true;
  std::uint64_t count = 0;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// "from" of the command line as parameter and resume id: an offset, the id of the last event seen, "begin" or
// "now".
Outcome<std::pair<std::string, std::string>> start_of(const std::string& from) {
  using Start = std::pair<std::string, std::string>;
  if (from.empty() || from == "now") return Start{"", ""};
  if (from == "begin") return Start{"0", ""};
  if (is_number(from)) return Start{from, ""};
  const auto dash = from.find('-');
  if (dash != std::string::npos && is_number(from.substr(0, dash)) && is_number(from.substr(dash + 1)))
    return Start{"", from};
  return usage_failure("--from '" + from.substr(0, 40) + "' is no place in the journal",
                       "an offset like 17, an event's id like 17-0 (goes on behind it), begin or now");
}

class Printer {
 public:
  explicit Printer(Shell& shell) : shell_(shell) {}
  bool print(const json::value& event) {
    const Style& style = shell_.style();
    if (style.format == Format::kTable) {
      shell_.out() << event_line(event, style) << std::endl;
    } else {
      Style each = style;
      if (style.format == Format::kJson)
        each.format = Format::kJsonl;  // a stream has no end that could close an array
      each.headers = style.headers && first_;
      const std::string text = style.format == Format::kYaml
                                   ? "---\n" + to_yaml(event)
                                   : print_list(json::array{event}, event_listing(), each);
      shell_.out() << text << std::flush;
    }
    first_ = false;
    return static_cast<bool>(shell_.out());
  }

 private:
  Shell& shell_;
  bool first_ = true;
};

// What --until or --count waited for did not come. `when`: "within 5s".
Failure missed(const Tail& o, std::uint64_t seen, ExitCode exit, const std::string& when) {
  const std::string came = std::to_string(seen) + (seen == 1 ? " event" : " events");
  if (o.until.empty())
    return {
        exit, "events-missing", "only " + came + " of " + std::to_string(o.count) + " came " + when, {}, {}};
  return {exit,
          "event-missing",
          "no " + o.until + " came " + when + (seen == 0 ? "" : "; " + came + " of other types did"),
          exit == kTimeout ? "--from begin counts those that there were before; a longer --timeout waits on"
                           : "leave out --no-follow to wait for it",
          {}};
}

// An event that cannot come is not waited for.
Outcome<bool> check_until(const Tail& o) {
  const auto& known = event_types();
  if (o.until.empty()) return true;
  if (std::find(known.begin(), known.end(), o.until) == known.end()) {
    const std::string meant = closest(o.until, known);
    return usage_failure("--until '" + o.until.substr(0, 60) + "' is no type of event",
                         meant.empty()
                             ? "like SessionScheduled; `berth event tail --no-follow` shows those that were"
                             : "did you mean " + meant + "?");
  }
  if (!o.type.empty() && ("," + o.type + ",").find("," + o.until + ",") == std::string::npos)
    return usage_failure(
        "--type " + o.type.substr(0, 60) + " leaves out " + o.until + ", which --until waits for",
        "--type " + o.type.substr(0, 60) + "," + o.until);
  return true;
}

// The events up to and with the first one of --until.
void cut_behind(const std::string& until, json::array& events) {
  const auto is = [&](const json::value& event) { return text_at(event, "type") == until; };
  const auto found = std::find_if(events.begin(), events.end(), is);
  if (found != events.end()) events.erase(found + 1, events.end());
}

// Why the server ends a stream; nullopt: the log stands still, and the next stream goes on behind the last
// event.
std::optional<Failure> ended_by(const json::value& error) {
  const Code code = Code::told(text_at(error, "code"));
  if (code == Code("log-unavailable")) return std::nullopt;
  const bool denied = code == Code("signed-out") || code == Code("rights-changed");
  return Failure{denied ? kDenied : kFailed, code, text_at(error, "detail"), {}, {}};
}

Outcome<int> follow(Shell& shell, Api& api, const Tail& o, std::string from, const std::string& after) {
  const auto deadline = parse_timeout(o.timeout);
  if (!deadline) return deadline.failure();
  if (from.empty() && after.empty()) {
    // "From now on" must name a place, else what happens while a broken stream reconnects would be lost.
    const auto cluster = having(api.get("/v1/cluster"), {"position"});
    if (!cluster) return cluster.failure();
    from = std::to_string(integer_at(cluster->body, "position") + 1);
  }
  if (!o.until.empty()) shell.note("waiting for the first " + o.until + "; Ctrl-C ends it");
  Printer printer(shell);
  std::uint64_t seen = 0;
  bool met = false;
  std::optional<Failure> ended;
  const auto target = with_query(
      "/v1/events", {{"from", after.empty() ? from : ""}, {"session", o.session}, {"type", o.type}});
  const auto done = api.events(target, after, *deadline, [&](const SseEvent& sse) {
    boost::system::error_code error;
    const json::value event = json::parse(sse.data, error);
    if (error) return true;
    if (sse.event == "error") {
      ended = ended_by(event);
      return !ended;
    }
    const bool writable = printer.print(event);
    ++seen;
    met = (o.count != 0 && seen >= o.count) || (!o.until.empty() && text_at(event, "type") == o.until);
    return writable && !met;
  });
  if (ended) return *ended;
  if (!done && done.failure().is_interrupted()) return kOk;
  if (!done && done.failure().exit == kTimeout) {
    if (o.until.empty() && o.count == 0) return kOk;  // --timeout is just when to stop
    return missed(o, seen, kTimeout, "within " + o.timeout);
  }
  if (!done) return done.failure();
  return kOk;
}

Outcome<int> tail(Shell& shell, const Tail& o) {
  if (shell.is_past()) return no_past_failure();
  const auto start = start_of(o.from);
  if (!start) return start.failure();
  if (const auto checked = check_until(o); !checked) return checked.failure();
  shell.catch_signals();
  const auto api = shell.api();
  if (!api) return api.failure();
  if (o.follow && !o.no_follow) return follow(shell, **api, o, start->first, start->second);
  auto events = get_all(
      **api,
      with_query(
          "/v1/events",
          {{"from", start->first}, {"after", start->second}, {"session", o.session}, {"type", o.type}}),
      "events", o.count);
  if (!events) return events.failure();
  if (!o.until.empty()) cut_behind(o.until, *events);
  if (shell.style().format == Format::kTable) {
    for (const auto& event : *events) shell.out() << event_line(event, shell.style()) << "\n";
  } else {
    shell.out() << print_list(*events, event_listing(), shell.style());
  }
  const bool met = o.until.empty() || (!events->empty() && text_at(events->back(), "type") == o.until);
  if (!met) return missed(o, events->size(), kNotFound, "so far");
  return kOk;
}

void add_filters(CLI::App* app, Tail& o) {
  app->add_option("--from", o.from, "Offset (17), behind an event (17-0), begin or now")->type_name("PLACE");
  app->add_option("-t,--type", o.type, "Only these types, like SessionScheduled,KernelRunning")
      ->type_name("TYPES");
  app->add_option("-n,--count", o.count, "Stop after so many")->type_name("N");
  app->add_option("--until", o.until, "Stop behind the first event of this type")->type_name("TYPE");
  app->add_option("--timeout", o.timeout, "Stop after this long; with --count or --until: exit 7")
      ->type_name("DURATION");
}

void add_session_filter(CLI::App* app, Tail& o) {
  app->add_option("-s,--session", o.session, "Only of this session")->type_name("SESSION");
}

}  // namespace

void add_event_commands(Registry& registry) {
  auto* noun = registry.noun("event", "The journal: everything that ever happened", {"events"});
  add_event_export(registry, noun);
  auto o = std::make_shared<Tail>();
  auto* tail_app = registry.verb(
      noun, "tail", "Events as they happen, one line each; goes on exactly where it was after a break");
  add_filters(tail_app, *o);
  add_session_filter(tail_app, *o);
  tail_app->add_flag("-f,--follow", o->follow, "Wait for more (default)");
  tail_app->add_flag("--no-follow", o->no_follow,
                     "Print what is there and end (from the beginning, unless --from)");
  registry.on(tail_app,
              "  berth event tail\n"
              "  berth event tail --from begin --type SessionScheduled,KernelTerminated\n"
              "  berth event tail --no-follow -o jsonl > journal.jsonl",
              [o](Shell& shell) { return tail(shell, *o); });
  auto listed = std::make_shared<Tail>();
  listed->follow = false;
  auto* ls = registry.verb(noun, "ls", "The events that there are, like tail --no-follow", {"list"});
  add_filters(ls, *listed);
  add_session_filter(ls, *listed);
  registry.on(ls, "  berth event ls --type SessionScheduled -o csv",
              [listed](Shell& shell) { return tail(shell, *listed); });
}

void add_session_events(Registry& registry, CLI::App* noun) {
  auto o = std::make_shared<Tail>();
  auto* events = registry.verb(noun, "events", "What happened to one session");
  events->add_option("SESSION", o->session, "Name or id")->required();
  add_filters(events, *o);
  o->follow = false;
  events->add_flag("-f,--follow", o->follow, "Wait for more");
  registry.on(events, "  berth session events demo-1\n  berth session events demo-1 --follow",
              [o](Shell& shell) {
                if (o->follow && o->from.empty()) o->from = "begin";
                return tail(shell, *o);
              });
}

}  // namespace berth::cli
