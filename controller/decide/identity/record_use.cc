#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/wire_time.h"

namespace berth::controller {
namespace {

// Of the controller, or of the user whose it is.
bool is_own(const DecisionContext& c, const std::string& user) { return !c.actor || c.actor->user == user; }

Refusal not_newer() { return {"not-newer", "a later use is recorded already", ""}; }

}  // namespace

Decision decide(const DecisionContext& c, const v1::RecordUse& body) {
  const Timestamp used = std::min(from_wire_ms(body.used_ms()), c.now);
  EventList events;
  if (!body.key_pair().empty()) {
    const auto* key = c.state.key_pairs.find(body.key_pair());
    if (key == nullptr || !is_own(c, key->def.user())) return unknown_key_pair(body.key_pair());
    if (used <= key->def.used_ns()) return not_newer();
    auto* event = events.add(c.stamp).mutable_key_pair_used();
    event->set_id(body.key_pair());
    event->set_used_ns(used);
    return events;
  }
  const auto id = Uuid::from_bytes(body.browser_session());
  const auto* row = id ? c.state.browser_sessions.find(*id) : nullptr;
  if (row == nullptr || !is_own(c, row->user))
    return Refusal{"unknown-browser-session", "there is no such browser session", ""};
  if (used <= row->used_at) return not_newer();
  auto* event = events.add(c.stamp).mutable_browser_session_used();
  event->set_id(body.browser_session());
  event->set_used_ns(used);
  return events;
}

}  // namespace berth::controller
