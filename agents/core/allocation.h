// Allocation: the amounts of the agent's machine that kernels have, by slot and by device. Pure.
//
// The placement names devices and amounts. The agent only checks that they are free: the last net before two
// kernels share an amount that was promised to one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/base/amount.h"
#include "events/schema/v1/event.pb.h"

namespace berth::agents {

// The amounts of one kernel. A slot that is split over devices is in `devices` and not in `slots` again.
struct Given {
  std::vector<std::pair<std::string, Amount>> slots;  // "cpu", "mem"
  std::vector<v1::DeviceShare> devices;
};

class Allocation {
 public:
  // Capacity as announced at joining.
  void set_capacity(const v1::AgentJoined& announced);

  // Why these amounts can never be given here: an unknown device or slot, a negative amount, more than the
  // whole capacity.
  std::optional<std::string> impossible(const Given& given) const;
  // Why these amounts cannot be given now, beside the others.
  std::optional<std::string> lacking(const Given& given) const;
  void add(const Given& given);
  void remove(const Given& given);

  // "gpu0 cuda.shares 2 of 1": each amount given beyond capacity, one line each (P8).
  std::vector<std::string> over_committed() const;

 private:
  // Device ("" = the machine itself) and slot.
  using Place = std::pair<std::string, std::string>;
  struct Amounts {
    Amount capacity = 0;
    Amount given = 0;
  };
  template <class Visit> static void each(const Given& given, Visit visit);

  std::map<Place, Amounts> places_;
};

}  // namespace berth::agents
