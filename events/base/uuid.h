// Ids. Sessions, kernels, requests, incarnations and nonces are UUIDs; agents, groups and users have names.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace berth {

// 16 bytes, ordered as bytes. All zero = absent.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Uuid&) const = default;
  bool is_nil() const { return *this == Uuid{}; }

  // Wire form: exactly 16 bytes, or none for nil.
  std::string_view view() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
  // nullopt unless the size is 16 (or 0: nil).
  static std::optional<Uuid> from_bytes(std::string_view wire);
  // "8-4-4-4-12" hex in either case; nullopt for anything else.
  static std::optional<Uuid> parse(std::string_view text);
  // RFC 9562 version 8 (custom) out of 16 bytes of a hash or a random source: only the version and variant
  // bits change.
  static Uuid from_hash(const std::array<std::uint8_t, 16>& hash);
};

// "8-4-4-4-12", lower case.
std::string to_string(const Uuid& id);

// A typed Uuid: a session id cannot be passed for a kernel id.
template <class Tag> struct Id : Uuid {
  Id() = default;
  explicit Id(const Uuid& id) : Uuid(id) {}
  auto operator<=>(const Id&) const = default;
};

using SessionId = Id<struct SessionTag>;
using KernelId = Id<struct KernelTag>;
using FolderId = Id<struct FolderTag>;
using VolumeId = Id<struct VolumeTag>;

struct UuidHash {
  using is_transparent = void;
  // Ids are already uniform (hashes or random), so eight of their bytes are the hash; no order depends on the
  // hash.
  std::size_t operator()(const Uuid& id) const {
    std::uint64_t low;
    std::memcpy(&low, id.bytes.data() + 8, sizeof low);
    return static_cast<std::size_t>(low * 0x9E3779B97F4A7C15ull);
  }
};

}  // namespace berth
