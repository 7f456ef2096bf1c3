// Places of kernels as rows keep them, and agents that a session avoids for a while.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/amount.h"
#include "events/base/clock.h"

namespace berth::projections {

struct DeviceShare {
  std::string device;
  std::string slot;
  Amount amount = 0;
  bool operator==(const DeviceShare&) const = default;
  template <class V> void fields(V& v) {
    v(1, device);
    v(2, slot);
    v(3, amount);
  }
};

// The place held for a kernel of a session that preempts, until the sessions that make room have ended. It
// takes no slots (G11).
struct HeldPlace {
  std::uint32_t role = 0;   // index into the spec's roles
  std::uint32_t index = 1;  // within the role
  std::string agent;
  std::vector<DeviceShare> devices;
  bool operator==(const HeldPlace&) const = default;
  template <class V> void fields(V& v) {
    v(1, role);
    v(2, index);
    v(3, agent);
    v(4, devices);
  }
};

// An agent on which the session failed to start: others are tried first until then.
struct FailedStart {
  std::string agent;
  Timestamp until = 0;  // header time, ns
  bool operator==(const FailedStart&) const = default;
  template <class V> void fields(V& v) {
    v(1, agent);
    v(2, until);
  }
};

}  // namespace berth::projections
