// What people ask for in a hostile run besides what they ask for in every run: gangs, timeouts, limits,
// drains, requests near the bound of a record. With a generator of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "events/base/random.h"
#include "events/schema/v1/request.pb.h"
#include "projections/tables/state.h"
#include "tests/simulation/hostility.h"

namespace berth::simulation {

class Demands {
 public:
  Demands(const Hostility& hostility, std::uint64_t seed) : h_(hostility), rng_(seed ^ 0xDE3A7D5) {}

  // Requests that come before all sessions.
  std::vector<v1::Request> first();
  // Changes a request for sessions.
  void harden(v1::Request& request, const Instant& now);
  // Requests of one turn that ask for no session.
  std::vector<v1::Request> besides(const projections::State& view);
  // True now and then: a key that was answered is to be used for another request.
  bool wants_conflict() { return h_.conflicts && rng_.chance(1, 100); }
  std::uint64_t pick(std::uint64_t below) { return rng_.below(below); }

 private:
  void make_gang(v1::SessionSpec* spec);
  void set_times(v1::Request& request, const Instant& now);
  void make_large(v1::Request& request);

  Hostility h_;
  Rng rng_;
};

}  // namespace berth::simulation
