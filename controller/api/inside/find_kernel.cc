#include "controller/api/inside/find_kernel.h"

#include <algorithm>

#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

using projections::KernelRow;
using projections::KernelState;
using projections::SessionRow;

Result<const KernelRow*> kernel_of(const projections::State& state, const SessionRow& session,
                                   const std::string& name) {
  for (const KernelId& id : session.kernel_ids) {
    const KernelRow* row = state.kernels.find(id);
    if (row == nullptr || (row->hostname() != name && to_string(id) != name)) continue;
    if (row->state == KernelState::kRunning) return row;
    return make_error("session-not-running", "kernel " + row->hostname() + " is " + name_of(row->state),
                      "berth session show tells when it runs");
  }
  if (session.kernel_ids.empty())
    return make_error("session-not-running", "session " + session.name + " is not placed yet",
                      "berth session why tells what it waits for");
  return make_error("unknown-kernel", "the session has no kernel '" + clipped(name) + "'",
                    "its first is main1");
}

}  // namespace

std::optional<Error> why_not_now(const SessionRow& session) {
  if (projections::is_end(session.status))
    return make_error("session-ended", "session " + session.name + " has ended",
                      "berth session logs shows what it wrote");
  if (session.terminating)
    return make_error("session-terminating", "session " + session.name + " is about to end",
                      "berth session logs shows what it wrote");
  return std::nullopt;
}

KernelPlace place_of(const projections::State& state, const KernelRow& kernel) {
  KernelPlace place{kernel.agent, "", kernel.id, kernel.attempt};
  if (const auto* agent = state.agents.find(kernel.agent)) place.address = agent->address;
  return place;
}

Result<const SessionRow*> find_session_to_act_in(const StateView& view, const Caller& caller,
                                                 const std::string& session, projections::Noun noun) {
  const auto found = find_session(view.state, caller, session);
  if (!found.ok()) return found.error();
  if (!may_act_in_session(view.state, actor_of(view.state, caller), noun, **found))
    return make_error("denied",
                      "the session's owner opens programs and terminals in it, and whom it is shared with",
                      "its owner shares it: berth session share");
  if (auto not_now = why_not_now(**found)) return *not_now;
  return *found;
}

Result<FoundKernel> find_kernel_to_act_in(const StateView& view, const Caller& caller,
                                          const std::string& session, const std::string& kernel,
                                          projections::Noun noun) {
  const projections::State& state = view.state;
  const auto found = find_session_to_act_in(view, caller, session, noun);
  if (!found.ok()) return found.error();
  const auto row = kernel_of(state, **found, kernel);
  if (!row.ok()) return row.error();
  FoundKernel out;
  out.facts.caller = caller;
  out.facts.key_in_journal = state.key_pairs.find(caller.access_key) != nullptr;
  out.facts.user_in_journal = state.users.find(caller.user) != nullptr;
  out.facts.noun = noun;
  out.facts.session = (*found)->id;
  out.facts.kernel = (*row)->id;
  out.facts.attempt = (*row)->attempt;
  out.place = place_of(state, **row);
  return out;
}

}  // namespace berth::controller::api
