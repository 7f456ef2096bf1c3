#include "controller/api/inside/stream_facts.h"

#include <algorithm>

#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

Error signed_out_of(const char* why) { return make_error("signed-out", why, "sign in again"); }

std::optional<Error> why_signed_out(const projections::State& state, const StreamFacts& facts, Timestamp now,
                                    Duration idle) {
  const Caller& caller = facts.caller;
  const auto* user = state.users.find(caller.user);
  if (user == nullptr && facts.user_in_journal) return signed_out_of("the user was removed");
  if (user != nullptr && user->def.disabled()) return signed_out_of("the user may not sign in any more");
  if (!caller.browser_session.is_nil()) {
    const auto* row = state.browser_sessions.find(caller.browser_session);
    if (row == nullptr) return signed_out_of("this browser is not signed in any more");
    const Timestamp used_at = std::max(row->used_at, facts.used_at);
    if (std::min(row->expires_at, used_at + idle) > now) return std::nullopt;
    return signed_out_of("this browser signed in too long ago, or nobody has used it for long");
  }
  const auto* key = state.key_pairs.find(caller.access_key);
  if (key == nullptr && facts.key_in_journal) return signed_out_of("the key pair was removed");
  if (key == nullptr) return std::nullopt;
  if (!key->def.active()) return signed_out_of("the key pair was switched off");
  const Timestamp end = key->def.expires_ns();
  if (end != 0 && end <= now) return signed_out_of("the key pair is not good any more");
  return std::nullopt;
}

std::optional<Error> why_ended(const projections::State& state, const StreamFacts& facts) {
  const auto* session = state.sessions.find(facts.session);
  const auto* kernel = state.kernels.find(facts.kernel);
  if (session == nullptr || projections::is_end(session->status) || session->terminating)
    return make_error("session-ended", "the session has ended, or is about to",
                      "berth session ls --all shows why");
  if (kernel == nullptr || kernel->attempt != facts.attempt || session->rescheduling ||
      kernel->state == projections::KernelState::kTerminated)
    return make_error("session-ended", "the kernel has ended", "berth session show SESSION tells why");
  return std::nullopt;
}

bool may_act(const projections::State& state, const StreamFacts& facts) {
  const auto* session = state.sessions.find(facts.session);
  if (!may_act_in_session(state, actor_of(state, facts.caller), facts.noun, *session)) return false;
  const auto* key = state.key_pairs.find(facts.caller.access_key);
  const bool by_key = facts.caller.browser_session.is_nil() && key != nullptr;
  return !facts.changes || !by_key || !key->def.read_only();
}

}  // namespace

std::optional<Error> why_over(const projections::State& state, const StreamFacts& facts, Timestamp now,
                              Duration idle) {
  if (auto why = why_signed_out(state, facts, now, idle)) return why;
  if (auto why = why_ended(state, facts)) return why;
  if (may_act(state, facts)) return std::nullopt;
  return make_error("access-lost", "you may not act in this session any more",
                    "berth whoami shows your rights");
}

}  // namespace berth::controller::api
