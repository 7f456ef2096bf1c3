// Signed chain heads: what the signatures cover (FORMAT.md has the bytes), how they are made and checked.
//
// Ed25519. A head key is known by its public half, which the log names; its seed lies in the log too, sealed
// for controllers. Whoever has kept one signed head elsewhere can show later that the log still holds what it
// held then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/uuid.h"
#include "events/codec/sealing.h"
#include "events/schema/v1/event.pb.h"
#include "events/schema/v1/keeping.pb.h"

namespace berth {

inline constexpr std::size_t kHeadKeyBytes = 32;
inline constexpr std::size_t kHeadSeedBytes = 32;
inline constexpr std::size_t kHeadSignatureBytes = 64;

// ---- which records a signed head says did not apply (ChainHeadRecorded::voids) ----

// A head lists so many of the records before its claim's offset, and stands at most so many behind it: half
// the window of P12, so that every reader finds the whole list in its own.
inline constexpr std::uint64_t kVoidsListed = 32'768;
// Where the list of a head begins that follows one at `from`.
std::uint64_t voids_begin(std::uint64_t from, std::uint64_t offset);

// Writes the list, a record after the other.
class VoidRuns {
 public:
  void add(bool applied);
  // What was added so far. There is one form of each list.
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  std::uint64_t applied_ = 0;  // since the last void record
  std::uint64_t voids_ = 0;    // of the run that was written last
  std::size_t run_at_ = 0;     // where its number stands
};

// Reads it: for each of the records [begin, end) whether it applied; nullopt: these bytes are no such list.
std::optional<std::vector<bool>> read_void_runs(std::string_view bytes, std::uint64_t begin,
                                                std::uint64_t end);

// ---- signatures ----

// What the signature of a head covers.
std::string chain_head_bytes(const Uuid& cluster, const v1::ChainHeadRecorded& head);
// What the old key signs when a new one follows it. `previous` is empty of the first, which nobody signs.
std::string head_key_bytes(const Uuid& cluster, std::string_view previous, std::string_view public_key);

bool is_signed_by(std::string_view public_key, std::string_view signature, std::string_view bytes);

// Holds the ring that opens a head key's seed. Cheap to copy; thread-safe.
class HeadSigner {
 public:
  HeadSigner(const Uuid& cluster, SealingRing ring) : cluster_(cluster), ring_(std::move(ring)) {}

  // The first key. `seed`: kHeadSeedBytes that nobody else knows. REQUIRES: the ring is not empty.
  v1::HeadKeyChanged first(std::string_view seed) const;
  // The key after `public_key`, whose sealed seed is `secret`. Codes: those of SealingRing::open.
  Result<v1::HeadKeyChanged> next(std::string_view public_key, const v1::Sealed& secret,
                                  std::string_view seed) const;
  // The same seed in a box of the key that seals now. Codes: those of SealingRing::open.
  Result<v1::Sealed> sealed_anew(std::string_view public_key, const v1::Sealed& secret) const;
  // Signs the head; false: the seed does not open here, and the head stays unsigned.
  bool sign(std::string_view public_key, const v1::Sealed& secret, v1::ChainHeadRecorded& head) const;

 private:
  Uuid cluster_;
  SealingRing ring_;
};

}  // namespace berth
