#include "projections/views/usage_report.h"

#include <algorithm>

#include "projections/views/view_codec.h"

namespace berth::projections {
namespace {

std::string line_of(const UseSeries& series, UsageBy by) {
  switch (by) {
    case UsageBy::kUser: return series.user;
    case UsageBy::kProject: return series.domain + "/" + series.project;
    case UsageBy::kDomain: return series.domain;
    case UsageBy::kGroup: return series.group;
    case UsageBy::kAgent: return series.agent;
    case UsageBy::kDevice: return series.agent + "/" + series.device;
  }
  return {};
}

// Which series a line is made of. What groups hold is counted by owner, what they have by place.
bool counts(const UseSeries& series, UsageBy by) {
  if (by == UsageBy::kDevice) return series.family() == UseFamily::kPlace && !series.device.empty();
  if (by == UsageBy::kAgent) return series.family() == UseFamily::kPlace;
  if (series.family() == UseFamily::kOwner) return true;
  return by == UsageBy::kGroup && series.kind == UseKind::kCapacity;
}

SlotTime& time_of(SlotTimes& times, UseKind kind) {
  if (kind == UseKind::kWaiting) return times.waiting;
  return kind == UseKind::kCapacity ? times.capacity : times.held;
}

struct Span {
  Timestamp begin = 0;
  Timestamp end = INT64_MAX;  // of the one that goes on
  bool goes_on() const { return end == INT64_MAX; }
};

class Report {
 public:
  Report(const ViewReader& reader, const UsageQuestion& question) : reader_(reader), question_(question) {}

  Result<UsageReport> run() {
    if (auto cut = cut_parts(); !cut) return cut.error();
    auto spans = read_spans();
    if (!spans) return spans.error();
    if (!spans->empty()) out_.begins = spans->front().begin;
    for (std::size_t i = 0; i < spans->size(); ++i)
      if (auto read = read_span(spans->at(i), i > 0 ? &spans->at(i - 1) : nullptr); !read)
        return read.error();
    return std::move(out_);
  }

 private:
  Result<void> cut_parts() {
    for (Timestamp from = question_.from; from < question_.to;) {
      if (out_.parts.size() == kUsagePartsMax)
        return make_error("too-many-parts",
                          "the window has more than " + std::to_string(kUsagePartsMax) + " steps",
                          "ask for a shorter window, or for longer steps");
      Timestamp to = question_.to;
      if (question_.step != 0) to = std::min(to, (from / question_.step + 1) * question_.step);
      out_.parts.push_back({from, to, {}});
      from = to;
    }
    return {};
  }

  // Those that the window meets, and the one before them, whose end the first one begins with where it goes
  // on.
  Result<std::vector<Span>> read_spans() {
    std::vector<Span> spans;
    Timestamp at = question_.from;
    for (int back = 0; back < 2; ++back) {
      const auto before = reader_.last_view_before(span_key(at, back == 0 ? "\x01" : ""));
      if (!before) return before.error();
      if (!*before || !(*before)->starts_with("s")) break;
      at = *time_of_key(**before);
    }
    std::string next = span_key(at);
    std::optional<Error> damage;
    for (bool more = true; more;) {
      more = false;
      const auto read = reader_.scan_views(next, [&](std::string_view key, std::string_view bytes) {
        if (!key.starts_with("s") || *time_of_key(key) >= question_.to) return false;
        const Timestamp begin = *time_of_key(key);
        const auto row = decode_view<SpanRow>(bytes);
        if (!row) return damage = row.error(), false;
        spans.push_back({begin, row->length == 0 ? INT64_MAX : begin + row->length});
        next = span_key(begin + 1);
        more = row->length != 0;
        return false;  // its series are passed over
      });
      if (!read) return read.error();
    }
    if (damage) return *damage;
    return spans;
  }

