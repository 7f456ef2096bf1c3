// The reply to a write of something that has a name: {"user": {...}, "position": P}.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/api/routes/asker.h"

namespace berth::controller::api {

inline constexpr std::size_t kNameTextMax =
    64;  // characters read of a name; the decision says what a name is
inline constexpr std::size_t kDisplayTextMax = 200;

// `fill` as ask_with_body() has it; `show(view)` gives the thing as of the answer.
inline void put_and_reply(const Services& services, const CallPtr& call, const Reply& reply,
                          const std::function<void(v1::Request&, const boost::json::object&, Errors&)>& fill,
                          const char* member, unsigned status,
                          std::function<boost::json::value(const StateView&)> show) {
  ask_with_body(services, call, reply, fill,
                [services, member, status, show = std::move(show)](const RequestAnswer& answer) {
                  boost::json::object out;
                  services.context.with_state([&](const StateView& view) { out[member] = show(view); });
                  out["position"] = answer.position;
                  return json_reply(answer.replayed ? 200 : status, out);
                });
}

// GET of one thing that has a name: `show(view)` gives it, or null where there is none for the caller.
inline void show_and_reply(const Services& services, const CallPtr& call, const Reply& reply,
                           const std::string& kind, const std::string& name,
                           const std::function<boost::json::value(const StateView&)>& show) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const boost::json::value shown = show(view);
    out = shown.is_null() ? problem_reply(make_problem(Code::told("unknown-" + kind),
                                                       "no " + kind + " is named '" + clipped(name) + "'",
                                                       "berth " + kind + " ls lists them"),
                                          *call)
                          : json_reply(view, shown);
  });
  reply(std::move(out));
}

// Of a name that stands in the path, or that `fill` reads.
using Name = std::shared_ptr<std::string>;

}  // namespace berth::controller::api
