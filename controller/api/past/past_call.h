// A call about the past: the same handlers over a state of then.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "controller/api/past/past_context.h"
#include "controller/api/past/past_views.h"
#include "controller/api/routes/call.h"

namespace berth::controller::api {

inline constexpr std::string_view kPastToken = "at:";

// Of a list as it was after that record.
std::string past_token(Offset position, const std::string& token);
// The token of a page behind the token of a list, which keeps the moment.
std::string page_token_of(const StateView& view, std::string token);

struct PastCall {
  PastCall(ApiContext& now, PastViews& views, const projections::PastPtr& state)
      : context(now, state), view(views.of(state)) {}
  PastContext context;
  const std::shared_ptr<PastView> view;
};

// The caller by the rights of now, shares among them.
projections::Actor actor_today(const Services& services, const Call& call);

// Answers the call by its handler, as of call->moment. Replies 503 past-loading where that takes long; it
// goes on then, and is there when one asks again. REQUIRES: take_moment() let it pass.
void answer_in_past(const Services& services, const CallPtr& call, const Reply& reply);

// A state of the past for a route of its own, on a quick worker; who waits long is told past-loading.
void with_past(const Services& services, const CallPtr& call, const Reply& reply,
               const projections::PastMoment& moment, std::function<void(const projections::PastPtr&)> go_on);

}  // namespace berth::controller::api
