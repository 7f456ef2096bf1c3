#include "projections/views/usage_meter.h"

#include "projections/views/view_codec.h"

namespace berth::projections {
// The rates at the beginning of the span that goes on are those at the end of the span before; what has
// changed since is read again.
Result<UsageMeter> UsageMeter::load(const ViewReader& reader) {
  UsageMeter meter;
  const auto newest = reader.last_view_before("t");  // above all spans
  if (!newest) return newest.error();
  if (!*newest || !(*newest)->starts_with("s")) return meter;
  meter.begin_ = *time_of_key(**newest);
  const auto before = reader.last_view_before(span_key(meter.begin_));
  if (!before) return before.error();
  std::optional<Error> damage;
  if (*before && (*before)->starts_with("s")) {
    const Timestamp begin = *time_of_key(**before);
    const auto read = reader.scan_views(span_key(begin, "o"), [&](std::string_view key, auto bytes) {
      if (!key.starts_with("s") || time_of_key(key) != begin) return false;
      auto row = decode_view<UseRow>(bytes);
      if (!row) return damage = row.error(), false;
      UseRow open{row->series, {}, {}};
      for (const SlotIntegral& use : row->slots)
        if (use.rate + use.moved != 0) open.slots.push_back({use.slot, use.rate + use.moved, 0, 0});
      if (!open.slots.empty()) meter.series_.emplace(row->series.key(), Open{std::move(open)});
      return true;
    });
    if (!read) return read.error();
  }
  const auto read = reader.scan_views(change_key(meter.begin_, 0, 0), [&](std::string_view key, auto bytes) {
    if (!key.starts_with("c")) return false;
    auto row = decode_view<ChangeRow>(bytes);
    if (!row) return damage = row.error(), false;
    meter.move(*row, *time_of_key(key));
    return true;
  });
  if (!read) return read.error();
  if (damage) return *damage;
  return meter;
}

void UsageMeter::apply(Offset offset, Timestamp time, const std::vector<UseChange>& changes) {
  if (begin_ == kNever) {
    if (changes.empty()) return;
    begin_ = time / kSpan * kSpan;
    put(span_key(begin_, kSpanMarker), SpanRow{});
  }
  end_spans(time);
  std::uint32_t index = 0;
  for (const UseChange& change : changes) {
    const ChangeRow row = change_row(change);
    put(change_key(time, offset, index++), row);
    move(row, time);
  }
}

// With the rate r at a span's beginning and changes d_i at t_i, the integral over the span of length l that
// begins at b is (r + sum d_i) * l - sum d_i * (t_i - b); the last sum is kept in `time`.
void UsageMeter::move(const ChangeRow& change, Timestamp time) {
  each_series(change, [&](const UseSeries& series, const std::string& slot, Amount amount) {
    Open& open = series_[series.key()];
    open.row.series = series;
    SlotIntegral& use = open.row.slot(slot);
    use.moved += amount;
    use.time -= static_cast<SlotTime>(amount) * (time - begin_);
  });
  if (!change.got_its_place) return;
  Open& open = series_[change.series.key()];
  open.row.series = change.series;
  open.row.waits.add(change.waited);
}

void UsageMeter::end_spans(Timestamp time) {
  if (time < begin_ + kSpan) return;
  end_span(begin_ + kSpan);
  const Timestamp now = time / kSpan * kSpan;
  if (now > begin_) end_span(now);  // nothing changed until then
  put(span_key(begin_, kSpanMarker), SpanRow{});
}

void UsageMeter::end_span(Timestamp end) {
  const Duration length = end - begin_;
  put(span_key(begin_, kSpanMarker), SpanRow{length});
  for (auto at = series_.begin(); at != series_.end();) {
    UseRow& row = at->second.row;
    for (SlotIntegral& use : row.slots) use.time += static_cast<SlotTime>(use.rate + use.moved) * length;
    put(span_key(begin_, at->first), row);
    row.waits = {};
    std::erase_if(row.slots, [](const SlotIntegral& use) { return use.rate + use.moved == 0; });
    for (SlotIntegral& use : row.slots) use = {use.slot, use.rate + use.moved, 0, 0};
    at = row.slots.empty() ? series_.erase(at) : std::next(at);
  }
  begin_ = end;
}

template <class Row> void UsageMeter::put(std::string key, const Row& row) {
  rows_.push_back({std::move(key), encode_view(row)});
}

}  // namespace berth::projections
