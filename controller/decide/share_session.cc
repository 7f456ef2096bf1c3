// A session's owner shares it with users and projects: they see it and act in its kernels as the owner does.
#include "controller/decide/decide.h"

namespace berth::controller {

Decision decide(const DecisionContext&, const v1::ShareSession&) {
  return denied("sessions are not shared yet");
}

}  // namespace berth::controller
