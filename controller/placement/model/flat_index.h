// FlatIndex: session id -> place in a table. Open addressing, with a part of the hash beside the place, so
// that a look-up touches one cache line here and one in the table.
//
// The index is never iterated, so no result depends on the order of hashes.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "events/base/checks.h"
#include "events/base/uuid.h"

namespace berth::placement {

class FlatIndex {
 public:
  static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;

  // `id_at(place)` is the id that the table has at that place.
  template <class IdAt> std::uint32_t find(const Uuid& id, const IdAt& id_at) const {
    if (slots_.empty()) return kAbsent;
    const std::uint32_t tag = tag_of(id);
    for (std::size_t i = tag & mask();; i = (i + 1) & mask()) {
      if (slots_[i].place == kAbsent) return kAbsent;
      if (slots_[i].tag == tag && same(id_at(slots_[i].place), id)) return slots_[i].place;
    }
  }

  // REQUIRES: the id is absent.
  void insert(const Uuid& id, std::uint32_t place) {
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    put({tag_of(id), place});
    ++size_;
  }

  // REQUIRES: the id is in the index, at that place.
  void erase(const Uuid& id, std::uint32_t place) {
    std::size_t hole = tag_of(id) & mask();
    while (slots_[hole].place != place) {
      BERTH_CHECK(slots_[hole].place != kAbsent, "an id is erased that the index does not have");
      hole = (hole + 1) & mask();
    }
    for (std::size_t i = (hole + 1) & mask(); slots_[i].place != kAbsent; i = (i + 1) & mask()) {
      const std::size_t home = slots_[i].tag & mask();
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;  // it stands between its home and the hole
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole] = {};
    --size_;
  }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t place = kAbsent;
  };
  static bool same(const Uuid& a, const Uuid& b) {
    std::uint64_t left[2], right[2];
    std::memcpy(left, a.bytes.data(), sizeof left);
    std::memcpy(right, b.bytes.data(), sizeof right);
    return left[0] == right[0] && left[1] == right[1];
  }
  std::size_t mask() const { return slots_.size() - 1; }
  static std::uint32_t tag_of(const Uuid& id) {
    std::uint64_t parts[2];
    std::memcpy(parts, id.bytes.data(), sizeof parts);
    // The halves one after the other: mixed with one multiplication each, halves that depend on each other
    // may cancel out.
    std::uint64_t mixed = parts[0] * 0x9E3779B97F4A7C15ull;
    mixed = ((mixed ^ (mixed >> 29)) + parts[1]) * 0xD6E8FEB86659FD93ull;
    return static_cast<std::uint32_t>(mixed >> 32);
  }
  void put(Slot slot) {
    std::size_t i = slot.tag & mask();
    while (slots_[i].place != kAbsent) i = (i + 1) & mask();
    slots_[i] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.place != kAbsent) put(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace berth::placement
