// Signing (P1): each request, report, beat and order carries a MAC under its writer's key, derived from the
// cluster secret.
//
// The secret is a 0600 file of controllers and API servers. Agents and producers hold only their own derived
// key.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "events/codec/envelope.h"
#include "events/codec/writer_secrets.h"

namespace berth {

// The use of a payload. The MAC covers the channel, so that a payload signed for one use never passes for
// another.
enum class Channel : std::uint8_t {
  kRequest = 1,
  kReport = 2,
  kBeat = 3,
  kOrder = 4,
  kAck = 5,
  kControl = 6,
  kJournal = 8  // journal_signer.h
};

// "agent:a1", "producer:web", "api:host-1", "controller:c1".
using WriterName = std::string;

// "web" of "producer:web"; nothing of another writer.
std::optional<std::string_view> producer_of(std::string_view writer);

// A writer's derived key of a generation (32 bytes).
std::string derive_key(std::string_view secret, std::string_view writer, std::uint32_t generation);

Hash128 compute_mac(std::string_view key, Channel channel, const Uuid& cluster, std::string_view body);

// Makes signed envelopes with one writer's own key. Cheap to copy; thread-safe after construction.
class Signer {
 public:
  Signer(Uuid cluster, WriterName writer, std::uint32_t generation, std::string key)
      : cluster_(cluster), writer_(std::move(writer)), generation_(generation), key_(std::move(key)) {}
  const WriterName& writer() const { return writer_; }
  const Uuid& cluster() const { return cluster_; }
  const std::string& key() const { return key_; }
  std::uint32_t generation() const { return generation_; }
  std::string sign(Channel channel, std::string_view body) const;

 private:
  Uuid cluster_;
  WriterName writer_;
  std::uint32_t generation_;
  std::string key_;
};

// Checks the MAC of any writer: holds the cluster secret. One thread at a time (keys are cached).
class Verifier {
 public:
  Verifier(Uuid cluster, std::string secret) : Verifier(cluster, WriterSecrets(std::move(secret))) {}
  Verifier(Uuid cluster, WriterSecrets secrets) : cluster_(cluster), secrets_(std::move(secrets)) {}
  // Opens the envelope and checks its MAC. Codes: those of open_envelope, not-signed, bad-signature.
  Result<Envelope> open(Channel channel, std::string_view bytes);
  // A writer's key, to check and to sign (orders and acks to agents).
  const std::string& key_of(std::string_view writer, std::uint32_t generation);

 private:
  Uuid cluster_;
  WriterSecrets secrets_;
  std::uint64_t version_ = 0;  // of the secrets that keys_ were derived of
  std::map<std::pair<std::string, std::uint32_t>, std::string> keys_;
};

// For holders of one key alone (agents): opens a payload that was signed under that key for `channel`.
Result<Envelope> open_signed(const Signer& own, Channel channel, std::string_view bytes);
inline constexpr Code kNotOurs = "not-ours";
// open_signed() refused a payload that is signed for another writer, which is no fault on a shared stream.
inline bool is_not_ours(const Error& error) { return error.code == kNotOurs; }

}  // namespace berth
