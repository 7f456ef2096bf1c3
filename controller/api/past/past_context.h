// PastContext: the ApiContext of a moment of the past. Its state, its clock and its history are those of
// then; it asks nothing of the log, and nothing of agents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "controller/api/api_context.h"
#include "projections/store/past_state.h"

namespace berth::controller::api {

class PastContext final : public ApiContext {
 public:
  PastContext(ApiContext& now, projections::PastPtr state)
      : now_(now), state_(std::move(state)), clock_(*this) {}

  const projections::PastState& past() const { return *state_; }

  void with_state(const std::function<void(const StateView&)>& read) override;
  Result<void> submit(const v1::Request&, SubmitDone) override { return nothing(); }
  const EnvironmentSeal& environments() const override { return now_.environments(); }
  const KeyPairSeal& key_pairs() const override { return now_.key_pairs(); }
  const PasswordSeal& passwords() const override { return now_.passwords(); }
  const AppPassSeal& app_passes() const override { return now_.app_passes(); }
  void set_journal_listener(JournalListener*) override {}
  void set_row_listener(RowListener*) override {}
  Result<JournalPage> read_journal(Offset from, std::size_t max_records, std::size_t max_bytes) override {
    return now_.read_journal(from, max_records, max_bytes);
  }
  // Sessions that had left the state by then.
  Result<std::optional<projections::HistoryEntry>> find_history(const SessionId& id) override;
  Result<projections::HistoryPage> read_history(std::size_t limit, const std::string& token) override;
  Result<std::optional<projections::HistoryEntry>> find_history_by_name(const std::string& user,
                                                                        const std::string& name) override;
  // The caller's window ends at this moment at the latest, so it is what was known by then: of what is still
  // held, the part up to the moment.
  Result<projections::UsageReport> usage(const projections::UsageQuestion& question) override {
    return now_.usage(question);
  }
  Result<Explanation> why(const SessionId& session, const SeesSession& sees) override;
  void kernel_log(const LogRequest&, LogDone done) override { done(nothing()); }
  std::shared_ptr<KernelChannel> open_channel(const KernelPlace&,
                                              std::function<void(Result<void>)> opened) override {
    opened(nothing());
    return nullptr;
  }
  std::shared_ptr<KernelChannel> open_app(const KernelPlace&, const std::string&,
                                          AppOpenedDone opened) override {
    opened(nothing());
    return nullptr;
  }
  std::shared_ptr<KernelChannel> ask_files(const FilesQuestion&, FilesAnswered answered) override {
    answered({nothing(), 0, {}});
    return nullptr;
  }
  Result<std::string> writer_key(const std::string&, std::uint32_t) override { return nothing(); }
  ClusterFacts facts() override;
  Result<projections::ChainPoint> chain_point_now() override { return state_->projection->chain().last(); }
  Result<void> accept_truncation() override { return nothing(); }
  std::vector<ReadyCheck> ready() override { return now_.ready(); }
  const Clock& clock() const override { return clock_; }
  Uuid new_id() override { return now_.new_id(); }

 private:
  struct StoppedClock final : Clock {
    explicit StoppedClock(const PastContext& context) : context_(context) {}
    Instant now() const override;
    const PastContext& context_;
  };
  static Error nothing() { return make_error("no-past", "this belongs to what runs now", "leave at= away"); }
  bool is_of_then(const projections::HistoryEntry& entry) const;

  ApiContext& now_;
  const projections::PastPtr state_;
  const StoppedClock clock_;
};

}  // namespace berth::controller::api
