#include "controller/runtime/api_node.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "controller/api/http/agent_channel.h"
#include "events/base/secrets.h"
#include "events/base/text.h"
#include "events/codec/envelope.h"
#include "events/log/log_errors.h"
#include "events/log/positions.h"
#include "events/log/read_on.h"
#include "events/logs/log_setup.h"

namespace berth::controller {
namespace {

// For the first record of a page; it holds one of the API's few workers.
constexpr Duration kPageWait = 2 * kSecond;

std::optional<SpaceOnDisk> measure_space(const std::string& folder) {
  std::error_code error;
  const auto disk = std::filesystem::space(folder, error);
  if (folder.empty() || error) return std::nullopt;
  SpaceOnDisk out{0, disk.capacity - disk.free, disk.capacity};
  for (std::filesystem::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code gone;  // the store removes files as it likes
    const auto size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) out.store += size;
  }
  return out;
}

Error lost_beginning(Offset from, Offset begin) {
  return make_error("log-beginning-lost",
                    "the journal begins at " + std::to_string(begin) + "; the records from " +
                        std::to_string(from) + " on to there are gone",
                    "ask from there on");
}

}  // namespace

ApiNode::ApiNode(ApiNodeConfig config, CellNode& node, EventLog& log, const projections::Store& store,
                 const Clock& clock, RandomSource& random)
    : config_(std::move(config)),
      node_(node),
      log_(log),
      store_(store),
      clock_(clock),
      random_(random),
      signer_(config_.cluster, "api:" + config_.name, 1,
              derive_key(config_.secret, "api:" + config_.name, 1)),
      tunnels_({}, config_.io),
      agents_(tunnels_) {
  if (config_.writers.empty()) config_.writers = WriterSecrets(config_.secret);
  node_.set_follower(
      [this](Offset offset, const std::shared_ptr<const v1::Record>& record) { told(offset, record); },
      [this](Offset next) {
        const std::lock_guard lock(listener_mutex_);
        if (listener_ != nullptr && next > 0) listener_->on_position(next - 1);
      },
      [this](Offset from, Offset next) {
        if (past_ != nullptr) past_->on_rebuilt(from);
        const std::lock_guard lock(listener_mutex_);
        if (listener_ != nullptr) listener_->on_rebuilt(next);
      });
}

void ApiNode::with_state(const std::function<void(const StateView&)>& read) {
  node_.read([&](const projections::Projection& projection) {
    const Offset next = projection.chain().next();
    read({projection.state(), next == 0 ? 0 : next - 1, next != 0});
  });
}

Result<void> ApiNode::submit(const v1::Request& request, SubmitDone done) {
  // The state lacks records that people were told of: no change builds on it before an operator has looked.
  if (const auto gone = node_.truncation().get())
    return make_error(kLogTruncated,
                      "the journal lost the records " + std::to_string(gone->left) + " to " +
                          std::to_string(gone->read - 1) +
                          "; no change is taken before an operator accepts that",
                      "berth cluster accept-truncation, as ops/runbooks/truncated-journal.md says");
  if (*in_flight_ >= config_.requests_in_flight || node_.full())
    return make_error("controller-full", "too many requests wait for the log", "try again in a second");
  // Keyed by its idempotency key: a retry lands behind the first in the same partition.
  const Partition partition{Stream::kRequests, crc32c(request.id()) % config_.layout.requests};
  ++*in_flight_;
  log_.append(partition, request.id(), signer_.sign(Channel::kRequest, request.SerializeAsString()),
              [counter = in_flight_, done = std::move(done)](const AppendResult& result) {
                --*counter;
                if (done) done(result);
              });
  log_.flush();
  return {};
}

void ApiNode::set_journal_listener(JournalListener* listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = listener;
}

void ApiNode::told(Offset offset, const std::shared_ptr<const v1::Record>& record) {
  if (on_record_ && record != nullptr) on_record_(*record);
  const std::lock_guard lock(listener_mutex_);
  if (listener_ != nullptr && record != nullptr) listener_->on_applied({offset, record});
}

// REQUIRES: the journal is known to have a record there.
Result<std::vector<LogEntry>> ApiNode::read_log(Offset from, std::size_t max_records, std::size_t max_bytes) {
  constexpr Partition kJournal{Stream::kJournal, 0};
  auto reader = log_.open_reader({{kJournal, from}});
  if (!reader) return reader.error();
  auto entries = read_on(**reader, kPageWait, max_records, max_bytes);
  if (!entries && is_out_of_range(entries.error())) {
    if (auto reaches = require_at_least(log_, kJournal, from + 1); !reaches) return reaches.error();
    if (const auto extent = log_.extent(kJournal); extent && from < extent->begin)
      return lost_beginning(from, extent->begin);
  }
  return entries;
}

