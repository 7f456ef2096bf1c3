#include "bench/past.h"

#include <atomic>
#include <future>
#include <iostream>
#include <random>
#include <thread>

#include <CLI/CLI.hpp>

#include "bench/e2e/e2e_cell.h"
#include "bench/journal_maker.h"
#include "bench/report.h"
#include "bench/tools.h"
#include "controller/api/api.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"
#include "controller/runtime/api_node.h"
#include "controller/runtime/past_keeper.h"
#include "events/base/secrets.h"
#include "events/base/system_clock.h"
#include "projections/store/rocks/rocks_store.h"

namespace berth::bench {
namespace {

namespace api = controller::api;
namespace json_of = boost::json;

struct PastOptions {
  std::uint64_t events = 1'000'000;  // a day
  std::uint64_t seed = 1;
  std::uint32_t live = 20'000;
  int positions = 200;
  std::uint64_t sessions = 100'000;  // placed while people drag the slider
  int people = 4;
  std::string dir;
  bool quick = false;
};

constexpr const char* kKey = "bench-key";
constexpr const char* kSecret = "secret of bench-key";

Uuid past_cluster() { return Uuid::from_hash(blake2b_128("bench past")); }
std::string past_secret() { return std::string(32, 'k'); }

// As `replay` makes it: 1 M events a day.
void make_past_journal(const PastOptions& o, EventLog& log) {
  JournalShape shape;
  shape.seed = o.seed;
  shape.live = o.live;
  shape.between_events = kDay / 1'000'000;
  JournalMaker maker(JournalSigner(past_cluster(), past_secret()), shape);
  std::atomic<std::uint64_t> in_flight = 0;
  while (maker.events() < o.events) {
    while (in_flight > 20'000) std::this_thread::yield();
    ++in_flight;
    log.append(kJournal, {}, maker.next(), [&](const AppendResult& result) {
      if (result.state != AppendState::kDurable) give_up(result.error);
      --in_flight;
    });
  }
  while (in_flight > 0) std::this_thread::yield();
}

// A controller that follows, and the API that it answers by.
class Follower {
 public:
  Follower(EventLog& log, const std::string& folder, bool keeps_past)
      : log_(log), store_(must(projections::RocksStore::open(folder + "/state")).store) {
    sealing_.add({1, std::string(kSealKeyBytes, 's')});
    if (keeps_past)
      past_ = std::make_unique<controller::PastKeeper>(folder + "/state/past", past_cluster(), *store_);
    controller::CellNodeConfig config;
    config.controller.cluster = past_cluster();
    config.controller.secret = past_secret();
    config.controller.layout = log.layout();
    config.may_lead = false;
    config.projector.checkpoint_records = 0;
    config.voids_file = folder + "/state/voids";
    config.truncation_file = folder + "/state/truncation";
    node_ = std::make_unique<controller::CellNode>(
        config, log, past_ ? past_->store() : static_cast<projections::Store&>(*store_), clock_, random_);
    node_->set_on_fatal([](const std::string& why) { give_up(make_error("internal-error", why)); });
  }
  ~Follower() {
    if (api_) api_->stop();
    if (api_node_) api_node_->stop();
    if (past_) past_->stop_desk();
    node_->stop();
    if (past_) past_->stop();
  }

  // Until all is folded; seconds.
  double follow() {
    const Offset end = must(log_.extent(kJournal)).end;
    const Stopwatch watch;
    must(node_->start());
    while (node_->next() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return watch.seconds();
  }

  void serve() {
    api_node_ = std::make_unique<controller::ApiNode>(
        controller::ApiNodeConfig{
            past_cluster(), past_secret(), EnvironmentSeal(past_cluster(), sealing_),
            KeyPairSeal(past_cluster(), sealing_), PasswordSeal(past_cluster(), sealing_),
            api::AppPassSeal(past_cluster(), sealing_), "bench", "local:", "bench", log_.layout()},
        *node_, log_, *store_, clock_, random_);
    api_node_->set_past(&past_->start(*node_, log_, JournalSigner(past_cluster(), past_secret())));
    api::ApiOptions options;
    options.file_key = api::KeyPair{};
    options.file_key->access_key = kKey;
    options.file_key->secret_key = kSecret;
    options.rate = {0, 0, 0, 0};
    api_ = std::make_unique<api::Api>(*api_node_, options);
    api_->start();
  }

  // The answer's body, and its time.
  std::pair<std::string, std::int64_t> get(const std::string& target) {
    api::HttpRequest request;
    request.method = "GET";
    request.target = target;
    request.host = "bench";
    request.date = format_time(clock_.now().wall);
    request.version = std::string(api::kApiVersion);
    request.body_hash = api::sha256_hex("");
    const api::SignedRequest parts{
        request.method,  request.target,          request.date,     request.host, request.content_type,
        request.version, request.idempotency_key, request.body_hash};
    request.authorization = api::authorization_header(kKey, api::sign(kSecret, parts));
    std::promise<api::HttpReply> answer;
    const std::int64_t began = now_ns();
    api_->handle(std::move(request), [&](api::HttpReply reply) { answer.set_value(std::move(reply)); });
    api::HttpReply reply = answer.get_future().get();
    const std::int64_t took = now_ns() - began;
    if (reply.status != 200) give_up(make_error("internal-error", target + ": " + reply.body));
    return {std::move(reply.body), took};
  }
  Offset next() const { return node_->next(); }

 private:
  EventLog& log_;
  SystemClock clock_;
  SystemRandom random_;
  SealingRing sealing_;
  std::unique_ptr<projections::RocksStore> store_;
  std::unique_ptr<controller::PastKeeper> past_;
  std::unique_ptr<controller::CellNode> node_;
  std::unique_ptr<controller::ApiNode> api_node_;
  std::unique_ptr<api::Api> api_;
};

struct Times {
  std::vector<std::int64_t> cold, warm;
};

// At each position a list of 100 that nobody asked for before, and then a detail and the list again.
Times ask_past(Follower& follower, const PastOptions& o) {
  std::mt19937_64 draw(o.seed);
  Times times;
  for (int i = 0; i < o.positions; ++i) {
    const std::string at = "at=" + std::to_string(draw() % follower.next());
    const auto [list, cold] = follower.get("/v1/sessions?limit=100&" + at);
    times.cold.push_back(cold);
    times.warm.push_back(follower.get("/v1/sessions?limit=100&" + at).second);
    const auto body = json_of::parse(list);
    const auto& sessions = body.at("sessions").as_array();
    if (sessions.empty()) continue;
    const std::string id(sessions[0].at("id").as_string());
    times.warm.push_back(follower.get("/v1/sessions/" + id + "?" + at).second);
  }
  return times;
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.is_regular_file()) bytes += file.file_size();
  return bytes;
}

// Placements/s while so many people drag the slider over what there is.
double place(const PastOptions& o, const std::string& folder, int people) {
  const auto log = open_fresh_log("", folder, "c" + std::to_string(people));
  CellOptions options;
  options.folder = folder + "/people" + std::to_string(people);
  options.sessions = o.sessions + 2'000;
  options.seed = o.seed;
  options.past = true;
  Cell cell(options, *log);
  cell.bring_up();
  cell.prepare(0, options.sessions);
  cell.saturate(0, 2'000);
  std::atomic<bool> done = false;
  std::vector<std::thread> dragging;
  for (int i = 0; i < people; ++i)
    dragging.emplace_back([&, i] {
      std::mt19937_64 draw(static_cast<std::uint64_t>(i) + 1);
      while (!done) {
        std::promise<void> told;
        cell.past().ask({draw() % cell.journal_next(), 0},
                        [&](const Result<projections::PastPtr>&) { told.set_value(); });
        told.get_future().wait();
      }
    });
  const Stopwatch watch;
  cell.saturate(2'000, options.sessions);
  const double seconds = watch.seconds();
  done = true;
  for (auto& person : dragging) person.join();
  return static_cast<double>(o.sessions) / seconds;
}

Report measure_past(const PastOptions& o) {
  const TempFolder folder(o.dir, "berth-bench-past");
  const auto log = open_fresh_log("", folder.path(), "journal");
  make_past_journal(o, *log);
  double without = 0, with = 0;
  {
    Follower plain(*log, folder.path() + "/plain", false);
    without = plain.follow();
  }
  Times times;
  {
    Follower follower(*log, folder.path() + "/past", true);
    with = follower.follow();
    std::cerr << "followed in " << with << " s, without a past " << without << " s\n";
    follower.serve();
    times = ask_past(follower, o);
  }
  const std::uint64_t disk = bytes_in(folder.path() + "/past/state/past");
  const double alone = place(o, folder.path(), 0), dragged = place(o, folder.path(), o.people);
  std::cerr << "placements/s alone " << alone << ", dragged " << dragged << "\n";
  Report report;
  report.bench = "past";
  report.options = {{"events", std::to_string(o.events)},       {"live", std::to_string(o.live)},
                    {"positions", std::to_string(o.positions)}, {"people", std::to_string(o.people)},
                    {"sessions", std::to_string(o.sessions)},   {"seed", std::to_string(o.seed)},
                    {"quick", o.quick ? "true" : "false"}};
  report.figures = {{"at_cold_p50_ms", json(percentile_ms(times.cold, 500))},
                    {"at_cold_p95_ms", json(percentile_ms(times.cold, 950))},
                    {"at_warm_p95_ms", json(percentile_ms(times.warm, 950))},
                    {"disk_bytes", std::to_string(disk)},
                    {"follow_ratio", json(without / with)},
                    {"placements_per_s", json(dragged)},
                    {"placements_ratio", json(dragged / alone)}};
  report.ceiling_what = "placements while nobody asks about the past";
  report.ceiling_per_s = alone;
  report.ratio = dragged / alone;
  return report;
}

}  // namespace

int run_past(const std::vector<std::string>& args) {
  PastOptions o;
  CLI::App app("Moments of the past over a long journal, and what keeping them costs", "berth-bench past");
  app.add_option("--events", o.events, "of the journal");
  app.add_option("--live", o.live, "sessions alive at a time");
  app.add_option("--positions", o.positions, "moments that are asked for");
  app.add_option("--sessions", o.sessions, "placed while people drag the slider");
  app.add_option("--people", o.people, "who drag it");
  app.add_option("--seed", o.seed, "of the journal and of the positions");
  app.add_option("--dir", o.dir, "folder for temporary files");
  app.add_flag("--quick", o.quick, "100,000 events, 20 positions, 5,000 sessions");
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) { return app.exit(error); }
  if (o.quick) {
    o.events = 100'000;
    o.positions = 20;
    o.sessions = 5'000;
  }
  std::cout << to_json(measure_past(o)) << std::endl;
  return 0;
}

}  // namespace berth::bench
