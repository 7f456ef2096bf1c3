// What a producer may do by HTTP: it signs with its own key and names the owner for whom it asks.
// Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// A producer's key as one that signs; nothing: `access_key` is of no producer ("producer:NAME"), or there is
// none of that name.
struct ProducerKey {
  std::string name;
  std::string secret;  // lower-case hex
  bool disabled = false;
};
std::optional<ProducerKey> find_producer_key(ApiContext& context, const std::string& access_key);

// Takes ?owner= from the target of a call that a producer has signed, and makes the caller that user. Codes:
// denied (a route that is none of a producer's), owner-missing, out-of-scope, owner-disabled.
std::optional<Problem> take_owner(const Services& services, Call& call);

// Whether the caller is that producer, or may see producers.
bool may_see_producer(const Services& services, const Call& call, const std::string& name);

}  // namespace berth::controller::api
