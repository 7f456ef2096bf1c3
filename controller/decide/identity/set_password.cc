// A password is set by the user's old one, which an API server has checked, or by a login link, which is
// spent by it.
#include "controller/decide/decide.h"
#include "controller/decide/identity/identity_checks.h"
#include "controller/decide/keeping/check_sealed.h"
#include "events/codec/sealing.h"

namespace berth::controller {
namespace {

std::optional<Refusal> check_link(const DecisionContext& c, const v1::SetPassword& body) {
  const auto* link = c.state.login_links.find(body.user());
  if (link != nullptr && link->def.token_hash() == body.link_hash() && link->def.expires_ns() > c.now)
    return std::nullopt;
  return Refusal{"link-not-valid", "the link was used, has expired, or a newer one was made",
                 "ask for another"};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::Request& request, const v1::SetPassword& body) {
  if (auto refusal = check_user(c, projections::Noun::kPassword, projections::Verb::kChange, body.user()))
    return *refusal;
  if (!has_seal_shape(body.hash()))
    return Refusal{"invalid-definition", "a password comes as a sealed hash", "ask by the API"};
  if (auto refusal = check_sealed(c, body.hash())) return *refusal;
  const bool by_link = !body.link_hash().empty();
  if (by_link) {
    if (auto refusal = check_link(c, body)) return *refusal;
  } else if (c.state.passwords.find(body.user()) == nullptr) {
    return Refusal{"no-password", "there is no password to change", "a login link sets the first one"};
  } else if (auto refusal = check_password_set(c, body.user(), body.replaces())) {
    return *refusal;  // of two changes by one old password the second finds another password in force
  }
  EventList events;
  if (!by_link) end_login_link(c, body.user(), "password-changed", events);
  auto* password = events.add(c.stamp).mutable_password_set();
  password->set_user(body.user());
  *password->mutable_hash() = body.hash();
  password->set_set_ns(c.now);
  password->set_mark(request.id());
  end_browser_sessions(c, body.user(), "password-changed", by_link ? "" : request.browser_session(), events);
  return events;
}

}  // namespace berth::controller
