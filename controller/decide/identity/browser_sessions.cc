#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "events/base/text.h"
#include "events/base/wire_time.h"

namespace berth::controller {
namespace {

using projections::BrowserSessionRow;
using projections::Noun;
using projections::Verb;

constexpr std::size_t kBrowserSessionsMax = 50;  // of a user
constexpr Duration kLifetimeMax = 366 * 24 * kHour;
constexpr std::size_t kClientMax = 200;  // bytes, as the next
constexpr std::size_t kAddressMax = 64;

std::optional<Refusal> check(const DecisionContext& c, const v1::StartBrowserSession& body) {
  if (auto refusal = check_user(c, Noun::kBrowserSession, Verb::kCreate, body.user())) return refusal;
  if (auto refusal = check_password_set(c, body.user(), body.password_set())) return refusal;
  const auto id = Uuid::from_bytes(body.id());
  if (!id || id->is_nil() || body.secret_hash().size() != sizeof(Hash256))
    return Refusal{"invalid-definition", "a browser session has an id and its secret's hash",
                   "ask by the API"};
  if (c.state.browser_sessions.find(*id) != nullptr)
    return Refusal{"id-in-use", "there is a browser session of that id already", ""};
  const Timestamp expires = from_wire_ms(body.expires_ms());
  if (expires <= c.now || expires > c.now + kLifetimeMax)
    return Refusal{"invalid-value", "a browser session lives up to 366 days", ""};
  return std::nullopt;
}

// Those that have expired, and of the others the longest unused, so that there is room for one more.
void make_room(const DecisionContext& c, const std::string& user, EventList& events) {
  std::vector<const BrowserSessionRow*> rows;
  c.state.browser_sessions.for_each_unordered([&](const BrowserSessionRow& row) {
    if (row.user == user) rows.push_back(&row);
  });
  std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
    return std::pair(a->used_at, a->id) < std::pair(b->used_at, b->id);
  });
  std::size_t living = 0;
  for (const auto* row : rows) living += row->expires_at > c.now ? 1 : 0;
  for (const auto* row : rows) {
    if (row->expires_at <= c.now) {
      end_browser_session(c, row->id, "expired", events);
    } else if (living >= kBrowserSessionsMax) {
      end_browser_session(c, row->id, "too-many", events);
      --living;
    }
  }
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::StartBrowserSession& body) {
  if (auto refusal = check(c, body)) return *refusal;
  EventList events;
  make_room(c, body.user(), events);
  auto* started = events.add(c.stamp).mutable_browser_session_started();
  started->set_id(body.id());
  started->set_user(body.user());
  started->set_secret_hash(body.secret_hash());
  started->set_started_ns(c.now);
  started->set_expires_ns(from_wire_ms(body.expires_ms()));
  started->set_client(clipped(body.client(), kClientMax));
  started->set_address(clipped(body.address(), kAddressMax));
  return events;
}

Decision decide(const DecisionContext& c, const v1::EndBrowserSessions& body) {
  const Refusal none{"unknown-browser-session", "there is no such browser session", ""};
  if (auto refusal = check_user(c, Noun::kBrowserSession, Verb::kEnd, body.user()))
    return refusal->code == "unknown-user" && !body.id().empty() ? none : *refusal;
  const Code reason = body.reason() == v1::CODE_LOGOUT ? Code("logout") : Code("ended-by-user");
  EventList events;
  if (body.id().empty()) {
    end_browser_sessions(c, body.user(), reason, body.except(), events);
  } else {
    const auto id = Uuid::from_bytes(body.id());
    const auto* row = id ? c.state.browser_sessions.find(*id) : nullptr;
    if (row == nullptr || row->user != body.user()) return none;
    end_browser_session(c, row->id, reason, events);
  }
  if (events.empty()) return none;
  return events;
}

}  // namespace berth::controller
