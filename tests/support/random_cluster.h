// Random journals of a small cluster: mostly what a leader would write, some of it what the second net must
// refuse.
#pragma once

#include <cstdint>

#include "events/base/random.h"
#include "projections/fold/projection.h"
#include "tests/support/journal.h"

namespace berth::testing {

class RandomCluster {
 public:
  // `preempts`: whether places are held and sessions make room for others.
  explicit RandomCluster(std::uint64_t seed, bool preempts = true) : rng_(seed), preempts_(preempts) {}

  // Elects, defines, enrols; then `records` random ones. Each is folded into `projection` as it is written;
  // after one that the net refused, a new leader stands.
  void run(TestJournal& journal, projections::Projection& projection, int records);

  std::uint64_t refused() const { return refused_; }

 private:
  Events record(const projections::State& state);
  v1::Event event(const projections::State& state);
  v1::Event of_session(const projections::SessionRow& row, const projections::State& state);
  v1::Event of_kernel(const projections::SessionRow& row, const projections::State& state);
  v1::Event placement(const projections::SessionRow& row);
  v1::Event of_agent(const projections::State& state);
  v1::Event anything(const projections::State& state);  // allowed or not
  std::string any_agent() { return "a" + std::to_string(rng_.below(3)); }

  Rng rng_;
  const bool preempts_;
  int sessions_ = 0;
  int lives_ = 1;
  std::uint64_t refused_ = 0;
};

}  // namespace berth::testing
