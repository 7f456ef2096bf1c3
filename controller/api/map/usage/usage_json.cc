#include "controller/api/map/usage/usage_json.h"

#include <algorithm>
#include <set>

#include "controller/api/map/csv/csv_text.h"
#include "controller/api/map/time_text.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::SlotTime;
using projections::SlotTimes;
using projections::UsageBy;
using projections::UsageLine;

std::string digits_of(unsigned __int128 value) {
  std::string digits;
  for (; value != 0; value /= 10) digits += static_cast<char>('0' + static_cast<int>(value % 10));
  std::ranges::reverse(digits);
  return digits;
}

json::object held_seconds(const SlotKinds& kinds, const UsageLine& line) {
  json::object out;
  for (const auto& [slot, times] : line.slots)
    if (times.held != 0) out[slot] = slot_seconds_text(kinds, slot, times.held);
  return out;
}

json::value waits_to_json(const projections::WaitCounts& waits) {
  if (waits.empty()) return nullptr;
  return json::object{
      {"count", waits.count()}, {"p50_ms", waits.percentile_ms(50)}, {"p95_ms", waits.percentile_ms(95)}};
}

json::object row_to_json(const SlotKinds& kinds, const std::string& key, const UsageLine& line) {
  return {{"key", key},
          {"slot_seconds", held_seconds(kinds, line)},
          {"sessions", line.waits.count()},
          {"waits", waits_to_json(line.waits)}};
}

void add(UsageLine& to, const UsageLine& from) {
  for (const auto& [slot, times] : from.slots) {
    SlotTimes& sum = to.slots[slot];
    sum.held += times.held;
    sum.waiting += times.waiting;
    sum.capacity += times.capacity;
  }
  to.waits.add(from.waits);
}

UsageLine sum_of(const std::map<std::string, UsageLine>& lines) {
  UsageLine sum;
  for (const auto& [key, line] : lines) add(sum, line);
  return sum;
}

json::array utilisation_of(const SlotKinds& kinds, const projections::UsageReport& groups) {
  json::array out;
  for (const auto& [slot, times] : sum_of(total_lines(groups)).slots)
    out.push_back(json::object{{"slot", slot},
                               {"capacity_seconds", slot_seconds_text(kinds, slot, times.capacity)},
                               {"asked_seconds", slot_seconds_text(kinds, slot, times.held + times.waiting)},
                               {"given_seconds", slot_seconds_text(kinds, slot, times.held)}});
  return out;
}

json::value step_name(Duration step) {
  if (step == 0) return nullptr;
  return step == kHour ? "1h" : "1d";
}

}  // namespace

std::string slot_seconds_text(const SlotKinds& kinds, std::string_view slot, SlotTime time) {
  const bool negative = time < 0;
  const int decimals = kinds.kind_of(slot) == SlotKind::kBytes ? 9 : 15;
  std::string digits = digits_of(static_cast<unsigned __int128>(negative ? -time : time));
  if (digits.size() <= static_cast<std::size_t>(decimals))
    digits.insert(0, static_cast<std::size_t>(decimals) + 1 - digits.size(), '0');
  digits.insert(digits.size() - static_cast<std::size_t>(decimals), 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return negative ? "-" + digits : digits;
}

const char* name_of(UsageBy by) {
  switch (by) {
    case UsageBy::kUser: return "user";
    case UsageBy::kProject: return "project";
    case UsageBy::kDomain: return "domain";
    case UsageBy::kGroup: return "group";
    case UsageBy::kAgent: return "agent";
    case UsageBy::kDevice: return "device";
  }
  return "";
}

std::optional<UsageBy> usage_by(std::string_view name) {
  for (const UsageBy by : {UsageBy::kUser, UsageBy::kProject, UsageBy::kDomain, UsageBy::kGroup,
                           UsageBy::kAgent, UsageBy::kDevice})
    if (name == name_of(by)) return by;
  return std::nullopt;
}

std::map<std::string, UsageLine> total_lines(const projections::UsageReport& report) {
  std::map<std::string, UsageLine> lines;
  for (const auto& part : report.parts)
    for (const auto& [key, line] : part.lines) add(lines[key], line);
  return lines;
}

json::object usage_to_json(const SlotKinds& kinds, const projections::UsageQuestion& question,
                           const projections::UsageReport& report, const projections::UsageReport& groups) {
  const auto lines = total_lines(report);
  json::array rows, series;
  for (const auto& [key, line] : lines) rows.push_back(row_to_json(kinds, key, line));
  if (question.step != 0)
    for (const auto& part : report.parts)
      for (const auto& [key, line] : part.lines) {
        json::object row = row_to_json(kinds, key, line);
        row["time"] = format_time(part.from);
        series.push_back(std::move(row));
      }
  const UsageLine total = sum_of(lines);
  return {{"from", format_time(question.from)},
          {"to", format_time(question.to)},
          {"since", report.begins == 0 ? json::value(nullptr) : json::value(format_time(report.begins))},
          {"by", name_of(question.by)},
          {"step", step_name(question.step)},
          {"rows", std::move(rows)},
          {"total", {{"slot_seconds", held_seconds(kinds, total)}, {"sessions", total.waits.count()}}},
          {"series", std::move(series)},
          {"waits", waits_to_json(total.waits)},
          {"utilisation", utilisation_of(kinds, groups)}};
}

std::string usage_to_csv(const SlotKinds& kinds, const projections::UsageQuestion& question,
                         const projections::UsageReport& report) {
  std::set<std::string> slots;
  for (const auto& part : report.parts)
    for (const auto& [key, line] : part.lines)
      for (const auto& [slot, times] : line.slots) slots.insert(slot);
  std::string out = std::string("from,to,") + name_of(question.by) + ",sessions,wait_p50_ms,wait_p95_ms";
  for (const std::string& slot : slots) out += "," + csv_field(slot + " seconds");
  out += "\r\n";
  for (const auto& part : report.parts)
    for (const auto& [key, line] : part.lines) {
      out += format_time(part.from) + "," + format_time(part.to) + "," + csv_field(key) + "," +
             std::to_string(line.waits.count()) + ",";
      if (line.waits.empty())
        out += ",";
      else
        out +=
            std::to_string(line.waits.percentile_ms(50)) + "," + std::to_string(line.waits.percentile_ms(95));
      for (const std::string& slot : slots) {
        const auto at = line.slots.find(slot);
        out += "," + slot_seconds_text(kinds, slot, at == line.slots.end() ? 0 : at->second.held);
      }
      out += "\r\n";
    }
  return out;
}

}  // namespace berth::controller::api
