#include "ops/cli/output/operations_text.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "ops/cli/output/json_text.h"
#include "ops/cli/output/table.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t kSparkWidth = 40;
constexpr double kLateSeconds = 15;  // a beat comes every few seconds
constexpr std::size_t kLateShown = 10;

std::optional<double> number_of(const json::value& value) {
  if (!value.is_number()) return std::nullopt;
  return value.to_number<double>();
}

std::string figure(const json::value& value, const std::string& unit) {
  const auto number = number_of(value);
  if (!number) return "-";
  char text[64];
  double shown = *number;
  std::string suffix = unit == "1/s" ? "/s" : "";
  if (unit == "s" && shown < 1) {
    shown *= 1e3;
    suffix = " ms";
  } else if (unit == "s") {
    suffix = " s";
  } else if (unit == "bytes") {
    constexpr double kMega = 1 << 20;
    shown /= kMega;
    suffix = " MiB";
  }
  const bool whole = unit == "count" || shown >= 100;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.2f", shown);
  return text + suffix;
}

std::string labelled(const json::value& series) {
  std::string name = printable(text_at(series, "name"));
  std::ranges::replace(name, '_', ' ');
  if (const auto* labels = find_path(series, "labels"); labels != nullptr && labels->is_object())
    for (const auto& [key, value] : labels->get_object()) name += " " + printable(scalar_text(value));
  return name;
}

std::string filled(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

std::string late_lines(const json::value& operations) {
  std::string out;
  std::size_t late = 0;
  for (const auto& agent : array_at(operations, "agents")) {
    const auto* age = find_path(agent, "beat_age_seconds");
    const auto seconds = age == nullptr ? std::nullopt : number_of(*age);
    if (text_at(agent, "state") == "ALIVE" && (!seconds || *seconds < kLateSeconds)) continue;
    if (text_at(agent, "state") != "ALIVE" && text_at(agent, "state") != "LOST") continue;
    if (++late > kLateShown) continue;
    out += "  " + printable(text_at(agent, "name")) + " " + text_at(agent, "state") +
           (seconds ? ", silent for " + figure(*age, "s") : "") + "\n";
  }
  if (late > kLateShown) out += "  and " + std::to_string(late - kLateShown) + " more\n";
  return out.empty() ? out : "silent agents\n" + out;
}

}  // namespace

std::string spark(const json::array& values, std::size_t width) {
  static constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t first = values.size() - std::min(width, values.size());
  double most = 0;
  for (std::size_t i = first; i < values.size(); ++i) most = std::max(most, number_of(values[i]).value_or(0));
  std::string out;
  for (std::size_t i = first; i < values.size(); ++i) {
    const auto value = number_of(values[i]);
    const double part = value && most > 0 ? std::clamp(*value / most, 0.0, 1.0) : 0;
    out += value ? kHeights[static_cast<std::size_t>(part * 7)] : " ";
  }
  return out;
}

std::string operations_text(const json::value& operations, bool color) {
  std::string out = "leader " + filled(printable(text_at(operations, "leader.id")), 1);
  out += ", epoch " + text_at(operations, "leader.epoch") + "; quarantine " +
         text_at(operations, "quarantine.count") + "\n";
  for (const auto& store : array_at(operations, "stores"))
    out += "store " + printable(text_at(store, "name")) + " (" + text_at(store, "role") + ") at " +
           text_at(store, "position") + ", " + text_at(store, "lag_records") + " records behind\n";
  for (const auto& series : array_at(operations, "series")) {
    const json::array& values = array_at(series, "values");
    const json::value newest = values.empty() ? json::value(nullptr) : values.back();
    out += filled(labelled(series), 22) + filled(figure(newest, text_at(series, "unit")), 12) +
           spark(values, kSparkWidth) + "\n";
  }
  return out + tinted(late_lines(operations), color);
}

}  // namespace berth::cli
