// How people sign in, and what of it is used.
#include <algorithm>

#include "projections/fold/event_context.h"
#include "projections/fold/net.h"
#include "projections/password_mark.h"

namespace berth::projections {
namespace {

Forbidden check_user(const EventContext& c, const std::string& user) {
  return c.state.users.find(user) != nullptr ? "" : "no user is named '" + user + "'";
}

const BrowserSessionRow* find_browser_session(const EventContext& c, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  return id ? c.state.browser_sessions.find(*id) : nullptr;
}

Forbidden accept(EventContext& c) {
  if (!c.event.request_id().empty()) note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace

Forbidden apply(EventContext& c, const v1::PasswordSet& e) {
  if (auto reason = check_user(c, e.user()); !reason.empty()) return reason;
  if (auto reason = net::check_sealed(c.state, e.hash()); !reason.empty()) return reason;
  if (password_mark(e).is_nil()) return "a password without its mark";
  c.state.passwords.put({e});
  c.state.login_links.erase(e.user());
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::LoginLinkIssued& e) {
  if (auto reason = check_user(c, e.user()); !reason.empty()) return reason;
  if (e.token_hash().size() != sizeof(Hash128)) return "a login link without its token's hash";
  c.state.login_links.put({e});
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::LoginLinkEnded& e) {
  if (c.state.login_links.find(e.user()) == nullptr) return "the user has no login link";
  c.state.login_links.erase(e.user());
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::BrowserSessionStarted& e) {
  if (auto reason = check_user(c, e.user()); !reason.empty()) return reason;
  const auto id = Uuid::from_bytes(e.id());
  if (!id || id->is_nil() || e.secret_hash().size() != sizeof(Hash256))
    return "a browser session without id or secret";
  if (c.state.browser_sessions.find(*id) != nullptr) return "a browser session of that id exists";
  BrowserSessionRow row{*id,        e.user(),   {}, e.started_ns(), e.started_ns(), e.expires_ns(),
                        e.client(), e.address()};
  std::copy(e.secret_hash().begin(), e.secret_hash().end(), row.secret_hash.begin());
  c.state.browser_sessions.put(std::move(row));
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::BrowserSessionUsed& e) {
  const BrowserSessionRow* known = find_browser_session(c, e.id());
  if (known == nullptr) return "there is no such browser session";
  BrowserSessionRow row = *known;
  row.used_at = e.used_ns();
  c.state.browser_sessions.put(std::move(row));
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::BrowserSessionEnded& e) {
  const BrowserSessionRow* known = find_browser_session(c, e.id());
  if (known == nullptr) return "there is no such browser session";
  if (e.user() != known->user) return "the browser session is not that user's";
  const Uuid id = known->id;
  c.state.browser_sessions.erase(id);
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::KeyPairUsed& e) {
  const KeyPairRow* known = c.state.key_pairs.find(e.id());
  if (known == nullptr) return "there is no such key pair";
  KeyPairRow row = *known;
  row.def.set_used_ns(e.used_ns());
  c.state.key_pairs.put(std::move(row));
  return accept(c);
}

Forbidden apply(EventContext& c, const v1::UnreachableChanged& e) {
  for (const std::string& agent : e.lost()) {
    if (c.state.agents.find(agent) == nullptr) return "no agent is named " + agent;
    c.state.unreachable.put({agent});
  }
  for (const std::string& agent : e.back()) {
    if (c.state.unreachable.find(agent) == nullptr) return "agent " + agent + " was not held unreachable";
    c.state.unreachable.erase(agent);
  }
  return {};
}

void forget_user(State& state, const std::string& user) {
  state.users.erase(user);
  state.passwords.erase(user);
  state.login_links.erase(user);
  std::vector<std::string> keys;
  state.key_pairs.for_each_unordered([&](const KeyPairRow& row) {
    if (row.def.user() == user) keys.push_back(row.def.id());
  });
  std::sort(keys.begin(), keys.end());
  for (const std::string& key : keys) forget_key_pair(state, key);
  std::vector<Uuid> browser_sessions;
  state.browser_sessions.for_each_unordered([&](const BrowserSessionRow& row) {
    if (row.user == user) browser_sessions.push_back(row.id);
  });
  std::sort(browser_sessions.begin(), browser_sessions.end());
  for (const Uuid& id : browser_sessions) state.browser_sessions.erase(id);
}

void forget_key_pair(State& state, const std::string& key) {
  state.key_pairs.erase(key);
  state.limits.erase("keypair/" + key);
  state.retired.put({RetiredRow::make_key(v1::DEFINITION_KIND_KEY, key)});
}

}  // namespace berth::projections