Result<JournalPage> ApiNode::read_journal(Offset from, std::size_t max_records, std::size_t max_bytes) {
  JournalPage page;
  page.next = from;
  const Offset end = node_.next();  // not beyond what was folded: whether a record is void is known only then
  if (from >= end) return page;
  const auto entries = read_log(from, std::min<std::size_t>(max_records, end - from), max_bytes);
  if (!entries) return entries.error();
  for (const auto& entry : *entries) {
    const bool is_void = node_.voids().contains(entry.offset);
    if (entry.offset >= std::min(end, node_.next())) break;  // a rebuild may have set it back meanwhile
    page.next = entry.offset + 1;
    if (is_void) continue;
    const auto envelope = open_envelope(entry.payload, config_.cluster);
    auto record = std::make_shared<v1::Record>();
    if (envelope && record->ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
      page.records.push_back({entry.offset, std::move(record)});
  }
  return page;
}

Result<v1::Sealed> ApiNode::head_sealed_anew(const std::string& public_key, const v1::Sealed& secret) {
  if (!config_.heads) return make_error("internal-error", "this process holds no sealing keys");
  return config_.heads->sealed_anew(public_key, secret);
}

Result<v1::HeadKeyChanged> ApiNode::next_head_key(const std::string& public_key, const v1::Sealed& secret) {
  if (!config_.heads) return make_error("internal-error", "this process holds no sealing keys");
  return config_.heads->next(public_key, secret, random_bytes(kHeadSeedBytes));
}

Result<RawJournalPage> ApiNode::read_raw_journal(Offset from, std::size_t max_records,
                                                 std::size_t max_bytes) {
  const auto extent = log_.extent({Stream::kJournal, 0});
  if (!extent) return extent.error();
  RawJournalPage page{extent->begin, extent->end, {}};
  if (from < extent->begin) return lost_beginning(from, extent->begin);
  if (from >= extent->end) return page;
  auto entries = read_log(from, max_records, max_bytes);
  if (!entries) return entries.error();
  page.entries = std::move(*entries);
  return page;
}

Result<std::optional<projections::HistoryEntry>> ApiNode::find_history(const SessionId& id) {
  return store_.find_history(id);
}

Result<projections::HistoryPage> ApiNode::read_history(std::size_t limit, const std::string& token) {
  return store_.read_history(limit, token);
}

void ApiNode::past_state(const projections::PastMoment& moment, projections::PastDone done) {
  if (past_ == nullptr) return ApiContext::past_state(moment, std::move(done));
  past_->ask(moment, std::move(done));
}

std::optional<int> ApiNode::past_percent(const projections::PastMoment& moment) {
  return past_ == nullptr ? std::nullopt : past_->percent(moment);
}

Result<projections::PastBounds> ApiNode::past_bounds() {
  return past_ == nullptr ? ApiContext::past_bounds() : past_->bounds();
}

// The view's rows lie in the store: they are written up to the newest record first.
Result<projections::UsageReport> ApiNode::usage(const projections::UsageQuestion& question) {
  if (const auto point = node_.chain_point_now(); !point) return point.error();
  return projections::usage_report(store_, question);
}

Result<Explanation> ApiNode::why(const SessionId& session, const SeesSession& sees) {
  return node_.why(session, sees);
}

Result<std::optional<StartEstimate>> ApiNode::estimate_start(const SessionId& session) {
  return node_.estimate_start(session);
}

Result<DryRunAnswer> ApiNode::dry_run(const v1::Request& request, const SeesSession& sees) {
  return node_.dry_run(request, sees);
}

std::string ApiNode::never_warning(const v1::SessionSpec& spec) { return node_.never_warning(spec); }

std::optional<Refusal> ApiNode::check_policy(const std::string& name) {
  return config_.policies == nullptr ? std::nullopt : config_.policies->check(name);
}

Signer ApiNode::signer_of(const std::string& agent) {
  std::uint32_t generation = 0;
  node_.read([&](const projections::Projection& projection) {
    if (const auto* row = projection.state().agents.find(agent)) generation = row->generation;
  });
  const std::string writer = "agent:" + agent;
  return Signer(config_.cluster, writer, generation, config_.writers.key_of(writer, generation));
}

std::shared_ptr<KernelChannel> ApiNode::open_channel(const KernelPlace& kernel,
                                                     std::function<void(Result<void>)> opened) {
  constexpr Duration kPatience = 10 * kSecond;
  return open_agent_channel(tunnels_, signer_of(kernel.agent), kernel, "inside", kPatience,
                            [opened = std::move(opened)](const Result<AppOpened>& result) {
                              opened(result ? Result<void>() : Result<void>(result.error()));
                            });
}

std::shared_ptr<KernelChannel> ApiNode::open_app(const KernelPlace& kernel, const std::string& app,
                                                 AppOpenedDone opened) {
  constexpr Duration kPatience = 15 * kSecond;  // the agent's own is 10 s, and says more
  const bool by_port = app.find_first_not_of("0123456789") == std::string::npos;
  return open_agent_channel(tunnels_, signer_of(kernel.agent), kernel,
                            (by_port ? "app?port=" : "app?app=") + app, kPatience, std::move(opened));
}

std::shared_ptr<KernelChannel> ApiNode::ask_files(const FilesQuestion& question, FilesAnswered answered) {
  return ask_agent_files(tunnels_, signer_of(question.agent), question, std::move(answered));
}

void ApiNode::kernel_log(const LogRequest& wanted, LogDone done) {
  agents_.fetch_log(
      {wanted.agent, wanted.address, wanted.kernel, wanted.attempt, wanted.offset, wanted.limit},
      signer_of(wanted.agent), [done = std::move(done)](Result<AgentLogPage> page) {
        if (!page) return done(page.error());
        done(LogPage{page->offset, page->next, page->end, std::move(page->bytes)});
      });
}

Result<std::string> ApiNode::writer_key(const std::string& writer, std::uint32_t generation) {
  return to_hex(config_.writers.key_of(writer, generation));
}

ClusterFacts ApiNode::facts() {
  ClusterFacts facts;
  facts.cluster_id = config_.cluster;
  facts.cluster = config_.layout.cluster;
  facts.cell = config_.layout.cell;
  facts.version = config_.version;
  facts.log = config_.log_url;
  facts.controller = config_.name;
  facts.leading = node_.leading();
  facts.voids = node_.voids().size();
  facts.point = node_.chain_point();
  facts.truncation = node_.truncation().get();
  return facts;
}

Result<projections::ChainPoint> ApiNode::chain_point_now() { return node_.chain_point_now(); }

Result<void> ApiNode::accept_truncation() { return node_.accept_truncation(); }

std::vector<ReadyCheck> ApiNode::ready() {
  auto checks = node_.ready();
  // Not where the fold may be stuck with the state in its hands: this has to be answered then, too.
  if (std::ranges::all_of(checks, &ReadyCheck::ok))
    node_.read([&](const projections::Projection& projection) {
      checks.push_back(agents_check(projection.state()));
      if (auto check = clock_check(projection.state().epoch(), node_.now() - clock_.now().wall))
        checks.push_back(*std::move(check));
    });
  if (defining_)
    checks.push_back(
        {"first-definitions", false, "the log does not have the cluster's first definitions yet"});
  if (config_.settings != nullptr)
    if (const auto unsafe = config_.settings->unsafe())
      checks.push_back({"log-settings", false, to_string(*unsafe)});
  // Another server's log is the same, or no better: nobody is unready for it.
  if (config_.scrub != nullptr)
    if (const auto damage = config_.scrub->found().damage)
      checks.push_back({"log-damage", true, to_string(*damage)});
  if (config_.certificate_end != 0)
    checks.push_back(certificate_check(config_.certificate_end, clock_.now().wall));
  return checks;
}

std::optional<ReadyCheck> clock_check(const projections::EpochRow& epoch, Duration ahead) {
  const std::string confirm = "; once the leader's clock is right (timedatectl): berth cluster confirm-clock";
  if (epoch.clock_jumped)
    return ReadyCheck{
        "clock", false,
        Code("clock-jumped") + ": the leader's clock is not believed: no deadline fires" + confirm};
  if (epoch.clock_behind == projections::ClockBehind::kNot) return std::nullopt;
  const std::string words =
      Code("clock-behind") + ": the cluster's time is " + std::to_string(ahead / kSecond) +
      " s ahead of the clock; it goes on at three quarters of its pace until the clock has caught up";
  if (epoch.clock_behind == projections::ClockBehind::kConfirmed) return ReadyCheck{"clock", true, words};
  return ReadyCheck{"clock", false, words + confirm};
}

ReadyCheck agents_check(const projections::State& state) {
  constexpr std::size_t kNamed = 4, kWordsMax = 160;
  std::vector<std::string> unfit;
  for (const auto& name : state.agents.sorted_keys()) {
    const projections::AgentRow& agent = *state.agents.find(name);
    if (agent.state == projections::AgentState::kAlive && !agent.unfit.empty())
      unfit.push_back(agent.name + " (" + clipped(agent.unfit, kWordsMax) + ")");
  }
  if (unfit.empty()) return {"agents", true, ""};
  return {"agents", true,
          "unfit, so that no kernel can start there: " + listed(unfit, kNamed) +
              "; `berth agent check` on the machine says what to mend"};
}

ReadyCheck certificate_check(Timestamp end, Timestamp now) {
  if (now < end) return {"certificate", true, ""};
  return {"certificate", false,
          "it expired " + std::to_string((now - end) / kDay) + " days ago: clients refuse it"};
}

std::string ApiNode::log_level() { return berth::log_level(); }

Result<void> ApiNode::set_log_level(const std::string& level, Duration lasts) {
  auto set = berth::set_log_level(level, lasts);
  if (set) spdlog::warn("the log's level is {} now{}", level, lasts == 0 ? "" : ", for a while");
  return set;
}

NodeFacts ApiNode::node_facts() {
  NodeFacts facts = node_.facts();
  facts.space = measure_space(config_.state_folder);
  const std::lock_guard lock(space_mutex_);
  space_ = facts.space;
  return facts;
}

// Of the node, without asking a disk: a scrape must not wait for one.
std::string ApiNode::node_lines() {
  const NodeFacts facts = node_.facts();
  const Timestamp now = clock_.now().boottime;
  std::string text;
  const auto line = [&text](const char* name, double value) {
    text +=
        std::string("# TYPE berth_") + name + " gauge\nberth_" + name + " " + std::to_string(value) + "\n";
  };
  line("projection_lag_records", static_cast<double>(facts.lag));
  if (config_.scrub != nullptr) {
    const auto found = config_.scrub->found();
    line("log_damaged", found.damage ? 1 : 0);
    if (found.whole_at != 0)
      line("log_scrub_age_seconds", static_cast<double>(now - found.whole_at) / kSecond);
  }
  if (facts.flushed_at != 0)
    line("store_flush_age_seconds", static_cast<double>(now - facts.flushed_at) / kSecond);
  if (facts.hears_beats) {
    Timestamp oldest = now;
    for (const AgentBeat& beat : facts.beats) oldest = std::min(oldest, beat.heard);
    line("agent_beats_heard", static_cast<double>(facts.beats.size()));
    line("agent_oldest_beat_seconds", static_cast<double>(now - oldest) / kSecond);
  }
  const std::lock_guard lock(space_mutex_);
  if (!space_) return text;
  line("store_bytes", static_cast<double>(space_->store));
  line("disk_used_bytes", static_cast<double>(space_->used));
  line("disk_size_bytes", static_cast<double>(space_->size));
  return text;
}

std::string ApiNode::metrics() {
  const ControllerCounters c = node_.counters();
  std::string text;
  const auto line = [&text](const char* name, const char* type, std::uint64_t value) {
    text += std::string("# TYPE berth_") + name + " " + type + "\nberth_" + name + " " +
            std::to_string(value) + "\n";
  };
  line("requests_read_total", "counter", c.requests);
  line("reports_read_total", "counter", c.reports);
  line("beats_read_total", "counter", c.beats);
  line("inputs_dropped_total", "counter", c.dropped);
  text += "# TYPE berth_producer_refused_total counter\n";
  for (std::size_t i = 0; i < kProducerRefusals.size(); ++i)
    text += "berth_producer_refused_total{reason=\"" + std::string(kProducerRefusals[i]) + "\"} " +
            std::to_string(c.producers_refused.of(static_cast<ProducerRefusal>(i))) + "\n";
  line("journal_records_written_total", "counter", c.records);
  line("journal_events_written_total", "counter", c.events);
  line("placements_total", "counter", c.placements);
  line("orders_sent_total", "counter", c.orders);
  line("elections_won_total", "counter", c.elections);
  line("step_downs_total", "counter", c.step_downs);
  line("journal_records_void", "gauge", node_.voids().size());
  line("journal_next_offset", "gauge", node_.next());
  line("leading", "gauge", node_.leading() ? 1 : 0);
  text += node_.event_counts().text() + node_lines();
  const auto calibration = node_.calibration();
  for (const char* part : {"told", "met"}) {
    text += std::string("# TYPE berth_start_estimates_") + part + "_total counter\n";
    for (std::size_t i = 0; i < calibration.size(); ++i)
      text += std::string("berth_start_estimates_") + part + "_total{percentile=\"" +
              std::to_string(StartEstimates::kPercents[i]) + "\"} " +
              std::to_string(part[0] == 't' ? calibration[i].made : calibration[i].met) + "\n";
  }
  text += node_.scheduling_times().text();
  line("spans_exported_total", "counter", config_.spans == nullptr ? 0 : config_.spans->exported());
  line("spans_dropped_total", "counter", config_.spans == nullptr ? 0 : config_.spans->dropped());
  return config_.policies == nullptr ? text : text + config_.policies->metrics();
}

}  // namespace berth::controller
