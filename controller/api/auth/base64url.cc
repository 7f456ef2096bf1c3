#include "controller/api/auth/base64url.h"

#include <sodium.h>

namespace berth::controller::api {
namespace {

constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

}  // namespace

std::string base64url(std::string_view bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), kVariant);
  text.pop_back();  // the NUL
  return text;
}

std::optional<std::string> from_base64url(std::string_view text, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t read = 0;
  const int rc = sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), size, text.data(),
                                   text.size(), nullptr, &read, nullptr, kVariant);
  if (rc != 0 || read != size || base64url(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace berth::controller::api
