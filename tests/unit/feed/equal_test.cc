// The mirror after any events is the one that a new leader builds of the state.
#include <gtest/gtest.h>

#include <map>

#include "controller/placement/model/model.h"
#include "events/base/random.h"
#include "tests/support/limits.h"
#include "tests/unit/feed/pass_fixture.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

constexpr int kSeeds = 60;
constexpr int kSteps = 60;
const std::vector<std::string> kUsers = {"alice", "bob"};
const std::vector<std::string> kImages = {"jupyter:4.6", "r:4"};

class Mirror : public PassTest {
 protected:
  using Words = std::map<std::string, std::string>;

  // Why each session waits, and what is free. A limit is leader memory: a new leader's first pass finds it.
  static Words words_of(const ClusterFeed& feed, const projections::State& state) {
    Words out;
    const placement::Cluster& cluster = feed.cluster();
    for (const auto& [arrived, id] : state.pending()) {
      const auto index = cluster.model().find_pending_index(id);
      auto code = placement::Code::kNone;
      if (cluster.is_pending(id)) code = cluster.model().pending[index].wait_cause.code;
      if (code == placement::Code::kLimit) code = placement::Code::kNone;
      out[state.sessions.find(id)->name] =
          !cluster.is_pending(id) ? "not there" : std::string(placement::to_string(code));
    }
    const auto cpu = cluster.find_slot("cpu");
    for (const std::string& name : state.agents.sorted_keys())
      if (const auto agent = cluster.find_agent(name); agent && cpu)
        out[name] = std::to_string(cluster.free_amount(*agent, *cpu)) + " free";
    return out;
  }

  std::string user() { return kUsers[rng_.below(kUsers.size())]; }
  std::string image() { return kImages[rng_.below(kImages.size())]; }

  v1::Event any_event() {
    switch (rng_.below(8)) {
      case 0: return Limit("user", user()).sessions(rng_.below(4));
      case 1: return Limit("domain", "default").sessions(rng_.below(6));
      case 2: {
        v1::Event e = user_defined(user());
        e.mutable_user_defined()->set_disabled(rng_.below(2) == 0);
        return e;
      }
      case 3: return image_building(image(), 1);
      case 4: return rng_.below(3) == 0 ? image_build_failed(image(), "no room") : image_stored(image());
      default: break;
    }
    Spec spec;
    if (rng_.below(3) == 0) spec = Spec().image(image());
    if (rng_.below(4) == 0)
      spec =
          Spec().batch().start_at(given_.journal().time() + static_cast<Duration>(rng_.below(3)) * kMinute);
    return session_requested("s" + std::to_string(++sessions_), spec, user());
  }

  void end_one() {
    for (const SessionId& id : given_.state().sessions.sorted_keys()) {
      const auto& row = *given_.state().sessions.find(id);
      const auto* kernel =
          row.kernel_ids.empty() ? nullptr : given_.state().kernels.find(row.kernel_ids.front());
      if (kernel != nullptr && kernel->holds_slots()) return end(row.name);
    }
  }

  Rng rng_{0};
  int sessions_ = 0;
};

TEST_F(Mirror, B1_IsWhatANewLeaderBuilds) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    rng_ = Rng(seed);
    given_.projection().set_listener(nullptr);
    given_ = given(two_agents() + Events{image_stored("jupyter:4.6"), image_stored("r:4")});
    lead();
    given_.projection().set_listener(&feed_);
    for (int step = 0; step < kSteps; ++step) {
      if (rng_.below(5) == 0)
        end_one();
      else
        given_.and_given({any_event()});
      given_.after(static_cast<Duration>(rng_.below(40)) * kSecond);
      const Timestamp now = given_.journal().time();
      feed_.refresh(given_.state(), now);
      feed_.lift_limits(given_.state());
      ClusterFeed fresh;
      fresh.rebuild(given_.state(), now);
      fresh.refresh(given_.state(), now);
      ASSERT_EQ(words_of(feed_, given_.state()), words_of(fresh, given_.state()))
          << "seed " << seed << ", step " << step;
      pass();
    }
  }
}

}  // namespace
}  // namespace berth::controller
