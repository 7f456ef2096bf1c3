#include "controller/decide/keeping/check_sealed.h"

#include "events/codec/sealing.h"
#include "projections/sealed_secrets.h"

namespace berth::controller {

std::optional<Refusal> check_sealed(const DecisionContext& c, const v1::Sealed& sealed) {
  if (!projections::is_destroyed(c.state, sealed.key())) return std::nullopt;
  return Refusal{
      kSealKeyDestroyed,
      "the secret was sealed with sealing key " + std::to_string(sealed.key()) + ", which is destroyed",
      "ask again: the server seals with a newer key by now"};
}

}  // namespace berth::controller
