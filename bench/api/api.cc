#include "bench/api/api.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>

#include "bench/api/api_server.h"
#include "bench/api/http_load.h"
#include "bench/report.h"
#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::size_t kConnections = 32;
constexpr std::size_t kDetails = 2'000;  // sessions asked for by turns
constexpr std::size_t kPages = 50;

struct ApiBenchOptions {
  std::string dir;
  std::uint32_t agents = 200;
  std::uint64_t sessions = 20'000;
  std::uint32_t watchers = 1'000;
  std::uint64_t turns = 3;
  double seconds = 5;  // of a turn
  std::uint64_t rate = 2'000;
  std::uint64_t slow_rate = 20;
  std::uint64_t seed = 1;
  bool quick = false;

  std::uint64_t per_turn() const {
    return static_cast<std::uint64_t>(static_cast<double>(rate == 0 ? 10'000 : rate) * seconds);
  }
  std::uint64_t slow() const {
    return static_cast<std::uint64_t>(static_cast<double>(slow_rate) * 2 * seconds);
  }
  std::uint64_t all_sessions() const { return sessions + slow() + 3 * turns * per_turn(); }
};

// Answers by a route, and static ones as long, in turns.
struct Compared {
  std::vector<double> per_s, cpu_us, static_per_s, static_cpu_us;
  std::size_t bytes = 0;

  void take_turn(const ApiServer& server, const std::vector<std::string>& requests, double seconds) {
    const LoadResult real = load(server.port(), kConnections, requests, seconds);
    bytes = real.body_bytes;
    const LoadResult bare =
        load(server.port(), kConnections, {server.get("admin", ApiServer::static_target(bytes))}, seconds);
    per_s.push_back(real.per_s);
    cpu_us.push_back(real.cpu_us);
    static_per_s.push_back(bare.per_s);
    static_cpu_us.push_back(bare.cpu_us);
  }
  double ratio() const { return median(per_s) / median(static_per_s); }
  void say(const char* what) const {
    std::cerr << "api: " << what << " of " << bytes << " bytes: " << median(per_s) << "/s, " << median(cpu_us)
              << " us of CPU; static: " << median(static_per_s) << "/s, " << median(static_cpu_us) << " us\n";
  }
};

std::vector<std::string> detail_requests(const ApiServer& server, const Cell& cell, std::uint64_t sessions) {
  std::vector<std::string> requests;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(sessions, kDetails); ++i)
    requests.push_back(server.get("admin", "/v1/sessions/" + to_string(cell.id_of(i * 7'919 % sessions))));
  return requests;
}

// Of the first pages, each as its page before says.
std::vector<std::string> list_requests(const ApiServer& server) {
  std::vector<std::string> requests;
  std::string target = "/v1/sessions?limit=100";
  while (requests.size() < kPages) {
    requests.push_back(server.get("admin", target));
    const auto page = boost::json::parse(load(server.port(), 1, {requests.back()}, 0.001).body);
    const auto& next = page.at("next_page_token");
    if (next.is_null()) break;
    target = "/v1/sessions?limit=100&page_token=" + std::string(next.as_string());
  }
  return requests;
}

std::vector<std::string> watch_requests(const ApiServer& server, std::uint32_t watchers,
                                        const std::function<std::string(std::uint32_t)>& user) {
  std::vector<std::string> requests;
  for (std::uint32_t i = 0; i < watchers; ++i)
    requests.push_back(server.get(user(i), "/v1/watch?tables=sessions"));
  return requests;
}

// How long after its request was appended a session first comes to each watcher.
class Arrivals {
 public:
  Arrivals(const Cell& cell, std::uint64_t from, std::uint64_t to, std::size_t watchers)
      : cell_(cell), from_(from), to_(to), seen_(watchers, std::vector<bool>(to - from)) {}

  void on_put(std::size_t watcher, std::string_view id, std::int64_t at) {
    const std::uint64_t session = Cell::session_of(Uuid::parse(id).value_or(Uuid{}).view());
    if (session < from_ || session >= to_ || seen_[watcher][session - from_]) return;
    seen_[watcher][session - from_] = true;
    ns_.push_back(at - cell_.sent_at(session));
    ++count_;
  }
  void wait(std::size_t count) const {
    const Stopwatch watch;
    while (count_ < count) {
      if (watch.seconds() > 60) give_up(make_error("internal-error", "watchers missed rows"));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  // Once all came.
  double p99_ms() { return percentile_ms(ns_, 990); }
  double p50_ms() { return percentile_ms(ns_, 500); }

 private:
  const Cell& cell_;
  const std::uint64_t from_, to_;
  std::vector<std::vector<bool>> seen_;  // by watcher and session
  std::vector<std::int64_t> ns_;
  std::atomic<std::size_t> count_ = 0;
};

// What goes on beside placements: nothing; watchers, each of a project of its own, are told of theirs; or
// people guess passwords, more of them than may wait.
enum class Beside : std::uint8_t { kNothing, kWatchers, kLogins };

struct Placed {
  std::vector<double> per_s, p99_ms, arrival_p99_ms;
};

class ApiBench {
 public:
  explicit ApiBench(const ApiBenchOptions& options)
      : o_(options),
        folder_(o_.dir, "berth-bench-api"),
        log_(open_fresh_log("", folder_.path(), "c0")),
        cell_({folder_.path(), o_.agents, o_.all_sessions(), o_.seed, o_.watchers, true}, *log_),
        server_(cell_) {
    cell_.bring_up();
    server_.start();
    cell_.prepare(0, o_.all_sessions());
    cell_.saturate(0, o_.sessions);
    next_ = o_.sessions;
    std::cerr << "api: " << next_ << " sessions on " << o_.agents << " agents\n";
  }

  Report measure();

 private:
  void measure_arrivals();
  void flood() const;
  void place(Beside beside, Placed& out);

  const ApiBenchOptions o_;
  const TempFolder folder_;
  const std::unique_ptr<EventLog> log_;
  Cell cell_;
  ApiServer server_;
  std::uint64_t next_ = 0;  // session to be asked for
  double sse_p50_ms_ = 0, sse_p99_ms_ = 0;
};

void ApiBench::measure_arrivals() {
  const std::uint64_t from = next_, to = from + o_.slow();
  Arrivals arrivals(cell_, from, to, o_.watchers);
  const Watchers watchers(server_.port(),
                          watch_requests(server_, o_.watchers, [](std::uint32_t) { return "admin"; }),
                          [&](auto watcher, auto id, auto at) { arrivals.on_put(watcher, id, at); });
  cell_.send_at_rate(from, to, o_.slow_rate);
  arrivals.wait((to - from) * o_.watchers);
  next_ = to;
  sse_p50_ms_ = arrivals.p50_ms();
  sse_p99_ms_ = arrivals.p99_ms();
  std::cerr << "api: " << o_.watchers << " watchers of all at " << o_.slow_rate << " sessions/s: p50 "
            << sse_p50_ms_ << " ms, p99 " << sse_p99_ms_ << " ms\n";
}

void ApiBench::flood() const {
  std::vector<std::string> guesses;
  for (int i = 0; i < 1'000; ++i) guesses.push_back(server_.login("nobody" + std::to_string(i)));
  load(server_.port(), 2 * kConnections, guesses, o_.seconds, "");
}

void ApiBench::place(Beside beside, Placed& out) {
  const std::uint64_t from = next_, to = from + o_.per_turn();
  Arrivals arrivals(cell_, from, to, o_.watchers);
  std::optional<Watchers> watchers;
  std::thread logins;
  if (beside == Beside::kLogins) logins = std::thread([this] { flood(); });
  if (beside == Beside::kWatchers)
    watchers.emplace(
        server_.port(),
        watch_requests(server_, o_.watchers, [this](std::uint32_t i) { return cell_.user_of(i); }),
        [&](auto watcher, auto id, auto at) { arrivals.on_put(watcher, id, at); });
  const Stopwatch watch;
  if (o_.rate == 0)
    cell_.saturate(from, to);
  else
    cell_.send_at_rate(from, to, o_.rate);
  cell_.wait_scheduled(to);
  out.per_s.push_back(static_cast<double>(to - from) / watch.seconds());
  next_ = to;
  if (logins.joinable()) logins.join();
  if (beside == Beside::kWatchers) arrivals.wait(to - from);
  auto ns = cell_.latencies(from, to);
  out.p99_ms.push_back(percentile_ms(ns, 990));
  out.arrival_p99_ms.push_back(arrivals.p99_ms());
}

Report ApiBench::measure() {
  Compared details, lists;
  const auto detail = detail_requests(server_, cell_, o_.sessions), list = list_requests(server_);
  for (std::uint64_t i = 0; i < o_.turns; ++i) {
    details.take_turn(server_, detail, o_.seconds);
    lists.take_turn(server_, list, o_.seconds);
  }
  details.say("a detail");
  lists.say("a list of 100");
  // By one who asks, again and again: what a scraper that asks each second costs is a second's part of it.
  const LoadResult scrapes = load(server_.port(), 1, {server_.get("admin", "/metrics")}, o_.seconds);
  const LoadResult usages = load(server_.port(), 1, {server_.get("admin", "/v1/usage?step=1h")}, o_.seconds);
  std::cerr << "api: /metrics of " << scrapes.body_bytes << " bytes: " << scrapes.cpu_us
            << " us of CPU; usage of a day: " << usages.cpu_us << " us\n";
  measure_arrivals();
  Placed alone, watched, flooded;
  for (std::uint64_t i = 0; i < o_.turns; ++i) {
    place(Beside::kNothing, alone);
    place(Beside::kWatchers, watched);
    place(Beside::kLogins, flooded);
  }
  const double ratio = median(watched.per_s) / median(alone.per_s),
               login_ratio = median(flooded.per_s) / median(alone.per_s);
  std::cerr << "api: placements/s alone " << median(alone.per_s) << " (p99 " << median(alone.p99_ms)
            << " ms), with " << o_.watchers << " watchers " << median(watched.per_s) << " (p99 "
            << median(watched.p99_ms) << " ms; of a row to its watcher " << median(watched.arrival_p99_ms)
            << " ms), in a flood of logins " << median(flooded.per_s) << " (p99 " << median(flooded.p99_ms)
            << " ms)\n";

  Report report;
  report.bench = "api";
  report.options = {{"agents", std::to_string(o_.agents)},     {"sessions", std::to_string(o_.sessions)},
                    {"watchers", std::to_string(o_.watchers)}, {"turns", std::to_string(o_.turns)},
                    {"rate", std::to_string(o_.rate)},         {"slow_rate", std::to_string(o_.slow_rate)},
                    {"seed", std::to_string(o_.seed)},         {"quick", o_.quick ? "true" : "false"}};
  report.figures = {{"list_per_s", json(median(lists.per_s))},
                    {"detail_per_s", json(median(details.per_s))},
                    {"list_ratio", json(lists.ratio())},
                    {"detail_ratio", json(details.ratio())},
                    {"list_cpu_us", json(median(lists.cpu_us))},
                    {"detail_cpu_us", json(median(details.cpu_us))},
                    {"scrape_cpu_us", json(scrapes.cpu_us)},
                    {"usage_cpu_us", json(usages.cpu_us)},
                    {"list_bytes", std::to_string(lists.bytes)},
                    {"detail_bytes", std::to_string(details.bytes)},
                    {"sse_p50_ms", json(sse_p50_ms_)},
                    {"sse_p99_ms", json(sse_p99_ms_)},
                    {"placements_ratio", json(ratio)},
                    {"placements_per_s", json(median(watched.per_s))},
                    {"placements_p99_ms", json(median(watched.p99_ms))},
                    {"own_rows_p99_ms", json(median(watched.arrival_p99_ms))},
                    {"alone_p99_ms", json(median(alone.p99_ms))},
                    {"logins_ratio", json(login_ratio)},
                    {"logins_p99_ms", json(median(flooded.p99_ms))}};
  report.ceiling_what = "the same server, signed requests, a static body as long as a list's";
  report.ceiling_per_s = median(lists.static_per_s);
  report.ratio = lists.ratio();
  return report;
}

}  // namespace

int run_api(const std::vector<std::string>& args) {
  ApiBenchOptions o;
  CLI::App app("The HTTP API over loopback: answers, and rows that are watched", "berth-bench api");
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_option("--agents", o.agents, "agents of the cell")->check(CLI::Range(1, 100'000));
  app.add_option("--sessions", o.sessions, "that run while answers are measured")->check(CLI::PositiveNumber);
  app.add_option("--watchers", o.watchers, "streams; as many users and projects")
      ->check(CLI::Range(1, 1'000));
  app.add_option("--turns", o.turns, "of each measurement; medians are told")->check(CLI::PositiveNumber);
  app.add_option("--seconds", o.seconds, "of a turn")->check(CLI::PositiveNumber);
  app.add_option("--rate", o.rate, "sessions/s beside those who watch their own; 0: as fast as it goes");
  app.add_option("--slow-rate", o.slow_rate, "sessions/s beside those who watch all")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", o.seed, "of ids");
  app.add_flag("--quick", o.quick, "2,000 sessions, 100 watchers, one turn of 1 s");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : 2; }
  if (o.quick) {
    o.sessions = std::min<std::uint64_t>(o.sessions, 2'000);
    o.watchers = std::min<std::uint32_t>(o.watchers, 100);
    o.turns = 1;
    o.seconds = std::min(o.seconds, 1.0);
  }
  spdlog::set_default_logger(spdlog::stderr_color_mt("bench"));
  spdlog::set_level(spdlog::level::warn);
  std::cout << to_json(ApiBench(o).measure()) << std::endl;
  return 0;
}

}  // namespace berth::bench
