// CheckpointMerge: the rows of several checkpoints in key order; of a row that several have, the newest
// counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rocksdb/db.h>

#include "projections/past/checkpoint.h"

namespace berth::projections {

inline constexpr char kPastGone = 0;
inline constexpr char kPastThere = 1;

// 8 bytes whose order is the numbers'.
inline std::string past_number(std::uint64_t number) {
  std::string out;
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
  return out;
}
inline std::optional<std::uint64_t> past_number_of(std::string_view bytes) {
  if (bytes.size() != 8) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}
inline std::string past_prefix(Offset next) { return "d" + past_number(next); }

class CheckpointMerge {
 public:
  // `newest_first`: as CheckpointDb chains them.
  CheckpointMerge(rocksdb::DB& db, const std::vector<PastCheckpoint>& newest_first) {
    rocksdb::ReadOptions options;
    options.readahead_size = 1u << 20;
    options.fill_cache = false;
    for (const PastCheckpoint& checkpoint : newest_first) {
      Part part{
          past_prefix(checkpoint.next), std::unique_ptr<rocksdb::Iterator>(db.NewIterator(options)), {}};
      part.it->Seek(part.prefix);
      part.look();
      if (!part.key.empty()) order_.push_back(parts_.size());
      parts_.push_back(std::move(part));
    }
    std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) { return before(a, b); });
  }

  bool valid() const { return !order_.empty(); }
  std::string_view key() const { return parts_[order_[0]].key; }  // without the prefix
  std::string_view value() const { return parts_[order_[0]].it->value().ToStringView(); }
  std::size_t source() const { return order_[0]; }
  void next() {
    std::size_t same = 1;
    while (same < order_.size() && parts_[order_[same]].key == key()) ++same;
    while (same > 0) advance(--same);
  }
  rocksdb::Status status() const {
    for (const Part& part : parts_)
      if (!part.it->status().ok()) return part.it->status();
    return {};
  }

 private:
  struct Part {
    std::string prefix;
    std::unique_ptr<rocksdb::Iterator> it;
    std::string_view key;  // empty: at its end
    void look() {
      const bool here = it->Valid() && it->key().starts_with(prefix);
      key = here ? it->key().ToStringView().substr(prefix.size()) : std::string_view();
    }
  };
  bool before(std::size_t a, std::size_t b) const {
    const int order = parts_[a].key.compare(parts_[b].key);
    return order != 0 ? order < 0 : a < b;
  }
  // Takes its new place behind where it was: most rows are a base's alone, which stays in front.
  void advance(std::size_t at) {
    Part& part = parts_[order_[at]];
    part.it->Next();
    part.look();
    if (part.key.empty()) {
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    for (; at + 1 < order_.size() && before(order_[at + 1], order_[at]); ++at)
      std::swap(order_[at], order_[at + 1]);
  }

  std::vector<Part> parts_;
  std::vector<std::size_t> order_;  // of the parts that are not at their end, by key and newest first
};

}  // namespace berth::projections
