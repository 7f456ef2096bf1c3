// The envelope around every payload of every stream (P2, P3); FORMAT.md has the byte layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/hash.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth {

inline constexpr std::uint16_t kRules = 1;  // the transition table and net that this build writes (P15)
inline constexpr std::uint16_t kReaderVersion = 1;          // the schema that this build reads
inline constexpr std::size_t kRecordBytesMax = 256u << 10;  // P4
inline constexpr std::size_t kWriterNameMax = 200;

// Views into the opened bytes.
struct Envelope {
  Uuid cluster;
  std::uint16_t rules = kRules;
  std::uint16_t min_reader = kReaderVersion;
  std::string_view writer;       // empty: not signed
  std::uint32_t generation = 0;  // of the writer's key
  Hash128 mac{};
  std::string_view body;  // protobuf
};

// Envelope without a signature.
std::string make_envelope(const Uuid& cluster, std::string_view body, std::uint16_t rules = kRules);
// Envelope with writer, generation and MAC (signing.h computes them).
std::string make_envelope(const Envelope& envelope);

// Checks magic, length and checksum. Codes: envelope-malformed, made-before-0.1.0. `rules` and `min_reader`
// are not judged here: a void record stops nobody (P3).
Result<Envelope> open_envelope(std::string_view bytes);
// The same, and refuses a payload of another cluster: other-cluster.
Result<Envelope> open_envelope(std::string_view bytes, const Uuid& cluster);
Error other_cluster(const Envelope& envelope, const Uuid& cluster);

}  // namespace berth
