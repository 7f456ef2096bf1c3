// Why what came from a program of others was not carried out, for the counters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::controller {

// The first group is dropped unread and answered by nothing (P1); of the second the journal has the answer.
enum class ProducerRefusal : std::uint8_t {
  kMalformed,      // no envelope of this cluster, no signature, or no request in it
  kOversize,       // larger than any record of a request may be
  kForged,         // the MAC fits not
  kUnregistered,   // no producer of that name
  kDisabled,       // its producer is switched off
  kStaleKey,       // a key of another generation than the producer's
  kOtherActor,     // it asks as somebody else
  kTransactional,  // a transaction's mark: what it wrote counts as it stands, ended or aborted

  kOutOfScope,  // another kind of request, or another's owner
  kOwner,       // the owner does not exist, or is disabled
  kReplayed,    // it was answered before
  kExpired,     // it was sent too long ago
};
inline constexpr std::array<std::string_view, 12> kProducerRefusals = {
    "malformed",   "oversize",      "forged",       "unregistered", "disabled", "stale-key",
    "other-actor", "transactional", "out-of-scope", "owner",        "replayed", "expired"};

inline std::string_view name_of(ProducerRefusal refusal) {
  return kProducerRefusals[static_cast<std::size_t>(refusal)];
}

// One number a reason.
class ProducerRefusals {
 public:
  void count(ProducerRefusal refusal) { ++counts_[static_cast<std::size_t>(refusal)]; }
  std::uint64_t of(ProducerRefusal refusal) const { return counts_[static_cast<std::size_t>(refusal)]; }

 private:
  std::array<std::uint64_t, kProducerRefusals.size()> counts_{};
};

}  // namespace berth::controller
