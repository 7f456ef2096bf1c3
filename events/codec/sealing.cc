#include "events/codec/sealing.h"

#include <sodium.h>

#include <algorithm>

namespace berth {
namespace {

static_assert(kSealKeyBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(kSealNonceBytes == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(kSealMacBytes == crypto_aead_xchacha20poly1305_ietf_ABYTES);

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

}  // namespace

bool has_seal_shape(const v1::Sealed& sealed) {
  return sealed.nonce().size() == kSealNonceBytes && sealed.box().size() >= kSealMacBytes;
}

SealBinding& SealBinding::add(std::string_view part) {
  for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(part.size() >> shift);
  bytes_ += part;
  return *this;
}

SealBinding SealBinding::of_request(const Uuid& cluster, std::string_view actor, std::string_view request_id,
                                    std::string_view field) {
  return SealBinding().add(cluster.view()).add("request").add(actor).add(request_id).add(field);
}

SealBinding SealBinding::of_key_pair(const Uuid& cluster, std::string_view user, std::string_view id) {
  return SealBinding().add(cluster.view()).add("keypair").add(user).add(id);
}

SealBinding SealBinding::of_password(const Uuid& cluster, std::string_view user) {
  return SealBinding().add(cluster.view()).add("password").add(user);
}

SealBinding SealBinding::of_head_key(const Uuid& cluster, std::string_view public_key) {
  return SealBinding().add(cluster.view()).add("headkey").add(public_key);
}

SealBinding SealBinding::of_app_pass(const Uuid& cluster, std::string_view kind) {
  return SealBinding().add(cluster.view()).add(kind);
}

SealBinding SealBinding::of_order(const Uuid& cluster, std::string_view agent, std::string_view kernel_id,
                                  std::uint32_t attempt) {
  return SealBinding()
      .add(cluster.view())
      .add("order")
      .add(agent)
      .add(kernel_id)
      .add(std::to_string(attempt));
}

SealingKey SealingKey::of_agent(std::string_view writer_key) {
  return {0, std::string(as_view(blake2b_256(writer_key, "berth-sealing-key")))};
}

v1::Sealed SealingKey::seal(std::string_view secret, const SealBinding& binding,
                            std::string_view nonce) const {
  BERTH_CHECK(nonce.size() == kSealNonceBytes, "a nonce of the cipher's length");
  v1::Sealed sealed;
  sealed.set_key(number_);
  sealed.set_nonce(std::string(nonce));
  std::string box(secret.size() + kSealMacBytes, '\0');
  const std::string& bound = binding.bytes();
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(box), nullptr, raw(secret), secret.size(), raw(bound),
                                             bound.size(), nullptr, raw(nonce), raw(key_));
  sealed.set_box(std::move(box));
  return sealed;
}

v1::Sealed SealingKey::seal(std::string_view secret, const SealBinding& binding) const {
  const Hash256 hash = blake2b_256(key_, "nonce" + binding.bytes() + std::string(secret));
  return seal(secret, binding, as_view(hash).substr(0, kSealNonceBytes));
}

Result<std::string> SealingKey::open(const v1::Sealed& sealed, const SealBinding& binding) const {
  const Error broken = make_error("seal-broken", "a sealed value does not open",
                                  "was it sealed under another key, or moved from elsewhere?");
  if (!has_seal_shape(sealed)) return broken;
  std::string secret(sealed.box().size() - kSealMacBytes, '\0');
  const std::string& bound = binding.bytes();
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(
      raw(secret), nullptr, nullptr, raw(sealed.box()), sealed.box().size(), raw(bound), bound.size(),
      raw(sealed.nonce()), raw(key_));
  if (failed != 0) return broken;
  return secret;
}

Hash128 SealingKey::keyed_hash(std::string_view bytes) const {
  return blake2b_128(key_, "hash" + std::string(bytes));
}

void SealingRing::add(SealingKey key) {
  Keys next = now();
  next.sealing = std::max(next.sealing, key.number());
  next.keys.insert_or_assign(key.number(), std::move(key));
  shared_->set(std::move(next));
}

void SealingRing::set_to_open(SealingKey key) {
  const auto known = now().keys.find(key.number());
  if (known != now().keys.end() && known->second == key) return;
  Keys next = now();
  next.keys.insert_or_assign(key.number(), std::move(key));
  shared_->set(std::move(next));
}

void SealingRing::seal_with_newest() {
  if (empty() || now().sealing == now().keys.rbegin()->first) return;
  Keys next = now();
  next.sealing = next.keys.rbegin()->first;
  shared_->set(std::move(next));
}

void SealingRing::erase(std::uint32_t number) {
  if (number == now().sealing || !has(number)) return;
  Keys next = now();
  next.keys.erase(number);
  shared_->set(std::move(next));
}

Result<std::string> SealingRing::open(const v1::Sealed& sealed, const SealBinding& binding) const {
  const Keys& known = now();
  const auto key = known.keys.find(sealed.key());
  if (key == known.keys.end())
    return make_error("unknown-sealing-key",
                      "the ring of this node has no sealing key " + std::to_string(sealed.key()),
                      "copy cluster.json from the node that made it");
  return key->second.open(sealed, binding);
}

}  // namespace berth
