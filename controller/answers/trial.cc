#include "controller/answers/trial.h"

#include "controller/answers/cluster_copy.h"

namespace berth::placement {

namespace {

// The request behind the tables' values, to be asked again: by the class, or by another one. `model`: where
// the class's requirements are.
PendingSpec spec_of(const Model& model, const Pending& session, const ClassKey& key) {
  PendingSpec spec;
  spec.id = session.id;
  spec.group = model.groups[key.group].name;
  spec.created = session.created;
  spec.arrival = session.arrival;
  spec.priority = session.priority;
  spec.domain = model.names[session.domain];
  spec.project = model.names[session.project];
  spec.user = model.names[session.user];
  spec.mode = key.mode;
  for (const KernelCount& part : key.kernels) {
    const Requirement& requirement = model.requirements[part.requirement];
    spec.kernels.push_back({requirement.slots, model.names[requirement.arch], part.count});
  }
  spec.designated = {key.designated, key.strict};
  spec.session_group = {model.names[key.session_group], key.rule, key.rule_strict};
  spec.failed_on = key.failed_on;
  spec.job_priority = session.job_priority;
  spec.preemptible = session.preemptible;
  spec.system = session.system;
  spec.retries = session.retries;
  spec.timeout_s = session.timeout_s;
  return spec;
}

// Hears what the pass decides, and tells the session's part from the others'.
class TrialListener final : public PassVisitor {
 public:
  TrialListener(const SessionId& own, const MayStart& may_start, Trial::Run* run)
      : own_(own), may_start_(may_start), run_(run) {}

  Reason admit(const SessionId& session) override {
    if (session == own_ || !may_start_ || may_start_(session)) return {};
    return {Code::kLimit, kNoSlot};
  }
  void placed(const SessionId& session, std::span<const KernelPlacement> kernels) override {
    quiet_ = false;
    if (session != own_) return run_->started_too.push_back(session);
    run_->started = true;
    run_->placements.assign(kernels.begin(), kernels.end());
  }
  void refused(const SessionId& session, Reason reason) override {
    if (session == own_) run_->reason = reason;
  }
  void preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode) override {
    quiet_ = false;
    if (preemptor == own_) run_->victims.push_back(victim);
  }
  void reserved(const SessionId& session, std::span<const KernelPlacement>) override {
    quiet_ = false;
    if (session != own_) run_->reserved_too.push_back(session);
  }
  void unreserved(const SessionId&) override { quiet_ = false; }
  void retried(const SessionId&, std::uint32_t) override {}

  bool quiet() const { return quiet_; }

 private:
  const SessionId& own_;
  const MayStart& may_start_;
  Trial::Run* run_;
  bool quiet_ = true;
};

}  // namespace

std::uint64_t Trial::price(bool changed) const {
  const Model& from = source();
  const Group& own = from.groups[group()];
  return copy_work(from) + own.agents.size() + pass_work(from, own, changed);
}

const Trial::Run& Trial::as_things_are() {
  if (!tried_) run({});
  return known_;
}

Trial::Run Trial::run(const Changes& changes) {
  if (changes.none() && tried_) return known_;
  if (!tried_ && !changes.none()) run({});  // those after it are cheaper then
  const std::uint64_t cost = price(!changes.none());
  if (cost >= work_->left) {
    work_->left = 0;
    tried_ = tried_ || changes.none();
    return {};
  }
  work_->spend(cost);
  copy_for_pass(source(), group(), &scratch_.model());
  apply(changes, &scratch_);
  bool quiet = false;
  Run run = pass_over(&scratch_, &quiet);
  if (!changes.none()) return run;
  tried_ = true;
  quiet_ = quiet;
  if (quiet) warm_ = std::exchange(scratch_, Cluster());
  return known_ = std::move(run);
}

void Trial::apply(const Changes& changes, Cluster* copy) const {
  Model& model = copy->model();
  for (const PendingIndex session : changes.leaves) copy->remove_pending(model_.pending[session].id);
  for (const LiveIndex live : changes.ends) copy->release(model_.live[live].id);
  const Pending& own = model_.pending[session_];
  if (changes.asks != nullptr || model.pending[session_].wait_cause.code != Code::kNone) {
    const ClassKey& key = changes.asks != nullptr ? *changes.asks : model_.classes[own.session_class].key;
    (void)copy->add_pending(spec_of(model_, own, key));
  }
  // Told of anew, and nobody else.
  Model& made = copy->model();
  made.find_pending(own.id)->recorded = {};
  Group& group_here = made.groups[group()];
  group_here.unexplained.assign(1, own.id);
  group_here.touch();
  trust_reasons(made, group(), made.find_pending_index(own.id));
}

Trial::Run Trial::pass_over(Cluster* copy, bool* quiet) {
  Run run;
  run.made = true;
  const SessionId own = model_.pending[session_].id;
  TrialListener listener(own, may_start_, &run);
  const std::string& name = model_.groups[group()].name;
  while (pass(*copy, name, {~0u, false, false, now_}, listener).more) {}
  const Group& after = copy->model().groups[group()];
  if (after.head != own) run.head = after.head;
  *quiet = listener.quiet();
  return run;
}

}  // namespace berth::placement
