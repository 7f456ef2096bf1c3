#include "controller/api/routes/call.h"

#include <algorithm>
#include <cctype>

#include "controller/api/map/json_reader.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {

TraceContext context_within(const Call& call) {
  TraceContext context = *call.trace;
  if (call.span.size() == context.parent.size())
    std::copy(call.span.begin(), call.span.end(), context.parent.begin());
  return context;
}

HttpReply json_reply(unsigned status, const boost::json::value& body) {
  return json_text_reply(status, boost::json::serialize(body));
}

HttpReply json_text_reply(unsigned status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.body = std::move(body);
  reply.body += '\n';
  return reply;
}

projections::Actor actor_of(const Services& services, const Call& call) {
  projections::Actor actor;
  services.context.with_state([&](const StateView& view) { actor = actor_of(view.state, call.caller); });
  return actor;
}

SlotKinds slot_kinds(const Services& services) {
  SlotKinds kinds;
  services.context.with_state([&](const StateView& view) { kinds = SlotKinds(view.state); });
  return kinds;
}

boost::json::value position_or_null(const StateView& view) {
  return view.any ? boost::json::value(view.position) : boost::json::value(nullptr);
}

HttpReply json_reply(const StateView& view, const boost::json::value& body) {
  return json_text_reply(view, boost::json::serialize(body));
}

HttpReply json_text_reply(const StateView& view, std::string body) {
  HttpReply reply = json_text_reply(200, std::move(body));
  if (view.any) reply.set("X-Berth-Position", std::to_string(view.position));
  return reply;
}

HttpReply problem_reply(const Problem& problem, const std::string& request_id) {
  HttpReply reply = json_reply(problem.status, to_json(problem, request_id));
  reply.content_type = "application/problem+json";
  if (problem.retry_after_s != 0) reply.set("Retry-After", std::to_string(problem.retry_after_s));
  if (!problem.allow.empty()) reply.set("Allow", problem.allow);
  if (problem.status == 401) reply.set("WWW-Authenticate", "BERTH-HMAC-SHA256");
  return reply;
}

HttpReply problem_reply(const Problem& problem, const Call& call) {
  return problem_reply(problem, to_string(call.id));
}

void tell_time(ApiContext& context, HttpReply& reply) {
  if (const auto time = context.header_time()) reply.set("Berth-Time", format_milliseconds(*time));
}

Result<boost::json::object> body_of(const Call& call) {
  std::string type = call.request.content_type;
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_json = std::string_view(type).substr(0, type.find(';')) == "application/json";
  if (!call.request.body.empty() && !is_json)
    return make_error("unsupported-media-type", "the body's content type is '" + clipped(type) + "'",
                      "send Content-Type: application/json");
  return parse_body(call.request.body);
}

bool read_body(const CallPtr& call, const Reply& reply, const std::function<void(ObjectReader&)>& read) {
  const auto body = body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call)), false;
  Errors errors;
  Query(call->target, errors).finish();
  ObjectReader reader(*body, "", errors);
  read(reader);
  reader.finish();
  if (errors.empty()) return true;
  reply(problem_reply(std::move(errors).take(), *call));
  return false;
}

void take_turn(const Services& services, const CallPtr& call, const Reply& reply, Turns::Work work,
               Turns::Task task) {
  const auto unless_gone = [call, reply, task = std::move(task)] {
    if (!call->gone) return task();
    reply(problem_reply(make_problem("client-gone", "the client closed its connection"), *call));
  };
  if (services.turns.post(call->caller.actor(), work, unless_gone)) return;
  reply(problem_reply(make_problem("too-many-requests", "so many of your calls wait for their turn already",
                                   "wait for their answers, then ask again"),
                      *call));
}

}  // namespace berth::controller::api
