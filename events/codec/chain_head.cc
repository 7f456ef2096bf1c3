#include "events/codec/chain_head.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "events/base/checks.h"
#include "events/base/varint.h"

namespace berth {
namespace {

static_assert(kHeadKeyBytes == crypto_sign_PUBLICKEYBYTES);
static_assert(kHeadSeedBytes == crypto_sign_SEEDBYTES);
static_assert(kHeadSignatureBytes == crypto_sign_BYTES);

// Each opens what is signed with words that nothing else begins with, so that no signature is good for
// another purpose.
constexpr std::string_view kHeadWords = "berth chain head 1\n";
constexpr std::string_view kKeyWords = "berth head key 1\n";

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void add_number(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(value >> shift);
}

// Of a field of fixed length; one of another length would let two heads read alike.
void add_fixed(std::string& out, std::string_view bytes, std::size_t size) {
  std::string fixed(bytes.substr(0, size));
  fixed.resize(size);
  out += fixed;
}

struct HeadKeyPair {
  std::string public_key = std::string(kHeadKeyBytes, '\0');
  std::string secret_key = std::string(crypto_sign_SECRETKEYBYTES, '\0');
  explicit HeadKeyPair(std::string_view seed) {
    BERTH_CHECK(seed.size() == kHeadSeedBytes, "a head key's seed has 32 bytes");
    crypto_sign_seed_keypair(bytes_of(public_key), bytes_of(secret_key), bytes_of(seed));
  }
  HeadKeyPair(const HeadKeyPair&) = delete;
  HeadKeyPair& operator=(const HeadKeyPair&) = delete;
  ~HeadKeyPair() { sodium_memzero(secret_key.data(), secret_key.size()); }

  std::string sign(std::string_view message) const {
    std::string signature(kHeadSignatureBytes, '\0');
    crypto_sign_detached(bytes_of(signature), nullptr, bytes_of(message), message.size(),
                         bytes_of(std::string_view(secret_key)));
    return signature;
  }
};

}  // namespace

std::uint64_t voids_begin(std::uint64_t from, std::uint64_t offset) {
  return std::max(from, offset - std::min(offset, kVoidsListed));
}

void VoidRuns::add(bool applied) {
  if (applied) {
    ++applied_;
    voids_ = 0;
    return;
  }
  if (voids_ == 0) {
    append_varint(bytes_, std::exchange(applied_, 0));
    run_at_ = bytes_.size();
  }
  bytes_.resize(run_at_);
  append_varint(bytes_, ++voids_);
}

std::optional<std::vector<bool>> read_void_runs(std::string_view bytes, std::uint64_t begin,
                                                std::uint64_t end) {
  if (begin > end) return std::nullopt;
  const std::string_view whole = bytes;
  std::vector<bool> applied;
  VoidRuns same;
  for (bool applies = true; !bytes.empty(); applies = !applies) {
    std::uint64_t run = 0;
    if (!take_varint(bytes, run) || run > end - begin - applied.size()) return std::nullopt;
    for (std::uint64_t i = 0; i < run; ++i) same.add(applies);
    applied.insert(applied.end(), run, applies);
  }
  if (same.bytes() != whole) return std::nullopt;
  applied.resize(end - begin, true);
  return applied;
}

std::string chain_head_bytes(const Uuid& cluster, const v1::ChainHeadRecorded& head) {
  std::string out(kHeadWords);
  out += cluster.view();
  add_number(out, head.from());
  add_number(out, head.claim().offset());
  add_number(out, head.applied());
  add_fixed(out, head.claim().rolling(), sizeof(Hash256));
  add_fixed(out, head.state_hash(), sizeof(Hash128));
  out += as_view(blake2b_256(head.voids()));
  return out;
}

std::string head_key_bytes(const Uuid& cluster, std::string_view previous, std::string_view public_key) {
  std::string out(kKeyWords);
  out += cluster.view();
  add_fixed(out, previous, kHeadKeyBytes);
  add_fixed(out, public_key, kHeadKeyBytes);
  return out;
}

bool is_signed_by(std::string_view public_key, std::string_view signature, std::string_view bytes) {
  return public_key.size() == kHeadKeyBytes && signature.size() == kHeadSignatureBytes &&
         crypto_sign_verify_detached(bytes_of(signature), bytes_of(bytes), bytes.size(),
                                     bytes_of(public_key)) == 0;
}

v1::HeadKeyChanged HeadSigner::first(std::string_view seed) const {
  const HeadKeyPair pair(seed);
  v1::HeadKeyChanged event;
  event.set_public_key(pair.public_key);
  *event.mutable_secret_key() =
      ring_.newest().seal(seed, SealBinding::of_head_key(cluster_, pair.public_key));
  return event;
}

Result<v1::HeadKeyChanged> HeadSigner::next(std::string_view public_key, const v1::Sealed& secret,
                                            std::string_view seed) const {
  const auto old_seed = ring_.open(secret, SealBinding::of_head_key(cluster_, public_key));
  if (!old_seed) return old_seed.error();
  if (old_seed->size() != kHeadSeedBytes)
    return make_error("seal-broken", "what the head key's box holds is no seed", "");
  v1::HeadKeyChanged event = first(seed);
  event.set_previous_key(std::string(public_key));
  event.set_signature(HeadKeyPair(*old_seed).sign(head_key_bytes(cluster_, public_key, event.public_key())));
  return event;
}

Result<v1::Sealed> HeadSigner::sealed_anew(std::string_view public_key, const v1::Sealed& secret) const {
  const SealBinding binding = SealBinding::of_head_key(cluster_, public_key);
  const auto seed = ring_.open(secret, binding);
  if (!seed) return seed.error();
  return ring_.newest().seal(*seed, binding);
}

bool HeadSigner::sign(std::string_view public_key, const v1::Sealed& secret,
                      v1::ChainHeadRecorded& head) const {
  const auto seed = ring_.open(secret, SealBinding::of_head_key(cluster_, public_key));
  if (!seed || seed->size() != kHeadSeedBytes) return false;
  head.set_head_key(std::string(public_key));
  head.set_signature(HeadKeyPair(*seed).sign(chain_head_bytes(cluster_, head)));
  return true;
}

}  // namespace berth
