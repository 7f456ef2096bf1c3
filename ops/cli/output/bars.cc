#include "ops/cli/output/bars.h"

#include <algorithm>

namespace berth::cli {
namespace {

// How many of `width` cells stand for part of total: rounded down, but at least one for more than nothing.
int cells(Amount part, Amount total, int width) {
  if (part <= 0 || total <= 0) return 0;
  if (part >= total) return width;
  const auto exact = static_cast<int>(static_cast<__int128>(part) * width / total);
  return std::clamp(exact, 1, width - 1);
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::string short_amount(SlotKind kind, Amount amount) {
  if (amount < 0) return "-" + short_amount(kind, -amount);
  if (kind != SlotKind::kBytes || amount < 1024) return format_amount(kind, amount);
  static constexpr char kSuffixes[] = "kmgtp";
  Amount unit = 1024;
  std::size_t i = 0;
  while (i + 1 < sizeof kSuffixes - 1 && amount / unit >= 1024) unit *= 1024, ++i;
  const Amount tenths = static_cast<Amount>(static_cast<__int128>(amount) * 10 / unit);
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + kSuffixes[i];
}

std::string draw_bar(const Bar& bar, const BarStyle& style) {
  const int held = cells(bar.used + bar.reserved, bar.total, style.width);
  const int running = std::min(held, bar.reserved == 0 ? held : cells(bar.used, bar.total, style.width));
  const auto run = [](int count, char c) {
    return std::string(static_cast<std::size_t>(std::max(0, count)), c);
  };
  std::string body = run(running, '#') + run(held - running, '+');
  if (style.color && !body.empty()) body = (held == style.width ? "\x1b[33m" : "\x1b[32m") + body + "\x1b[0m";
  return "[" + body + run(style.width - held, '.') + "]";
}

std::string bar_figures(const Bar& bar, SlotKind kind) {
  std::string text = short_amount(kind, bar.used + bar.reserved) + " / " + short_amount(kind, bar.total);
  if (bar.reserved > 0) text += "  (" + short_amount(kind, bar.reserved) + " reserved)";
  return text;
}

std::string draw_indicator(const std::string& group, const std::vector<SlotBars>& slots,
                           const BarStyle& style) {
  std::size_t name_width = 0;
  for (const auto& slot : slots) name_width = std::max(name_width, slot.slot.size());
  const std::size_t label_width = std::max(group.size(), std::string("all").size());
  std::string out;
  for (const auto& slot : slots) {
    const auto line = [&](const std::string& name, const std::string& label, const Bar& bar) {
      out += padded(name, name_width) + "  " + padded(label, label_width) + "  " + draw_bar(bar, style) +
             "  " + bar_figures(bar, slot.kind) + "\n";
    };
    line(slot.slot, group, slot.group);
    line("", "all", slot.all);
  }
  return out;
}

}  // namespace berth::cli
