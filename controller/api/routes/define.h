// POST of a definition (image, resource group, preset). Defining again replaces the whole definition.
#pragma once

#include <memory>
#include <string>

#include "controller/api/routes/asker.h"

namespace berth::controller::api {

// `read(define, body, kinds, errors)` takes the definition from the body and returns its key; `show(state,
// key, out)` adds the row as of the journal's answer.
template <class Read, class Show>
void define(const Services& services, const CallPtr& call, const Reply& reply, Read read, Show show) {
  const auto key = std::make_shared<std::string>();
  const auto fill = [&](v1::Request& request, const boost::json::object& body, Errors& errors) {
    *key = read(*request.mutable_define(), body, slot_kinds(services), errors);
  };
  ask_with_body(services, call, reply, fill, [services, key, show](const RequestAnswer& answer) {
    boost::json::object out;
    services.context.with_state([&](const StateView& view) { show(view.state, *key, out); });
    out["position"] = answer.position;
    return json_reply(answer.replayed ? 200 : 201, out);
  });
}

}  // namespace berth::controller::api
