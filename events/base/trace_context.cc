#include "events/base/trace_context.h"

#include <algorithm>

#include "events/base/hash.h"
#include "events/base/hex.h"

namespace berth {
namespace {

constexpr std::string_view kForm = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";

template <std::size_t N> bool take(std::string_view hex, std::array<std::uint8_t, N>& out) {
  const auto bytes = from_hex(hex);
  if (!bytes || bytes->size() != N) return false;
  std::copy(bytes->begin(), bytes->end(), out.begin());
  return out != std::array<std::uint8_t, N>{};
}

}  // namespace

bool is_traceparent(std::string_view text) {
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const char c = text[i];
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (kForm[i] == 'h' ? !hex : c != kForm[i]) return false;
  }
  return true;
}

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  const std::string_view known = text.substr(0, kForm.size());
  if (!is_traceparent(known) || known.starts_with("ff")) return std::nullopt;
  const std::string_view more = text.substr(kForm.size());
  if (!more.empty() && (known.starts_with("00") || more[0] != '-')) return std::nullopt;
  TraceContext out;
  if (!take(known.substr(3, 32), out.trace) || !take(known.substr(36, 16), out.parent)) return std::nullopt;
  out.flags = static_cast<std::uint8_t>(from_hex(known.substr(53))->front());
  if (!known.starts_with("00")) out.flags &= 1;  // what other bits mean there, nobody knows here
  return out;
}

std::string to_traceparent(const TraceContext& context) {
  const char flags = static_cast<char>(context.flags);
  return "00-" + to_hex(as_view(context.trace)) + "-" + to_hex(as_view(context.parent)) + "-" +
         to_hex({&flags, 1});
}

TraceContext trace_of_session(std::string_view recorded, const Uuid& request) {
  if (const auto context = parse_traceparent(recorded)) return *context;
  TraceContext own;
  own.trace = request.bytes;
  own.flags = 1;
  return own;
}

SpanId derived_span(const Uuid& id, std::string_view what) {
  const Hash128 hash = blake2b_128("span:" + std::string(what) + ":" + std::string(id.view()));
  SpanId out{};
  std::copy_n(hash.begin(), out.size(), out.begin());
  return out;
}

}  // namespace berth
