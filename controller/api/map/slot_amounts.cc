#include "controller/api/map/slot_amounts.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kCountDecimals = 6;

// "0.1234567": digits that a count cannot hold. Names the amounts around it, or nothing if that is not what
// is wrong.
std::string nearest_hint(std::string_view text) {
  const auto point = text.find('.');
  if (point == std::string_view::npos || text.size() - point - 1 <= kCountDecimals) return {};
  if (text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
  const auto below = parse_amount(SlotKind::kCount, text.substr(0, point + 1 + kCountDecimals));
  if (!below.ok()) return {};
  return "nearest below " + format_amount(SlotKind::kCount, *below) + ", nearest above " +
         format_amount(SlotKind::kCount, *below + 1);
}

}  // namespace

SlotKinds::SlotKinds(const projections::State& state) {
  state.slot_types.for_each_unordered([this](const projections::SlotTypeRow& row) {
    add(row.def.name(), static_cast<SlotKind>(row.def.kind()), row.def.quantum());
  });
}

SlotKind SlotKinds::kind_of(std::string_view slot) const {
  const auto found = kinds_.find(slot);
  return found != kinds_.end() ? found->second.kind : kind_by_name(slot);
}

bool SlotKinds::knows_slot_or_device(std::string_view name) const {
  const std::string part = std::string(name) + ".";
  const auto first = kinds_.lower_bound(part);
  return knows(name) || (first != kinds_.end() && first->first.starts_with(part));
}

std::string SlotKinds::known_names() const {
  std::string text;
  for (const auto& [name, kind] : kinds_) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "no slot type is registered yet" : "known: " + text;
}

std::vector<std::string> SlotKinds::names() const {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds_) names.push_back(name);
  return names;
}

const char* name_of(SlotKind kind) {
  switch (kind) {
    case SlotKind::kCount: return "count";
    case SlotKind::kBytes: return "bytes";
    case SlotKind::kUnique: return "unique";
  }
  return "count";
}

std::string amount_text(const SlotKinds& kinds, std::string_view slot, Amount amount) {
  return format_amount(kinds.kind_of(slot), amount);
}

Result<Amount> amount_of(SlotKind kind, const json::value& value) {
  const auto hint = "write a count like 2 or \"0.5\", memory like \"512m\" or \"16g\"";
  if (value.is_double())
    return make_error("invalid-amount", "a JSON number with a fraction or an exponent is no exact amount",
                      "write it as a text, like \"0.5\"");
  if (value.is_int64() && value.get_int64() < 0)
    return make_error("invalid-amount", "an amount must not be negative", hint);
  if (value.is_int64() || value.is_uint64()) return parse_amount(kind, json::serialize(value));
  if (!value.is_string()) return make_error("invalid-amount", "an amount is a text or an integer", hint);
  const std::string_view text(value.get_string().data(), value.get_string().size());
  auto parsed = parse_amount(kind, text);
  if (parsed.ok()) return parsed;
  Error error = parsed.error();
  if (kind != SlotKind::kBytes)
    if (std::string nearest = nearest_hint(text); !nearest.empty()) error.hint = std::move(nearest);
  return error;
}

std::vector<v1::SlotAmount> slots_of(const SlotKinds& kinds, const json::object& object,
                                     const std::string& place, Errors& errors) {
  std::vector<v1::SlotAmount> slots;
  for (const auto& member : object) {
    const std::string_view slot(member.key().data(), member.key().size());
    const std::string where = place + "." + clipped(slot);
    if (member.value().is_null()) continue;
    if (!kinds.knows(slot)) {
      const bool shared_memory = slot == "shm" || slot == "shmem";
      errors.add(
          "unknown-slot", where, "no slot type is named '" + clipped(slot) + "'",
          shared_memory ? "shared memory is no slot: ask for it with the field shm" : kinds.known_names());
      continue;
    }
    const auto amount = amount_of(kinds.kind_of(slot), member.value());
    if (!amount.ok()) {
      errors.add(amount.error().code, where, amount.error().message, amount.error().hint);
      continue;
    }
    v1::SlotAmount entry;
    entry.set_slot(std::string(slot));
    entry.set_amount(*amount);
    slots.push_back(std::move(entry));
  }
  std::sort(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.slot() < b.slot(); });
  return slots;
}

}  // namespace berth::controller::api
