#include "events/base/amount.h"

#include <optional>

namespace berth {
namespace {

Error invalid(std::string_view text, std::string_view why) {
  constexpr std::size_t kShown = 40;
  std::string shown(text.substr(0, kShown));
  if (text.size() > kShown) shown += "...";
  return make_error("invalid-amount", "'" + shown + "' is not an amount: " + std::string(why),
                    "write a count like 2 or 0.5, memory like 512m or 16g");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Shift of the suffix in bits ("g" = 30), nullopt when unknown. Accepts g, gi, gib, gb and b.
std::optional<int> suffix_shift(std::string_view suffix) {
  if (suffix.empty()) return 0;
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const char first = lower(suffix[0]);
  static constexpr std::string_view kSuffixes = "kmgtp";
  const auto place = kSuffixes.find(first);
  if (place == std::string_view::npos)
    return first == 'b' && suffix.size() == 1 ? std::optional(0) : std::nullopt;
  std::string tail;
  for (char c : suffix.substr(1)) tail += lower(c);
  if (tail.empty() || tail == "i" || tail == "ib" || tail == "b") return 10 * (static_cast<int>(place) + 1);
  return std::nullopt;
}

struct Decimal {
  __int128 digits = 0;    // the number without its point
  int decimals = 0;       // digits after the point, trailing zeros removed
  std::string_view rest;  // what follows the number
};

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal number;
  std::size_t i = 0;
  bool point = false, any = false;
  int pending_zeros = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (point && c == '0') {
      ++pending_zeros;
      continue;
    }  // counted only when a digit follows: "1.50" is "1.5"
    const int places = point ? pending_zeros + 1 : 1;
    for (int k = 0; k < places; ++k) number.digits *= 10;
    if (point) {
      number.decimals += places;
      pending_zeros = 0;
    }
    number.digits += c - '0';
    if (number.digits > static_cast<__int128>(kAmountMax) * kUnit) return std::nullopt;
  }
  if (!any) return std::nullopt;
  number.rest = text.substr(i);
  return number;
}

std::string format_count(Amount amount) {
  const bool negative = amount < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(amount) : static_cast<std::uint64_t>(amount);
  std::string text = std::to_string(magnitude / kUnit);
  std::uint64_t fraction = magnitude % kUnit;
  if (fraction != 0) {
    std::string decimals = std::to_string(fraction);
    decimals.insert(0, 6 - decimals.size(), '0');
    while (decimals.back() == '0') decimals.pop_back();
    text += "." + decimals;
  }
  return negative ? "-" + text : text;
}

}  // namespace

Result<Amount> parse_amount(SlotKind kind, std::string_view text) {
  if (text.empty()) return invalid(text, "it is empty");
  if (text[0] == '-' || text[0] == '+') return invalid(text, "a sign is not allowed");
  if (text.size() > 40) return invalid(text, "it is too long");
  const auto number = read_decimal(text);
  if (!number)
    return invalid(text, is_digit(text[0]) ? "it is too large" : "it does not begin with a number");

  __int128 scaled = number->digits;
  if (kind == SlotKind::kBytes) {
    const auto shift = suffix_shift(number->rest);
    if (!shift) return invalid(text, "the suffix is none of k, m, g, t, p");
    scaled <<= *shift;
  } else {
    if (!number->rest.empty()) return invalid(text, "a count has no suffix");
    scaled *= kUnit;
  }
  for (int k = 0; k < number->decimals; ++k) {
    if (scaled % 10 != 0)
      return invalid(text, kind == SlotKind::kBytes ? "it is no whole number of bytes"
                                                    : "a count has at most 6 decimals");
    scaled /= 10;
  }
  if (scaled > kAmountMax) return invalid(text, "it is too large");
  if (kind == SlotKind::kUnique && scaled != 0 && scaled != kUnit)
    return invalid(text, "a unique slot is 0 or 1");
  return static_cast<Amount>(scaled);
}

std::string format_amount(SlotKind kind, Amount amount) {
  return kind == SlotKind::kBytes ? std::to_string(amount) : format_count(amount);
}

std::string format_amount_human(SlotKind kind, Amount amount) {
  if (kind != SlotKind::kBytes || amount == 0) return format_amount(kind, amount);
  static constexpr char kSuffixes[] = "kmgtp";
  int power = 0;
  Amount value = amount;
  while (power < 5 && value % 1024 == 0) {
    value /= 1024;
    ++power;
  }
  std::string text = std::to_string(value);
  if (power > 0) text += kSuffixes[power - 1];
  return text;
}

}  // namespace berth
