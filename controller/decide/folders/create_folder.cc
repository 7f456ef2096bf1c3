#include "controller/decide/decide.h"

namespace berth::controller {

Decision decide(const DecisionContext&, const v1::CreateFolder&) {
  return Refusal{"unknown-request", "this controller does not know what is asked", ""};
}

}  // namespace berth::controller
