#include "events/codec/envelope.h"

#include <cstring>

#include "events/codec/made_before.h"

namespace berth {
namespace {

constexpr char kMagic[4] = {'B', 'R', 'T', '1'};
constexpr char kMagicBefore[4] = {'B', 'R', 'T', 'H'};
constexpr std::size_t kChecked = 12;  // the checksum covers everything from here
constexpr std::size_t kFixed = 36;    // magic, length, crc, cluster, rules, min_reader, flags, writer length
constexpr std::uint16_t kSigned = 1;

template <class T> void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
}

template <class T> T get(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  return static_cast<T>(value);
}

Error malformed(std::string why) {
  return make_error("envelope-malformed", "payload has no valid envelope: " + std::move(why),
                    "see events/FORMAT.md; was it written by another program, or damaged?");
}

}  // namespace

std::string make_envelope(const Envelope& e) {
  BERTH_CHECK(e.writer.size() <= kWriterNameMax, "writer name too long");
  std::string out;
  const std::size_t extra = e.writer.empty() ? 0 : e.writer.size() + 4 + e.mac.size();
  out.reserve(kFixed + extra + e.body.size());
  out.append(kMagic, sizeof kMagic);
  put<std::uint32_t>(out, static_cast<std::uint32_t>(kFixed + extra + e.body.size()));
  put<std::uint32_t>(out, 0);
  out.append(e.cluster.view());
  put<std::uint16_t>(out, e.rules);
  put<std::uint16_t>(out, e.min_reader);
  put<std::uint16_t>(out, e.writer.empty() ? 0 : kSigned);
  put<std::uint16_t>(out, static_cast<std::uint16_t>(e.writer.size()));
  if (!e.writer.empty()) {
    out.append(e.writer);
    put<std::uint32_t>(out, e.generation);
    out.append(as_view(e.mac));
  }
  out.append(e.body);
  const std::uint32_t crc = crc32c(std::string_view(out).substr(kChecked));
  for (int i = 0; i < 4; ++i) out[8 + i] = static_cast<char>(crc >> (8 * i));
  return out;
}

std::string make_envelope(const Uuid& cluster, std::string_view body, std::uint16_t rules) {
  Envelope e;
  e.cluster = cluster;
  e.rules = rules;
  e.body = body;
  return make_envelope(e);
}

Result<Envelope> open_envelope(std::string_view bytes) {
  if (bytes.size() < kFixed) return malformed("it is shorter than a header");
  if (std::memcmp(bytes.data(), kMagicBefore, sizeof kMagicBefore) == 0) return made_before("this log");
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) return malformed("the magic is not BRT1");
  if (get<std::uint32_t>(bytes, 4) != bytes.size()) return malformed("the length differs");
  if (get<std::uint32_t>(bytes, 8) != crc32c(bytes.substr(kChecked)))
    return malformed("the checksum differs");
  Envelope e;
  std::memcpy(e.cluster.bytes.data(), bytes.data() + 12, 16);
  e.rules = get<std::uint16_t>(bytes, 28);
  e.min_reader = get<std::uint16_t>(bytes, 30);
  const auto flags = get<std::uint16_t>(bytes, 32);
  const std::size_t writer = get<std::uint16_t>(bytes, 34);
  std::size_t at = kFixed;
  if ((flags & kSigned) != 0) {
    if (writer == 0 || writer > kWriterNameMax || bytes.size() < kFixed + writer + 20)
      return malformed("the signature is cut");
    e.writer = bytes.substr(at, writer);
    e.generation = get<std::uint32_t>(bytes, at + writer);
    std::memcpy(e.mac.data(), bytes.data() + at + writer + 4, e.mac.size());
    at += writer + 20;
  } else if (writer != 0) {
    return malformed("a writer without a signature");
  }
  e.body = bytes.substr(at);
  return e;
}

Result<Envelope> open_envelope(std::string_view bytes, const Uuid& cluster) {
  auto envelope = open_envelope(bytes);
  if (envelope && envelope->cluster != cluster) return other_cluster(*envelope, cluster);
  return envelope;
}

Error other_cluster(const Envelope& envelope, const Uuid& cluster) {
  return make_error(
      "other-cluster",
      "payload belongs to cluster " + to_string(envelope.cluster) + ", not " + to_string(cluster),
      "does the log's URL name another cluster?");
}

}  // namespace berth
