#include "projections/views/usage_rows.h"

#include <algorithm>
#include <bit>

namespace berth::projections {
namespace {

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

constexpr unsigned kFineBits = 5;  // a bucket is a 32nd of its power of two

}  // namespace

// Milliseconds below 32 have a bucket each.
std::uint32_t WaitCounts::number_of(Duration waited) {
  const auto ms = static_cast<std::uint64_t>(std::max<Duration>(0, waited) / kMillisecond);
  const auto width = static_cast<unsigned>(std::bit_width(ms));
  if (width <= kFineBits) return static_cast<std::uint32_t>(ms);
  const unsigned shift = width - kFineBits - 1;
  return ((shift + 1) << kFineBits) + static_cast<std::uint32_t>((ms >> shift) & ((1u << kFineBits) - 1));
}

void WaitCounts::add(const Bucket& bucket) {
  const auto at = std::ranges::lower_bound(buckets_, bucket.number, {}, &Bucket::number);
  if (at != buckets_.end() && at->number == bucket.number)
    at->count += bucket.count;
  else
    buckets_.insert(at, bucket);
}

std::uint64_t WaitCounts::count() const {
  std::uint64_t sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.count;
  return sum;
}

std::int64_t WaitCounts::percentile_ms(unsigned percent) const {
  const std::uint64_t rank = (count() * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (const Bucket& bucket : buckets_) {
    seen += bucket.count;
    if (seen < rank || seen == 0) continue;
    if (bucket.number < (1u << kFineBits)) return bucket.number;
    const unsigned shift = (bucket.number >> kFineBits) - 1;
    const std::uint64_t begin = (1u << kFineBits) + (bucket.number & ((1u << kFineBits) - 1));
    if (shift > 40) return INT64_MAX;  // of bytes that no build wrote
    return static_cast<std::int64_t>(((begin + 1) << shift) - 1);
  }
  return 0;
}

// No name has a NUL in it.
std::string UseSeries::key() const {
  std::string key(1, static_cast<char>(family()));
  key += static_cast<char>(kind);
  for (const std::string* part : {&domain, &project, &user, &group, &agent, &device}) {
    key += *part;
    key += '\0';
  }
  return key;
}

SlotIntegral& UseRow::slot(const std::string& name) {
  for (SlotIntegral& use : slots)
    if (use.slot == name) return use;
  slots.push_back({name, 0, 0, 0});
  return slots.back();
}

ChangeRow change_row(const UseChange& change) {
  ChangeRow row;
  row.series.kind = change.kind;
  if (change.owner) {
    const v1::Owner& owner = change.owner->owner;
    row.series.domain = owner.domain();
    row.series.project = owner.project();
    row.series.user = owner.user();
  }
  row.series.group = change.group;
  row.series.agent = change.agent;
  row.begins = change.begins;
  row.parts = change.parts;
  row.got_its_place = change.got_its_place;
  row.waited = change.waited;
  return row;
}

std::string span_key(Timestamp begin, std::string_view rest) {
  std::string key = "s";
  append_big_endian(key, static_cast<std::uint64_t>(begin), 8);
  key += rest;
  return key;
}

std::string change_key(Timestamp time, Offset offset, std::uint32_t index) {
  std::string key = "c";
  append_big_endian(key, static_cast<std::uint64_t>(time), 8);
  append_big_endian(key, offset, 8);
  append_big_endian(key, index, 4);
  return key;
}

std::optional<Timestamp> time_of_key(std::string_view key) {
  if (key.size() < 9 || (key[0] != 's' && key[0] != 'c')) return std::nullopt;
  std::uint64_t time = 0;
  for (const char c : key.substr(1, 8)) time = time << 8 | static_cast<std::uint8_t>(c);
  return static_cast<Timestamp>(time);
}

}  // namespace berth::projections
