#include "projections/fold/void_reason.h"

namespace berth::projections {

const char* to_string(VoidReason reason) {
  switch (reason) {
    case VoidReason::kNone: return "";
    case VoidReason::kGap: return "gap";
    case VoidReason::kEnvelopeMalformed: return "envelope-malformed";
    case VoidReason::kOtherCluster: return "other-cluster";
    case VoidReason::kTooLarge: return "too-large";
    case VoidReason::kSignature: return "signature";
    case VoidReason::kMalformed: return "malformed";
    case VoidReason::kClaim: return "claim";
    case VoidReason::kClaimTooOld: return "claim-too-old";
    case VoidReason::kEpoch: return "epoch";
    case VoidReason::kDeadEpoch: return "dead-epoch";
    case VoidReason::kSequence: return "sequence";
    case VoidReason::kLink: return "link";
    case VoidReason::kTime: return "time";
    case VoidReason::kInputRange: return "input-range";
    case VoidReason::kForbidden: return "forbidden";
  }
  return "";
}

}  // namespace berth::projections
