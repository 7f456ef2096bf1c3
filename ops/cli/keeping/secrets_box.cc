#include "ops/cli/keeping/secrets_box.h"

#include <sodium.h>

#include <cstdint>

#include "events/base/secrets.h"
#include "ops/cli/keeping/backup_format.h"

namespace berth::cli {
namespace {

constexpr std::string_view kMagic = "BERTHSEC";
constexpr std::uint64_t kFormat = 1;
constexpr std::size_t kHead = 8 + 4 + 8 + 8;
constexpr std::size_t kStreamHeader = crypto_secretstream_xchacha20poly1305_HEADERBYTES;
// Of what others wrote: no file makes this machine work for long.
constexpr std::uint64_t kPassesMax = 16, kMemoryMax = 1ull << 30;

struct Cost {
  std::uint64_t passes = crypto_pwhash_OPSLIMIT_MODERATE, memory = crypto_pwhash_MEMLIMIT_MODERATE;
};

const unsigned char* bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

void put_number(std::string& out, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 255);
}

std::uint64_t number_at(std::string_view text, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i)
    value |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(text[at + static_cast<std::size_t>(i)]))
             << (8 * i);
  return value;
}

Result<std::string> key_of(std::string_view passphrase, std::string_view salt, const Cost& cost) {
  std::string key(crypto_secretstream_xchacha20poly1305_KEYBYTES, '\0');
  if (crypto_pwhash(bytes(key), key.size(), passphrase.data(), passphrase.size(), bytes(salt), cost.passes,
                    static_cast<std::size_t>(cost.memory), crypto_pwhash_ALG_ARGON2ID13) != 0)
    return make_error("out-of-memory",
                      "the key of the passphrase needs " + std::to_string(cost.memory >> 20) + " MiB", "");
  return key;
}

}  // namespace

Result<std::string> seal_secrets(std::string_view secrets, std::string_view passphrase,
                                 std::string_view bound_to) {
  const Cost cost;
  const std::string salt = random_bytes(crypto_pwhash_SALTBYTES);
  auto key = key_of(passphrase, salt, cost);
  if (!key) return key;
  std::string out(kMagic);
  put_number(out, kFormat, 4);
  put_number(out, cost.passes, 8);
  put_number(out, cost.memory, 8);
  out += salt;
  crypto_secretstream_xchacha20poly1305_state stream;
  std::string header(kStreamHeader, '\0');
  crypto_secretstream_xchacha20poly1305_init_push(&stream, bytes(header), bytes(*key));
  std::string box(secrets.size() + crypto_secretstream_xchacha20poly1305_ABYTES, '\0');
  crypto_secretstream_xchacha20poly1305_push(&stream, bytes(box), nullptr, bytes(secrets), secrets.size(),
                                             bytes(bound_to), bound_to.size(),
                                             crypto_secretstream_xchacha20poly1305_TAG_FINAL);
  sodium_memzero(key->data(), key->size());
  return out + header + box;
}

Result<std::string> open_secrets(std::string_view box, std::string_view passphrase,
                                 std::string_view bound_to) {
  const std::size_t before = kHead + crypto_pwhash_SALTBYTES + kStreamHeader;
  if (!box.starts_with(kMagic) || box.size() < before + crypto_secretstream_xchacha20poly1305_ABYTES ||
      number_at(box, 8, 4) != kFormat)
    return damaged_backup("its secrets are not what `berth backup` writes");
  const Cost cost{number_at(box, 12, 8), number_at(box, 20, 8)};
  if (cost.passes < 1 || cost.passes > kPassesMax || cost.memory > kMemoryMax ||
      cost.memory < crypto_pwhash_MEMLIMIT_MIN)
    return damaged_backup("its secrets ask for more work than `berth backup` does");
  auto key = key_of(passphrase, box.substr(kHead, crypto_pwhash_SALTBYTES), cost);
  if (!key) return key;
  crypto_secretstream_xchacha20poly1305_state stream;
  const std::string_view header = box.substr(kHead + crypto_pwhash_SALTBYTES, kStreamHeader);
  const std::string_view message = box.substr(before);
  std::string out(message.size() - crypto_secretstream_xchacha20poly1305_ABYTES, '\0');
  unsigned char tag = 0;
  const bool opens =
      crypto_secretstream_xchacha20poly1305_init_pull(&stream, bytes(header), bytes(*key)) == 0 &&
      crypto_secretstream_xchacha20poly1305_pull(&stream, bytes(out), nullptr, &tag, bytes(message),
                                                 message.size(), bytes(bound_to), bound_to.size()) == 0 &&
      tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  sodium_memzero(key->data(), key->size());
  if (opens) return out;
  return make_error("passphrase-wrong", "the passphrase does not open the secrets of this backup",
                    "or they, or the end of its journal, were changed");
}

}  // namespace berth::cli
