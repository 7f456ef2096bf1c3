#include "events/codec/signing.h"

#include <sodium.h>

namespace berth {
namespace {

constexpr std::size_t kKeysMax =
    100'000;  // beyond it the cache starts anew: a writer name costs an attacker nothing

bool equal_constant_time(const Hash128& a, const Hash128& b) {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

Error bad_signature(std::string_view writer) {
  return make_error("bad-signature", "the MAC of '" + std::string(writer) + "' does not fit its payload",
                    "is the writer's key of an older generation, or of another cluster?");
}

}  // namespace

std::optional<std::string_view> producer_of(std::string_view writer) {
  constexpr std::string_view kPrefix = "producer:";
  if (!writer.starts_with(kPrefix)) return std::nullopt;
  return writer.substr(kPrefix.size());
}

std::string derive_key(std::string_view secret, std::string_view writer, std::uint32_t generation) {
  std::string input = "berth-writer-key:" + std::string(writer) + ":" + std::to_string(generation);
  return std::string(as_view(blake2b_256(secret, input)));
}

Hash128 compute_mac(std::string_view key, Channel channel, const Uuid& cluster, std::string_view body) {
  std::string input;
  input.reserve(17 + body.size());
  input += static_cast<char>(channel);
  input += cluster.view();
  input += body;
  return blake2b_128(key, input);
}

std::string Signer::sign(Channel channel, std::string_view body) const {
  Envelope e;
  e.cluster = cluster_;
  e.writer = writer_;
  e.generation = generation_;
  e.mac = compute_mac(key_, channel, cluster_, body);
  e.body = body;
  return make_envelope(e);
}

const std::string& Verifier::key_of(std::string_view writer, std::uint32_t generation) {
  if (const std::uint64_t version = secrets_.version(); keys_.size() > kKeysMax || version != version_) {
    keys_.clear();
    version_ = version;
  }
  auto [it, fresh] = keys_.try_emplace({std::string(writer), generation});
  if (fresh) it->second = secrets_.key_of(writer, generation);
  return it->second;
}

Result<Envelope> Verifier::open(Channel channel, std::string_view bytes) {
  auto envelope = open_envelope(bytes, cluster_);
  if (!envelope) return envelope;
  if (envelope->writer.empty())
    return make_error("not-signed", "payload carries no writer and no MAC", "sign it: events/FORMAT.md");
  const auto mac =
      compute_mac(key_of(envelope->writer, envelope->generation), channel, cluster_, envelope->body);
  if (!equal_constant_time(mac, envelope->mac)) return bad_signature(envelope->writer);
  return envelope;
}

Result<Envelope> open_signed(const Signer& own, Channel channel, std::string_view bytes) {
  auto envelope = open_envelope(bytes, own.cluster());
  if (!envelope) return envelope;
  if (envelope->writer != own.writer() || envelope->generation != own.generation())
    return make_error(kNotOurs, "payload is signed for '" + std::string(envelope->writer) + "'");
  if (!equal_constant_time(compute_mac(own.key(), channel, own.cluster(), envelope->body), envelope->mac))
    return bad_signature(envelope->writer);
  return envelope;
}

}  // namespace berth
