#include "agents/core/allocation.h"

#include "events/base/slots/slot_name.h"

namespace berth::agents {
namespace {

std::string name_of(const std::pair<std::string, std::string>& place) {
  return place.first.empty() ? place.second : place.second + " of " + place.first;
}

std::string amount_text(const std::string& slot, Amount amount) {
  return amount < 0 ? "-" + format_amount_human(kind_by_name(slot), -amount)
                    : format_amount_human(kind_by_name(slot), amount);
}

}  // namespace

template <class Visit> void Allocation::each(const Given& given, Visit visit) {
  for (const auto& [slot, amount] : given.slots) visit(Place{"", slot}, amount);
  for (const auto& share : given.devices) visit(Place{share.device(), share.slot()}, share.amount());
}

void Allocation::set_capacity(const v1::AgentJoined& announced) {
  for (auto& [place, amounts] : places_) amounts.capacity = 0;
  for (const auto& slot : announced.slots()) places_[{"", slot.slot()}].capacity = slot.amount();
  for (const auto& device : announced.devices())
    for (const auto& slot : device.slots()) places_[{device.id(), slot.slot()}].capacity = slot.amount();
}

std::optional<std::string> Allocation::impossible(const Given& given) const {
  std::map<Place, Amount> asked;
  std::optional<std::string> why;
  each(given, [&](const Place& place, Amount amount) {
    const auto there = places_.find(place);
    if (why || amount == 0) return;
    Amount& sum = asked[place];
    if (amount < 0 || amount > kAmountMax || sum > kAmountMax) {
      why = "the order gives an amount of " + name_of(place) + " that is out of range";
    } else if (there == places_.end() || there->second.capacity == 0) {
      why = "the order gives " + name_of(place) + ", which this agent does not have";
    } else if ((sum += amount) > there->second.capacity) {
      why = "the order gives " + amount_text(place.second, sum) + " " + name_of(place) + ", this agent has " +
            amount_text(place.second, there->second.capacity) + " in all";
    }
  });
  return why;
}

std::optional<std::string> Allocation::lacking(const Given& given) const {
  std::map<Place, Amount> asked;
  std::optional<std::string> why;
  each(given, [&](const Place& place, Amount amount) {
    const auto there = places_.find(place);
    if (why || amount == 0 || there == places_.end()) return;
    Amount& sum = asked[place];
    sum += amount;
    const Amount free = there->second.capacity - there->second.given;
    if (sum > free)
      why = "the order gives " + amount_text(place.second, sum) + " " + name_of(place) + ", of which " +
            amount_text(place.second, free) + " is free here";
  });
  return why;
}

void Allocation::add(const Given& given) {
  each(given, [&](const Place& place, Amount amount) { places_[place].given += amount; });
}

void Allocation::remove(const Given& given) {
  each(given, [&](const Place& place, Amount amount) { places_[place].given -= amount; });
}

std::vector<std::string> Allocation::over_committed() const {
  std::vector<std::string> lines;
  for (const auto& [place, amounts] : places_) {
    if (amounts.given <= amounts.capacity) continue;
    lines.push_back(name_of(place) + ": " + amount_text(place.second, amounts.given) + " given, capacity " +
                    amount_text(place.second, amounts.capacity));
  }
  return lines;
}

}  // namespace berth::agents
