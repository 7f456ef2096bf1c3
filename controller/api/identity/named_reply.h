// The reply to a write of something that has a name: {"user": {...}, "position": P}.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controller/api/routes/asker.h"

namespace berth::controller::api {

inline constexpr std::size_t kNameTextMax = 64;  // bytes read of a name; the decision says what a name is
inline constexpr std::size_t kDisplayTextMax = 800;

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

// Of a name that stands in the path, or that `fill` reads.
using Name = std::shared_ptr<std::string>;

}  // namespace berth::controller::api
