// TlsMemory: what OpenSSL reads from and writes to in place of a socket. OpenSSL's own memory (BIO_s_mem)
// moves what is left and zeroes what is to come at each write, which costs more than the bytes themselves.
// Internal to the tunnel.
#pragma once

#include <openssl/bio.h>

#include <string>
#include <string_view>

namespace berth::tunnel {

class TlsMemory {
 public:
  TlsMemory() = default;
  TlsMemory(const TlsMemory&) = delete;
  TlsMemory& operator=(const TlsMemory&) = delete;

  // Both ways of one connection, for SSL_set_bio(); this object outlives it. Null: there is no memory.
  BIO* open();

  std::string_view coming;  // records, the rest of what a read of the socket gave; OpenSSL takes all of it
  std::string leaving;      // records that are not with the socket yet

 private:
  struct Method;
};

}  // namespace berth::tunnel
