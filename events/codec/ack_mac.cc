#include "events/codec/ack_mac.h"

#include <sodium.h>

#include <string>

#include "events/codec/signing.h"

namespace berth {
namespace {

void put(std::string& out, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
}

void put(std::string& out, std::string_view text) {
  put(out, std::uint64_t{text.size()});
  out += text;
}

}  // namespace

Hash128 ack_mac(std::string_view key, const Uuid& cluster, const v1::Acks& batch, const v1::Ack& ack) {
  std::string input;
  input.reserve(160);
  put(input, batch.epoch());
  put(input, std::string_view(batch.election_nonce()));
  put(input, std::string_view(ack.agent()));
  put(input, std::string_view(ack.incarnation()));
  put(input, ack.counter());
  put(input, static_cast<std::uint64_t>(ack.boottime_ns()));
  put(input, std::uint64_t{ack.has_last_order()});
  put(input, ack.last_order().epoch());
  put(input, ack.last_order().sequence());
  put(input, std::uint64_t{ack.last_order().index()});
  put(input, std::uint64_t{ack.unknown()});
  put(input, static_cast<std::uint64_t>(ack.lease_ms()));
  put(input, static_cast<std::uint64_t>(ack.time_ns()));
  return compute_mac(key, Channel::kAck, cluster, input);
}

bool ack_mac_fits(std::string_view key, const Uuid& cluster, const v1::Acks& batch, const v1::Ack& ack) {
  const Hash128 mac = ack_mac(key, cluster, batch, ack);
  return ack.mac().size() == mac.size() && sodium_memcmp(ack.mac().data(), mac.data(), mac.size()) == 0;
}

}  // namespace berth
