// Audits of the journal that run beside the API's other work: piece by piece, each at its turn, so that
// nobody is held up for long.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/turns.h"
#include "events/base/result.h"
#include "projections/audit/chain_audit.h"

namespace berth::controller::api {

struct AuditAsked {
  std::string person;                           // who takes turns for it
  std::optional<Offset> to;                     // none: what is durable now
  std::optional<projections::SignedHead> kept;  // which the log must extend
};

struct AuditProgress {
  std::string id;
  std::string state;  // "running", "good", "bad", "cancelled", "failed"
  Offset next = 0, to = 0;
  projections::AuditCounts counts;
  std::string rolling;  // 32 bytes, of [0, next)
  std::optional<projections::SignedHead> head;
  std::vector<projections::IgnoredRecord> ignored;  // the first ones
  std::optional<projections::AuditFinding> finding;
  std::optional<Error> error;  // of "failed"
};

// Thread-safe.
class AuditJobs : public std::enable_shared_from_this<AuditJobs> {
 public:
  static constexpr std::size_t kRunningMax = 2;
  static constexpr std::size_t kKept = 32;  // jobs, the oldest that has ended goes

  AuditJobs(ApiContext& context, Turns& turns) : context_(context), turns_(turns) {}

  // Its id. May block. Codes: audits-busy, invalid-parameter (`to` lies behind the end), those of the log.
  Result<std::string> start(AuditAsked asked);
  std::optional<AuditProgress> find(const std::string& id) const;
  // False: there is no such job. One that has ended is forgotten.
  bool cancel(const std::string& id);
  // The jobs take no further step.
  void stop();

 private:
  struct Job {
    std::string person;
    AuditProgress told;
    projections::ChainAudit audit;  // of the thread that takes its step
  };
  void step(const std::shared_ptr<Job>& job);
  void tell(Job& job, std::string state, std::optional<Error> error);
  std::shared_ptr<Job> job_of(const std::string& id) const;

  ApiContext& context_;
  Turns& turns_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Job>> jobs_;
  bool stopping_ = false;
};

}  // namespace berth::controller::api
