// ApiNode: this process as the HTTP API sees it: the durable state, the log, the facts of the node.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "controller/api/api_context.h"
#include "controller/api/apps/app_pass.h"
#include "controller/api/http/agent_client.h"
#include "controller/policy_host/policy_folder.h"
#include "controller/runtime/cell_node.h"
#include "controller/runtime/log/log_scrub.h"
#include "controller/runtime/log/settings_watch.h"
#include "events/codec/chain_head.h"
#include "events/codec/signing.h"
#include "events/otlp/span_exporter.h"
#include "projections/past/past_desk.h"

namespace berth::controller {

struct ApiNodeConfig {
  Uuid cluster;
  std::string secret;
  EnvironmentSeal environments;
  KeyPairSeal key_pairs;
  PasswordSeal passwords;
  api::AppPassSeal app_passes;
  std::string name;  // of this process: writer "api:<name>"
  std::string log_url;
  std::string version;
  LogLayout layout;
  std::optional<HeadSigner> heads = std::nullopt;  // makes the next key of chain heads
  const policy::PolicyFolder* policies = nullptr;  // outlives the node; null: none
  const SpanExporter* spans = nullptr;             // outlives the node; null: none
  std::string state_folder = {};                   // whose space on disk is measured; empty: nobody's
  std::size_t requests_in_flight = 20'000;         // more: controller-full (P20)
  Timestamp certificate_end = 0;                   // of this server, wall time; 0: there is none
  WriterSecrets writers = {};                      // of agents and producers; empty: the secret
  const SettingsWatch* settings = nullptr;         // outlives the node; null: nobody looks
  const LogScrub* scrub = nullptr;                 // outlives the node; null: nobody reads the journal again
  IoThreads* io = nullptr;                         // outlives the node; null: a thread of its own
};

// What /readyz says of a certificate that is good until `end`: with words if it expired. That makes no server
// unready: another one would not be better, and clients may know it by its fingerprint.
ReadyCheck certificate_check(Timestamp end, Timestamp now);

// What it says of agents that can start no kernel: with words, but no server is unready for that, since
// another one would not be better, and people can still ask and look.
// Nothing where the leader's clock is as the records' times are (P16). `ahead`: the cluster's time, of this
// server's wall clock.
std::optional<ReadyCheck> clock_check(const projections::EpochRow& epoch, Duration ahead);
ReadyCheck agents_check(const projections::State& state);

class ApiNode : public ApiContext {
 public:
  // `log` may differ from the node's: appends of `log` give up early, so that HTTP can answer.
  ApiNode(ApiNodeConfig config, CellNode& node, EventLog& log, const projections::Store& store,
          const Clock& clock, RandomSource& random);

  // From its return on no question to an agent is answered. Before the Api that asked goes.
  void stop() { tunnels_.stop(); }

  void with_state(const std::function<void(const StateView&)>& read) override;
  Result<void> submit(const v1::Request& request, SubmitDone done) override;
  const EnvironmentSeal& environments() const override { return config_.environments; }
  const KeyPairSeal& key_pairs() const override { return config_.key_pairs; }
  const PasswordSeal& passwords() const override { return config_.passwords; }
  const api::AppPassSeal& app_passes() const override { return config_.app_passes; }
  Result<v1::HeadKeyChanged> next_head_key(const std::string& public_key, const v1::Sealed& secret) override;
  Result<v1::Sealed> head_sealed_anew(const std::string& public_key, const v1::Sealed& secret) override;
  void set_journal_listener(JournalListener* listener) override;
  void set_row_listener(RowListener* listener) override { node_.set_row_listener(listener); }
  Result<JournalPage> read_journal(Offset from, std::size_t max_records, std::size_t max_bytes) override;
  Result<RawJournalPage> read_raw_journal(Offset from, std::size_t max_records,
                                          std::size_t max_bytes) override;
  Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) override;
  Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) override;
  Result<std::optional<projections::HistoryEntry>> find_history_by_name(const std::string& user,
                                                                        const std::string& name) override {
    return store_.find_history_by_name(user, name);
  }
  // Told of each record as it was applied, before a listener is; on the node's strand. Before the node
  // starts.
  void set_on_record(std::function<void(const v1::Record&)> on_record) { on_record_ = std::move(on_record); }
  // Outlives the questions; null: there is no past here. Before the Api starts.
  void set_past(projections::PastDesk* past) { past_ = past; }
  void past_state(const projections::PastMoment& moment, projections::PastDone done) override;
  std::optional<int> past_percent(const projections::PastMoment& moment) override;
  Result<projections::PastBounds> past_bounds() override;
  Result<projections::UsageReport> usage(const projections::UsageQuestion& question) override;
  Result<Explanation> why(const SessionId& session, const SeesSession& sees) override;
  Result<std::optional<StartEstimate>> estimate_start(const SessionId& session) override;
  Result<DryRunAnswer> dry_run(const v1::Request& request, const SeesSession& sees) override;
  std::string never_warning(const v1::SessionSpec& spec) override;
  std::optional<Refusal> check_policy(const std::string& name) override;
  void kernel_log(const LogRequest& request, LogDone done) override;
  std::shared_ptr<KernelChannel> ask_files(const FilesQuestion& question, FilesAnswered answered) override;
  std::shared_ptr<KernelChannel> open_channel(const KernelPlace& kernel,
                                              std::function<void(Result<void>)> opened) override;
  std::shared_ptr<KernelChannel> open_app(const KernelPlace& kernel, const std::string& app,
                                          AppOpenedDone opened) override;
  Result<std::string> writer_key(const std::string& writer, std::uint32_t generation) override;
  ClusterFacts facts() override;
  Result<projections::ChainPoint> chain_point_now() override;
  Result<void> accept_truncation() override;
  std::vector<ReadyCheck> ready() override;
  bool catches_up() override { return node_.catches_up(); }
  std::string log_level() override;
  Result<void> set_log_level(const std::string& level, Duration lasts) override;
  std::string metrics() override;
  NodeFacts node_facts() override;
  std::optional<Timestamp> header_time() override {
    const Timestamp time = node_.header_time();
    return time == 0 ? std::nullopt : std::optional(time);
  }
  // Whether the cluster's first definitions may be missing still: /readyz says so.
  void set_defining(bool defining) { defining_ = defining; }
  Timestamp now() const override { return node_.now(); }
  const Clock& clock() const override { return clock_; }
  Uuid new_id() override { return random_.uuid(); }

 private:
  // The key that the agent was enrolled with last.
  Signer signer_of(const std::string& agent);
  std::string node_lines();
  Result<std::vector<LogEntry>> read_log(Offset from, std::size_t max_records, std::size_t max_bytes);
  void told(Offset offset, const std::shared_ptr<const v1::Record>& record);

  std::atomic<bool> defining_ = false;
  ApiNodeConfig config_;
  CellNode& node_;
  EventLog& log_;
  const projections::Store& store_;
  const Clock& clock_;
  RandomSource& random_;
  Signer signer_;
  AgentTunnels tunnels_;
  AgentClient agents_;
  std::shared_ptr<std::atomic<std::size_t>> in_flight_ = std::make_shared<std::atomic<std::size_t>>(0);
  projections::PastDesk* past_ = nullptr;
  std::mutex space_mutex_;
  std::optional<SpaceOnDisk> space_;  // as measured last
  std::mutex listener_mutex_;
  JournalListener* listener_ = nullptr;
  std::function<void(const v1::Record&)> on_record_;
};

}  // namespace berth::controller
