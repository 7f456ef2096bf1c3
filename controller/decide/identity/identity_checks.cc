#include "controller/decide/identity/identity_checks.h"

#include <algorithm>
#include <map>
#include <set>

#include "events/base/checks.h"
#include "events/base/plain_text.h"
#include "events/base/text.h"
#include "events/codec/words/codes.h"

namespace berth::controller {
namespace {

using projections::BrowserSessionRow;
using projections::KeyPairRow;
using projections::Noun;
using projections::UserRow;
using projections::Verb;

constexpr std::size_t kNewNameMax = 63;
constexpr std::size_t kDisplayNameMax = 200;  // characters

bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_enabled_superadmin(const v1::UserDefined& user) {
  return user.role() == v1::ROLE_SUPERADMIN && !user.disabled();
}

// By a password, or by a key pair that writes. A login link that nobody has used yet may be lost.
std::set<std::string> who_can_sign_in(const DecisionContext& c) {
  std::set<std::string> out;
  c.state.passwords.for_each_unordered(
      [&](const projections::PasswordRow& row) { out.insert(row.def.user()); });
  c.state.key_pairs.for_each_unordered([&](const KeyPairRow& row) {
    const v1::KeyPairDefined& key = row.def;
    const bool expired = key.expires_ns() != 0 && key.expires_ns() <= c.now;
    if (key.active() && !expired && !key.read_only()) out.insert(key.user());
  });
  return out;
}

bool has_any_of(const std::set<std::string>& able, const std::set<std::string>& users) {
  return std::ranges::any_of(users, [&](const std::string& user) { return able.contains(user); });
}

bool rises(v1::Role from, v1::Role to) {
  return from != to && from != v1::ROLE_SUPERADMIN && to != v1::ROLE_USER;
}

}  // namespace

std::optional<Refusal> check_new_name(const char* what, const std::string& name) {
  const bool valid = !name.empty() && name.size() <= kNewNameMax && is_small(name[0]) &&
                     std::all_of(name.begin(), name.end(),
                                 [](char c) { return is_small(c) || c == '.' || c == '_' || c == '-'; });
  if (valid) return std::nullopt;
  return Refusal{"invalid-name", "'" + clipped(name) + "' is no name for a " + what,
                 "small letters, digits, '.', '_' and '-', at most 63; the first is a letter or digit"};
}

std::optional<Refusal> check_display_name(const std::string& name) {
  if (!has_control_character(name) && characters(name) <= kDisplayNameMax) return std::nullopt;
  return Refusal{"invalid-name", "a display name has at most 200 characters, and no control characters", ""};
}

Refusal unknown(const std::string& kind, const std::string& name) {
  return {Code::told("unknown-" + kind), "no " + kind + " is named '" + clipped(name, 160) + "'",
          "berth " + kind + " ls"};
}

Refusal unknown_key_pair(const std::string& id) {
  return {"unknown-key-pair", "no key pair has the id '" + clipped(id, 160) + "'", "berth key ls"};
}

std::optional<Refusal> check_user(const DecisionContext& c, Noun noun, Verb verb, const std::string& user) {
  const UserRow* row = c.state.users.find(user);
  if (row == nullptr) return unknown("user", user);
  const bool own = c.actor && c.actor->user == user;
  const bool above = c.actor && !own && !projections::may_manage_role(*c.actor, row->def.role());
  if (allowed(c, noun, verb, row->def) && !above) return std::nullopt;
  if (!allowed(c, Noun::kUser, Verb::kSee, row->def)) return unknown("user", user);
  return denied("this is not yours to do for user " + clipped(user));
}

std::optional<Refusal> check_password_set(const DecisionContext& c, const std::string& user,
                                          const std::string& mark) {
  const auto* password = c.state.passwords.find(user);
  if (password != nullptr && !mark.empty() && password->def.mark() == mark) return std::nullopt;
  return Refusal{"login-failed", "the password was changed meanwhile", "log in again"};
}

std::optional<Refusal> check_superadmin_stays(const DecisionContext& c,
                                              const std::vector<const v1::UserDefined*>& changed,
                                              const std::string& removed) {
  std::set<std::string> before, after;
  c.state.users.for_each_unordered([&](const UserRow& row) {
    if (is_enabled_superadmin(row.def)) before.insert(row.def.name());
  });
  after = before;
  after.erase(removed);
  for (const v1::UserDefined* user : changed) {
    after.erase(user->name());
    if (is_enabled_superadmin(*user)) after.insert(user->name());
  }
  const bool is_lost = !before.empty() && after.empty();
  const std::set<std::string> able = who_can_sign_in(c);
  if (!is_lost && (!has_any_of(able, before) || has_any_of(able, after))) return std::nullopt;
  return Refusal{"last-superadmin", "no superadmin would be left who can sign in",
                 "make another superadmin first, with a password or a key pair"};
}

void end_credentials_of_old_role(const DecisionContext& c, const v1::UserDefined& user, EventList& events) {
  const UserRow* known = c.state.users.find(user.name());
  if (known == nullptr || !rises(known->def.role(), user.role())) return;
  end_login_link(c, user.name(), "role-raised", events);
  std::map<std::string, const v1::KeyPairDefined*> keys;
  c.state.key_pairs.for_each_unordered([&](const KeyPairRow& row) {
    const bool is_others = row.def.made_by() != user.name();
    if (row.def.user() == user.name() && row.def.active() && is_others) keys.emplace(row.def.id(), &row.def);
  });
  for (const auto& [id, def] : keys) {
    auto& key = *events.add(c.stamp).mutable_key_pair_defined();
    key = *def;
    key.set_active(false);
  }
}

std::string maker_of(const DecisionContext& c, const v1::Owner& asker, const std::string& user) {
  if (!c.actor) return {};
  if (c.actor->user != user || asker.keypair().empty()) return c.actor->user;
  const KeyPairRow* by = c.state.key_pairs.find(asker.keypair());
  return by == nullptr || by->def.user() != user ? std::string() : by->def.made_by();
}

void end_login_link(const DecisionContext& c, const std::string& user, Code reason, EventList& events) {
  const auto* link = c.state.login_links.find(user);
  if (link == nullptr || link->def.expires_ns() <= c.now) return;
  const auto ends_it = [&](const v1::Event& event) { return event.login_link_ended().user() == user; };
  if (std::ranges::any_of(events, ends_it)) return;
  auto* ended = events.add(c.stamp).mutable_login_link_ended();
  ended->set_user(user);
  ended->set_reason(wire(reason));
}

void end_browser_session(const DecisionContext& c, const Uuid& id, Code reason, EventList& events) {
  const BrowserSessionRow* row = c.state.browser_sessions.find(id);
  BERTH_CHECK(row != nullptr, "a browser session that ends is in the state");
  auto* ended = events.add(c.stamp).mutable_browser_session_ended();
  ended->set_id(std::string(id.view()));
  ended->set_user(row->user);
  ended->set_reason(wire(reason));
}

void end_browser_sessions(const DecisionContext& c, const std::string& user, Code reason,
                          const std::string& except, EventList& events) {
  std::vector<Uuid> ids;
  c.state.browser_sessions.for_each_unordered([&](const BrowserSessionRow& row) {
    if (row.user == user && row.id.view() != except) ids.push_back(row.id);
  });
  std::sort(ids.begin(), ids.end());
  for (const Uuid& id : ids) end_browser_session(c, id, reason, events);
}

}  // namespace berth::controller
