#include "controller/api/inside/losses.h"

#include <memory>
#include <mutex>
#include <utility>

#include "controller/api/inside/inquiry.h"
#include "controller/api/inside/kernel_losses.h"
#include "controller/api/inside/way_in.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

using projections::Noun;
using projections::Verb;

constexpr std::size_t kKernelsMax = 64;  // are asked; of a session with more it is said that some are missing

struct AskedKernel {
  std::string name;
  KernelPlace place;
};

struct Wanted {
  std::vector<AskedKernel> kernels;
  std::vector<SilentKernel> unasked;
  bool with_names = false;
};

// Whoever may end a session is told how much ends with it; what people call their files is for those alone
// who may look into its kernels. Kernels that do not run have nothing yet.
Result<Wanted> find_wanted(const StateView& view, const Call& call) {
  const auto found = find_session(view.state, call.caller, call.path[0]);
  if (!found.ok()) return found.error();
  const projections::SessionRow& session = **found;
  const projections::Actor actor = actor_of(view.state, call.caller);
  if (!may(actor, Noun::kSession, Verb::kEnd, session.owner->owner))
    return make_error("denied", "whoever may not end a session is not told what ends with it",
                      "berth whoami shows your rights");
  if (auto not_now = why_not_now(session)) return *not_now;
  Wanted wanted;
  wanted.with_names = may_act_in_session(view.state, actor, Noun::kExec, session);
  for (const KernelId& id : session.kernel_ids) {
    const auto* kernel = view.state.kernels.find(id);
    if (kernel == nullptr || kernel->state != projections::KernelState::kRunning) continue;
    if (wanted.kernels.size() < kKernelsMax)
      wanted.kernels.push_back({kernel->hostname(), place_of(view.state, *kernel)});
    else
      wanted.unasked.push_back({kernel->hostname(), make_error("too-many-kernels", "it was not asked")});
  }
  return wanted;
}

// Asks all kernels at once. Those that wait for their answers hold it.
class Survey : public std::enable_shared_from_this<Survey> {
 public:
  Survey(CallPtr call, Reply reply, Wanted wanted)
      : call_(std::move(call)),
        reply_(std::move(reply)),
        wanted_(std::move(wanted)),
        answers_(wanted_.kernels.size(), Result<KernelLosses>(make_error("internal-error", "no answer"))),
        missing_(wanted_.kernels.size()) {}

  void ask(const Services& services) {
    if (wanted_.kernels.empty()) return answer();
    inside::Request request;
    request.what = inside::Request::What::kLosses;
    for (std::size_t i = 0; i < wanted_.kernels.size(); ++i)
      inquire(services, wanted_.kernels[i].place, request, kInquiryPatience,
              [self = shared_from_this(), i](const Result<std::vector<inside::Answer>>& entries) {
                self->take(i, entries);
              });
  }

 private:
  void take(std::size_t number, const Result<std::vector<inside::Answer>>& entries) {
    auto losses = entries.ok() ? read_losses(wanted_.kernels[number].name, *entries)
                               : Result<KernelLosses>(entries.error());
    {
      const std::lock_guard lock(mutex_);
      answers_[number] = std::move(losses);
      if (--missing_ > 0) return;
    }
    answer();
  }

  // Where no kernel tells anything, the first's reason is the answer.
  void answer() {
    std::vector<KernelLosses> told;
    std::vector<SilentKernel> silent;
    for (std::size_t i = 0; i < answers_.size(); ++i)
      if (answers_[i].ok())
        told.push_back(std::move(*answers_[i]));
      else
        silent.push_back({wanted_.kernels[i].name, answers_[i].error()});
    if (told.empty() && !silent.empty()) return reply_(problem_reply(to_problem(silent.front().why), *call_));
    for (SilentKernel& one : wanted_.unasked) silent.push_back(std::move(one));
    reply_(json_reply(200, losses_to_json(told, silent, wanted_.with_names)));
  }

  const CallPtr call_;
  const Reply reply_;
  Wanted wanted_;
  std::mutex mutex_;
  std::vector<Result<KernelLosses>> answers_;  // guarded until all are there
  std::size_t missing_;                        // guarded
};

}  // namespace

void answer_losses(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  Result<Wanted> wanted = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) { wanted = find_wanted(view, *call); });
  if (!wanted.ok()) return refuse_entry(services, call, reply, wanted.error());
  std::make_shared<Survey>(call, reply, std::move(*wanted))->ask(services);
}

}  // namespace berth::controller::api
