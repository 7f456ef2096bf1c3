#include "projections/store/history_codec.h"

#include "events/base/hash.h"
#include "projections/store/store_errors.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {
namespace {

constexpr std::size_t kKeyBytes = 24;

struct HistoryFields {
  SessionRow session;
  std::vector<KernelRow> kernels;
  template <class V> void fields(V& v) {
    v(1, session);
    v(2, kernels);
  }
};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string encode_history(const HistoryEntry& entry) {
  HistoryFields row{entry.session, entry.kernels};
  RowEncoder encoder;
  row.fields(encoder);
  return encoder.take();
}

Result<HistoryEntry> decode_history(std::string_view bytes) {
  RowDecoder decoder(bytes);
  HistoryFields row;
  if (decoder.ok()) row.fields(decoder);
  if (!decoder.ok() || row.session.id.is_nil() || !row.session.spec)
    return make_error(kStoreCorruptCode, "a history row does not decode",
                      "history is rebuilt from the journal with the store");
  for (auto& kernel : row.kernels) kernel.spec = row.session.spec;
  return HistoryEntry{std::move(row.session), std::move(row.kernels)};
}

std::string history_key(const SessionRow& session) {
  const std::uint64_t newest_first = ~static_cast<std::uint64_t>(session.ended_at);
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(newest_first >> shift);
  key += session.id.view();
  return key;
}

std::string last_kept_history_key(Timestamp before) {
  const std::uint64_t newest_first = ~static_cast<std::uint64_t>(before);
  std::string key;
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(newest_first >> shift);
  return key + std::string(kKeyBytes - key.size(), '\xff');
}

std::string history_token(std::string_view key) { return to_hex(key); }

Result<std::string> key_of_token(std::string_view token) {
  std::string key;
  for (std::size_t i = 0; i + 1 < token.size(); i += 2) {
    const int high = hex_digit(token[i]), low = hex_digit(token[i + 1]);
    if (high < 0 || low < 0) break;
    key += static_cast<char>(high << 4 | low);
  }
  if (key.size() != kKeyBytes || token.size() != 2 * kKeyBytes)
    return make_error("invalid-token", "that page token was not given by this server",
                      "begin again without one");
  return key;
}

}  // namespace berth::projections