  Result<void> read_span(const Span& span, const Span* before) {
    std::vector<UsagePart*> whole, cut;
    for (UsagePart& part : out_.parts) {
      if (part.to <= span.begin || part.from >= span.end) continue;
      (part.from <= span.begin && part.to >= span.end ? whole : cut).push_back(&part);
    }
    if (whole.empty() && cut.empty()) return {};
    if (span.goes_on() && before == nullptr) return read_changes(span, cut);
    const Timestamp rows_of = span.goes_on() ? before->begin : span.begin;
    if (auto read = read_series(rows_of, span, whole, cut); !read) return read;
    return cut.empty() ? Result<void>() : read_changes(span, cut);
  }

  Result<void> read_series(Timestamp rows_of, const Span& span, const std::vector<UsagePart*>& whole,
                           const std::vector<UsagePart*>& cut) {
    std::optional<Error> damage;
    const auto read = reader_.scan_views(span_key(rows_of, "o"), [&](std::string_view key, auto bytes) {
      if (!key.starts_with("s") || *time_of_key(key) != rows_of) return false;
      const auto row = decode_view<UseRow>(bytes);
      if (!row) return damage = row.error(), false;
      if (!takes(row->series)) return true;
      for (UsagePart* part : whole) add_row(*part, *row);
      for (UsagePart* part : cut)
        for (const SlotIntegral& use : row->slots)
          add(*part, row->series, use.slot, span.goes_on() ? use.rate + use.moved : use.rate,
              std::min(part->to, span.end) - std::max(part->from, span.begin));
      return lines_ <= kUsageLinesMax;
    });
    return ended(read, damage);
  }

  // A change counts from its time to the part's end, or the span's.
  Result<void> read_changes(const Span& span, const std::vector<UsagePart*>& cut) {
    std::optional<Error> damage;
    const Timestamp end = std::min(span.end, question_.to);
    const auto read = reader_.scan_views(change_key(span.begin, 0, 0), [&](std::string_view key, auto bytes) {
      const auto time = time_of_key(key);
      if (!key.starts_with("c") || *time >= end) return false;
      const auto row = decode_view<ChangeRow>(bytes);
      if (!row) return damage = row.error(), false;
      for (UsagePart* part : cut) {
        const Timestamp until = std::min(part->to, span.end);
        if (*time >= until) continue;
        const Duration length = until - std::max(*time, part->from);
        each_series(*row, [&](const UseSeries& series, const std::string& slot, Amount amount) {
          if (takes(series)) add(*part, series, slot, amount, length);
        });
        if (row->got_its_place && *time >= part->from && takes(row->series))
          line(*part, row->series).waits.add(row->waited);
      }
      return lines_ <= kUsageLinesMax;
    });
    return ended(read, damage);
  }

  Result<void> ended(const Result<void>& read, const std::optional<Error>& damage) const {
    if (!read) return read.error();
    if (damage) return *damage;
    if (lines_ <= kUsageLinesMax) return {};
    return make_error("too-many-lines",
                      "the report has more than " + std::to_string(kUsageLinesMax) + " lines",
                      "ask for a shorter window, longer steps, or one group, project or user");
  }

  bool takes(const UseSeries& series) const {
    return counts(series, question_.by) && (!question_.takes || question_.takes(series));
  }
  UsageLine& line(UsagePart& part, const UseSeries& series) {
    const auto [at, fresh] = part.lines.try_emplace(line_of(series, question_.by));
    lines_ += fresh ? 1 : 0;
    return at->second;
  }
  void add(UsagePart& part, const UseSeries& series, const std::string& slot, Amount rate, Duration length) {
    if (rate == 0 || length <= 0) return;
    time_of(line(part, series).slots[slot], series.kind) += static_cast<SlotTime>(rate) * length;
  }
  void add_row(UsagePart& part, const UseRow& row) {
    for (const SlotIntegral& use : row.slots)
      if (use.time != 0) time_of(line(part, row.series).slots[use.slot], row.series.kind) += use.time;
    if (!row.waits.empty()) line(part, row.series).waits.add(row.waits);
  }

  const ViewReader& reader_;
  const UsageQuestion& question_;
  UsageReport out_;
  std::size_t lines_ = 0;
};

}  // namespace

Result<UsageReport> usage_report(const ViewReader& reader, const UsageQuestion& question) {
  return Report(reader, question).run();
}

}  // namespace berth::projections
