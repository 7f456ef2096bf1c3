// What only an operator decides: inputs in quarantine (P7) are let go, a clock that jumped is believed (P16).
#include "controller/api/map/define_request.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/call.h"
#include "controller/api/routes/page.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::Noun;
using projections::Verb;

void list_quarantine(const Services& services, const CallPtr& call, const Reply& reply) {
  list_table(
      services, call, reply, "quarantine", &projections::State::quarantine,
      [](const ListView&, const projections::QuarantineRow& row) {
        return json::object{{"subject", row.what}, {"failures", row.failures}, {"answered", row.answered}};
      });
}

// With the position from which on it holds.
HttpReply done(const RequestAnswer& answer) {
  return json_reply(200, json::object{{"position", answer.position}});
}

void release(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    request.mutable_release_quarantine()->set_subject(read_subject(body, errors));
  };
  ask_with_body(services, call, reply, fill, done);
}

void confirm_clock(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto fill = [](v1::Request& request, const json::object& body, Errors& errors) {
    read_nothing(body, errors);
    request.mutable_confirm_clock();
  };
  ask_with_body(services, call, reply, fill, done);
}

}  // namespace

std::vector<Route> operator_routes() {
  const Route::Need see{Noun::kQuarantine, Verb::kSee};
  return {{"GET", "/v1/quarantine", "listQuarantine", list_quarantine, see, {.past = Route::kPast}},
          {"POST", "/v1/quarantine/release", "releaseQuarantine", release, {Noun::kQuarantine, Verb::kAct}},
          {"POST", "/v1/clock/confirm", "confirmClock", confirm_clock, {Noun::kClock, Verb::kAct}}};
}

}  // namespace berth::controller::api
