// SHA-256 of what comes piece by piece: of bytes that a person asks for, whom OpenSSL serves four times as
// fast as libsodium, since it uses the machine's own instructions.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>
#include <string_view>

#include "events/base/checks.h"

namespace berth {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    BERTH_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
                "OpenSSL has no SHA-256");
  }
  Sha256(const Sha256& other) : Sha256() { *this = other; }
  Sha256& operator=(const Sha256& other) {
    BERTH_CHECK(EVP_MD_CTX_copy_ex(context_.get(), other.context_.get()) == 1, "OpenSSL copies no SHA-256");
    return *this;
  }
  Sha256(Sha256&&) = default;  // of what was moved from nothing is asked any more
  Sha256& operator=(Sha256&&) = default;
  ~Sha256() = default;

  void add(std::string_view bytes) {
    BERTH_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1,
                "OpenSSL computes no SHA-256");
  }
  // 32 bytes. Once.
  std::string value() {
    std::string digest(32, '\0');
    BERTH_CHECK(
        EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1,
        "OpenSSL computes no SHA-256");
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace berth
