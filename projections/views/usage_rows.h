// Rows of the usage view: how much of each slot was held, waited for and there, over all time.
//
// Time is cut into spans: an hour each, or several hours in which nothing changed. A span has a marker row
// and a row for each series (who held what in which group; what was held of which device; ...), with the
// rates at its beginning, how far the rates moved in it, and the exact integral. Besides there is a row for
// each change. So any window is the sum of whole spans, and of the changes in the two spans that it cuts.
//
// Keys: "s" span row: time (8 bytes, big-endian), family, series. "c" change: time, journal offset, index.
// Amounts are micro-units or bytes; integrals are amounts times nanoseconds. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/base/clock.h"
#include "events/log/event_log.h"
#include "projections/tables/use/use_log.h"

namespace berth::projections {

using SlotTime = __int128;  // amount times nanoseconds

struct ViewRow {
  std::string key;
  std::string bytes;
};

// How long sessions waited for their place: counts by bucket. A bucket is at most a 32nd wide of where it
// begins.
class WaitCounts {
 public:
  struct Bucket {
    std::uint32_t number = 0;
    std::uint64_t count = 0;
    template <class V> void fields(V& v) {
      v(1, number);
      v(2, count);
    }
  };
  void add(Duration waited) { add(Bucket{number_of(waited), 1}); }
  void add(const WaitCounts& other) {
    for (const Bucket& bucket : other.buckets_) add(bucket);
  }
  std::uint64_t count() const;
  // The upper bound of the bucket in which the wait of that rank lies, in milliseconds; 0 where nobody
  // waited.
  std::int64_t percentile_ms(unsigned percent) const;
  bool empty() const { return buckets_.empty(); }
  template <class V> void fields(V& v) { v(1, buckets_); }

 private:
  static std::uint32_t number_of(Duration waited);
  void add(const Bucket& bucket);
  std::vector<Bucket> buckets_;  // by number
};

struct SlotIntegral {
  std::string slot;
  std::int64_t rate = 0;   // at the span's beginning
  std::int64_t moved = 0;  // from there to its end
  SlotTime time = 0;
  template <class V> void fields(V& v) {
    auto high = static_cast<std::int64_t>(time >> 64);
    auto low = static_cast<std::uint64_t>(time);
    v(1, slot);
    v(2, rate);
    v(3, moved);
    v(4, high);
    v(5, low);
    time =
        static_cast<SlotTime>(static_cast<unsigned __int128>(static_cast<std::uint64_t>(high)) << 64 | low);
  }
};

// What two families of series are told apart by: the owner, or the place.
enum class UseFamily : char { kOwner = 'o', kPlace = 'p' };

struct UseSeries {
  UseKind kind = UseKind::kHeld;
  std::string domain, project, user;  // of an owner; of a place empty
  std::string group;
  std::string agent, device;  // of a place
  bool operator==(const UseSeries&) const = default;
  UseFamily family() const { return agent.empty() ? UseFamily::kOwner : UseFamily::kPlace; }
  std::string key() const;
  template <class V> void fields(V& v) {
    v(1, kind);
    v(2, domain);
    v(3, project);
    v(4, user);
    v(5, group);
    v(6, agent);
    v(7, device);
  }
};

struct UseRow {
  UseSeries series;
  std::vector<SlotIntegral> slots;
  WaitCounts waits;  // of sessions that got their place in the span
  SlotIntegral& slot(const std::string& name);
  template <class V> void fields(V& v) {
    v(1, series);
    v(2, slots);
    v(3, waits);
  }
};

struct SpanRow {
  Duration length = 0;  // 0: it goes on
  template <class V> void fields(V& v) { v(1, length); }
};

// A UseChange as it is kept.
struct ChangeRow {
  UseSeries series;  // without its device
  bool begins = false;
  std::vector<UsePart> parts;
  bool got_its_place = false;
  Duration waited = 0;
  template <class V> void fields(V& v) {
    v(1, series);
    v(2, begins);
    v(3, parts);
    v(4, got_its_place);
    v(5, waited);
  }
};
ChangeRow change_row(const UseChange& change);

// Calls f(series, slot, amount) for each series that the change moves: of its owner, of its places.
template <class F> void each_series(const ChangeRow& change, F f) {
  const std::int64_t sign = change.begins ? 1 : -1;
  for (const UsePart& part : change.parts) {
    UseSeries series = change.series;
    if (!series.user.empty()) {
      series.agent.clear();
      f(series, part.slot, sign * part.amount);
    }
    if (change.series.agent.empty()) continue;
    series = change.series;
    series.domain.clear(), series.project.clear(), series.user.clear();
    series.device = part.device;
    f(series, part.slot, sign * part.amount);
  }
}

inline constexpr Duration kSpan = kHour;
inline constexpr std::string_view kSpanMarker{"\0", 1};  // sorts before the families

std::string span_key(Timestamp begin, std::string_view rest = {});
std::string change_key(Timestamp time, Offset offset, std::uint32_t index);
// Of a span's or a change's key; nullopt: of neither.
std::optional<Timestamp> time_of_key(std::string_view key);

}  // namespace berth::projections
