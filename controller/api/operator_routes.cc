// What only an operator decides: inputs in quarantine (P7) are let go, a clock that jumped is believed (P16).
#include "controller/api/asker.h"
#include "controller/api/call.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/json_values.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

void list_quarantine(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const auto limit = static_cast<std::size_t>(query.integer("limit", 1, 1000).value_or(100));
  const std::string after = query.text("page_token").value_or("");  // the last subject of the page before
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    json::array subjects;
    json::value next;
    for (const std::string& what : view.state.quarantine.sorted_keys()) {
      if (what <= after) continue;
      if (subjects.size() == limit) {
        next = subjects.back().at("subject");
        break;
      }
      const auto* row = view.state.quarantine.find(what);
      subjects.push_back({{"subject", what}, {"failures", row->failures}, {"answered", row->answered}});
    }
    json::object page{{"quarantine", std::move(subjects)}, {"next_page_token", next}, {"position", position_or_null(view)}};
    out = json_reply(view, page);
  });
  reply(std::move(out));
}

// Asks and answers with the position from which on it holds.
void ask(const Services& services, const CallPtr& call, const Reply& reply, const v1::Request& request) {
  ask_and_reply(services, call, reply, request,
                [](const Answer& answer) { return json_reply(200, json::object{{"position", answer.position}}); });
}

void release(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query(call->target, errors).finish();
  const std::string subject = read_subject(*body, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  v1::Request request = request_of(services, *call);
  request.mutable_release_quarantine()->set_subject(subject);
  ask(services, call, reply, request);
}

void confirm_clock(const Services& services, const CallPtr& call, const Reply& reply) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query(call->target, errors).finish();
  read_nothing(*body, errors);
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  v1::Request request = request_of(services, *call);
  request.mutable_confirm_clock();
  ask(services, call, reply, request);
}

}  // namespace

std::vector<Route> operator_routes() {
  return {{"GET", "/v1/quarantine", "listQuarantine", Route::kSuperadmin, list_quarantine},
          {"POST", "/v1/quarantine/release", "releaseQuarantine", Route::kSuperadmin, release},
          {"POST", "/v1/clock/confirm", "confirmClock", Route::kSuperadmin, confirm_clock}};
}

}  // namespace berth::controller::api
