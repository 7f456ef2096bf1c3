// Slot amounts between JSON text and integers. The unit of a slot is registered data (slot types).
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "controller/api/map/problem.h"
#include "events/base/amount.h"
#include "events/schema/v1/common.pb.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// A copy of the slot types, in name order, so that a body can be read without the state's lock.
class SlotKinds {
 public:
  SlotKinds() = default;
  explicit SlotKinds(const projections::State& state);
  void add(std::string name, SlotKind kind, Amount quantum = 0) { kinds_[std::move(name)] = {kind, quantum}; }

  bool knows(std::string_view slot) const { return kinds_.find(slot) != kinds_.end(); }
  // Whether it is a slot, or the device that slots are parts of: "cuda" of "cuda.shares".
  bool knows_slot_or_device(std::string_view name) const;
  // A slot that is not registered counts as bytes if its name says memory, as in the lines of events.
  SlotKind kind_of(std::string_view slot) const;
  std::string known_names() const;
  std::vector<std::string> names() const;

 private:
  struct Kind {
    SlotKind kind;
    Amount quantum;
  };
  std::map<std::string, Kind, std::less<>> kinds_;
};

const char* name_of(SlotKind kind);  // "count", "bytes", "unique"

std::string amount_text(const SlotKinds& kinds, std::string_view slot, Amount amount);

// A text ("0.5", "256m") or a JSON integer that is not negative. Code: invalid-amount; its hint names the
// nearest amounts below and above if there are more decimals than the unit can hold.
Result<Amount> amount_of(SlotKind kind, const boost::json::value& value);

// {"cpu": "0.5"} in slot order. An explicit 0 is kept, null is dropped. Codes: unknown-slot, invalid-amount,
// at `place`.NAME.
std::vector<v1::SlotAmount> slots_of(const SlotKinds& kinds, const boost::json::object& object,
                                     const std::string& place, Errors& errors);

// Any container of {slot, amount}: structs with fields or protobuf messages.
template <class Slots> boost::json::object slots_to_json(const SlotKinds& kinds, const Slots& slots) {
  boost::json::object out;
  for (const auto& entry : slots) {
    if constexpr (requires { entry.slot(); })
      out[entry.slot()] = amount_text(kinds, entry.slot(), entry.amount());
    else
      out[entry.slot] = amount_text(kinds, entry.slot, entry.amount);
  }
  return out;
}

}  // namespace berth::controller::api
