// Given events; when a pass runs over the mirror of their fold; then look at what it decided, which is folded
// as the leader does.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controller/cell/leader/rounds.h"
#include "controller/feed/cluster_feed.h"
#include "controller/feed/pass_decisions.h"
#include "tests/support/given.h"

namespace berth::controller {

class PassTest : public ::testing::Test {
 protected:
  static testing::Events two_agents() {
    using testing::operator+;
    constexpr Amount kMemory = 64 * testing::kGiga;
    return testing::definitions() +
           testing::Events{testing::agent_enrolled("a1"), testing::agent_joined("a1", 16, kMemory),
                           testing::agent_enrolled("a2"), testing::agent_joined("a2", 16, kMemory)};
  }

  explicit PassTest(const testing::Events& history = two_agents()) : given_(history) {
    lead();
    given_.projection().set_listener(&feed_);
  }

 public:
  ~PassTest() override { given_.projection().set_listener(nullptr); }

 protected:
  // What a new leader does.
  void lead() { feed_.rebuild(given_.state(), given_.journal().time()); }

  // One pass; what it decided, in order: "s1 a1" (placed), "s2 limit" (refused), "s3 held a1 instead of
  // old,new", "s3 unheld".
  std::vector<std::string> pass() {
    feed_.set_now(given_.journal().time());
    feed_.lift_limits(given_.state());
    feed_.limits().begin_pass(given_.state());
    PassDecisions decisions(feed_.limits());
    placement::pass(feed_.cluster(), "default", {1000, false, false, given_.journal().time()}, decisions);
    std::vector<std::string> lines;
    for (const auto& decision : decisions.all) {
      lines.push_back(line_of(decision));
      fold(decision);
    }
    return lines;
  }

  std::string line_of(const PassDecision& decision) const {
    using What = PassDecision::What;
    std::string line = name_of(decision.session);
    if (decision.what == What::kRefused)
      line += " " + std::string(placement::to_string(decision.reason.code));
    if (decision.what == What::kReserved) line += " held";
    if (decision.what == What::kUnreserved) line += " unheld";
    for (const auto& kernel : decision.kernels)
      line += " " + std::string(feed_.cluster().agent_name(kernel.agent));
    for (const SessionId& victim : decision.victims)
      line += (victim == decision.victims.front() ? " instead of " : ",") + name_of(victim);
    return line;
  }

  std::string name_of(const SessionId& id) const { return given_.state().sessions.find(id)->name; }

  // One record, however many events.
  void fold(const PassDecision& decision) {
    static const InHistory kNone;
    const DecisionContext context{given_.state(), {}, 0, kNone};
    const auto decided = events_of(context, feed_.cluster(), decision);
    const testing::Events events(decided.begin(), decided.end());
    given_.when(events).then_applied();
  }

  // Its first kernel's confirmed end.
  void end(const std::string& session, v1::KernelEnd how = v1::EXITED) {
    const auto& row = given_.session(session);
    v1::Event e = testing::kernel_terminated("x", how, 0, row.attempt);
    e.mutable_kernel_terminated()->set_kernel_id(std::string(row.kernel_ids.front().view()));
    given_.and_given({e});
  }

  testing::Given given_;
  ClusterFeed feed_;
};

}  // namespace berth::controller
