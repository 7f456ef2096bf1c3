#include "events/codec/journal_signer.h"

#include <sodium.h>

#include "events/codec/signing.h"

namespace berth {
namespace {

constexpr std::uint32_t kGeneration = 1;
constexpr std::size_t kUnsigned = 12;  // magic, length and checksum: the checksum covers the MAC

// Where the MAC of a signed record stands (FORMAT.md): behind the fixed part, the writer and the generation.
constexpr std::size_t kMacAt = 36 + sizeof kJournalWriter - 1 + 4;

}  // namespace

JournalSigner::JournalSigner(const Uuid& cluster, std::string_view secret)
    : cluster_(cluster), key_(derive_key(secret, kJournalWriter, kGeneration)) {}

// Over the envelope with zeroes in place of the MAC, and the body.
Hash128 JournalSigner::mac_of(std::string_view payload) const {
  std::string input;
  input.reserve(payload.size());
  input += static_cast<char>(Channel::kJournal);
  input += payload.substr(kUnsigned, kMacAt - kUnsigned);
  input.append(sizeof(Hash128), '\0');
  input += payload.substr(kMacAt + sizeof(Hash128));
  return blake2b_128(key_, input);
}

std::string JournalSigner::sign(std::string_view body, std::uint16_t rules) const {
  Envelope envelope;
  envelope.cluster = cluster_;
  envelope.rules = rules;
  envelope.writer = kJournalWriter;
  envelope.generation = kGeneration;
  envelope.body = body;
  envelope.mac = mac_of(make_envelope(envelope));
  return make_envelope(envelope);
}

bool JournalSigner::is_right(std::string_view payload, const Envelope& envelope) const {
  if (envelope.writer != kJournalWriter || envelope.generation != kGeneration) return false;
  const Hash128 mac = mac_of(payload);
  return sodium_memcmp(mac.data(), envelope.mac.data(), mac.size()) == 0;
}

}  // namespace berth
