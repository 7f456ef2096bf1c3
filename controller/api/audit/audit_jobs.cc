#include "controller/api/audit/audit_jobs.h"

#include <algorithm>

namespace berth::controller::api {
namespace {

constexpr std::size_t kRecordsAStep = 4'096;
constexpr std::size_t kBytesAStep = 4u << 20;

}  // namespace

Result<std::string> AuditJobs::start(AuditAsked asked) {
  const auto extent = context_.read_raw_journal(UINT64_MAX, 1, 1);
  if (!extent) return extent.error();
  if (extent->begin != 0)
    return make_error("log-pruned", "the journal begins at " + std::to_string(extent->begin) + ", not at 0",
                      "an audit walks the whole journal");
  if (asked.to && *asked.to > extent->end)
    return make_error("invalid-parameter", "offset " + std::to_string(*asked.to) +
                                               " is behind the end of the journal, " +
                                               std::to_string(extent->end));
  const Uuid cluster = context_.facts().cluster_id;
  auto job =
      std::make_shared<Job>(Job{asked.person, {}, projections::ChainAudit(cluster, std::move(asked.kept))});
  job->told.id = to_string(context_.new_id());
  job->told.state = "running";
  job->told.to = asked.to.value_or(extent->end);
  {
    const std::lock_guard lock(mutex_);
    const auto running = std::count_if(jobs_.begin(), jobs_.end(),
                                       [](const auto& each) { return each->told.state == "running"; });
    if (static_cast<std::size_t>(running) >= kRunningMax)
      return make_error("audits-busy", std::to_string(running) + " audits run on this server already",
                        "wait for one to end, or cancel one");
    while (jobs_.size() >= kKept) {
      const auto ended = std::find_if(jobs_.begin(), jobs_.end(),
                                      [](const auto& each) { return each->told.state != "running"; });
      jobs_.erase(ended);
    }
    jobs_.push_back(job);
  }
  const std::string id = job->told.id;
  turns_.go_on(job->person, Turns::Work::kScan, [self = shared_from_this(), job] { self->step(job); });
  return id;
}

// One piece, then the next one behind what others have asked meanwhile.
void AuditJobs::step(const std::shared_ptr<Job>& job) {
  Offset to = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || job->told.state != "running") return;
    to = job->told.to;
  }
  if (job->audit.next() < to && job->audit.is_good()) {
    const auto page = context_.read_raw_journal(
        job->audit.next(), std::min<std::size_t>(kRecordsAStep, to - job->audit.next()), kBytesAStep);
    if (!page) return tell(*job, "failed", page.error());
    if (page->entries.empty())
      return tell(
          *job, "failed",
          make_error("log-unavailable", "the journal gave no record at " + std::to_string(job->audit.next()),
                     "ask for another audit"));
    for (const LogEntry& entry : page->entries)
      if (entry.offset >= to || !job->audit.take(entry)) break;
  }
  if (job->audit.next() >= to) job->audit.finish();
  const bool over = job->audit.next() >= to || !job->audit.is_good();
  tell(*job, !over ? "running" : job->audit.is_good() ? "good" : "bad", std::nullopt);
  if (!over)
    turns_.go_on(job->person, Turns::Work::kScan, [self = shared_from_this(), job] { self->step(job); });
}

void AuditJobs::tell(Job& job, std::string state, std::optional<Error> error) {
  const std::lock_guard lock(mutex_);
  if (job.told.state != "running") return;
  job.told.state = std::move(state);
  job.told.next = job.audit.next();
  job.told.counts = job.audit.counts();
  job.told.rolling = std::string(as_view(job.audit.point().rolling));
  job.told.head = job.audit.head();
  job.told.ignored = job.audit.ignored();
  job.told.finding = job.audit.finding();
  job.told.error = std::move(error);
}

std::shared_ptr<AuditJobs::Job> AuditJobs::job_of(const std::string& id) const {
  for (const auto& job : jobs_)
    if (job->told.id == id) return job;
  return nullptr;
}

std::optional<AuditProgress> AuditJobs::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto job = job_of(id);
  return job ? std::optional(job->told) : std::nullopt;
}

bool AuditJobs::cancel(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto job = job_of(id);
  if (!job) return false;
  if (job->told.state == "running")
    job->told.state = "cancelled";
  else
    std::erase(jobs_, job);
  return true;
}

void AuditJobs::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
}

}  // namespace berth::controller::api
