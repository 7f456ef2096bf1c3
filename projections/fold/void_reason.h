// Why a record is void: it has no effect, for every reader alike (P5, P7, P12).
#pragma once

#include <cstdint>

namespace berth::projections {

enum class VoidReason : std::uint8_t {
  kNone,               // the record is not void
  kGap,                // P30: there is no record at this offset
  kEnvelopeMalformed,  // P3
  kOtherCluster,       // P2
  kTooLarge,           // P4
  kSignature,          // P1: not signed by a holder of the cluster's secret
  kMalformed,    // no record, a record of nothing, or an election elsewhere than at an epoch's beginning
  kClaim,        // the writer has read another journal (P12)
  kClaimTooOld,  // P12
  kEpoch,        // P5: the epoch is not the current one; an election's is not the next one
  kDeadEpoch,    // P7: the net refused a record of the epoch before
  kSequence,     // P5
  kLink,         // P5
  kTime,         // P16
  kInputRange,   // P5
  kForbidden,    // P7: the second net refused an event, which is a bug
};
const char* to_string(VoidReason reason);  // "dead-epoch"; "" for kNone

}  // namespace berth::projections
