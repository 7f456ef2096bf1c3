// EnvironmentSeal: the environment variables of sessions, which are secrets (P29).
//
// An API server seals what a user sends, before the request is in any log; the leader's router opens it and
// seals it anew for the agent that starts a kernel, and the agent opens that. Whoever shows a session opens
// it for the session's owner.
#pragma once

#include <string>
#include <string_view>

#include "events/codec/sealing.h"
#include "events/codec/signing.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/request.pb.h"

namespace berth {

// Of one cluster. Cheap to copy; thread-safe.
class EnvironmentSeal {
 public:
  // Opens and seals nothing.
  EnvironmentSeal() = default;
  EnvironmentSeal(const Uuid& cluster, SealingRing ring) : cluster_(cluster), ring_(std::move(ring)) {}

  // Moves the variables of a request for sessions into a box, and stamps the keyed hash of the request as it
  // was. A no-op where there are none. `nonce`: kSealNonceBytes, never used again. REQUIRES: the request has
  // its actor and id.
  void seal(v1::Request& request, std::string_view nonce) const;
  // `sealed`: canonical bytes of a v1::Sealed, as a session's row holds them; `actor` and `request_id` of the
  // request. Codes: those of SealingRing::open.
  Result<v1::Environment> open(std::string_view sealed, std::string_view actor,
                               std::string_view request_id) const;
  // The same variables for one kernel, under its agent's own key; what does not open is handed on as it is,
  // so that the agent can say so.
  v1::Sealed seal_for_agent(std::string_view sealed, std::string_view actor, std::string_view request_id,
                            std::string_view agent, const std::string& agent_key,
                            const v1::StartKernel& start) const;

 private:
  Uuid cluster_;
  SealingRing ring_;
};

// For an agent: moves the variables of each kernel that the order starts out of its box. A box that does not
// open stays where it is.
void open_environments(v1::Order& order, const Signer& agent);

}  // namespace berth
