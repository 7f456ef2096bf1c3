// What a router tells an agent of thousands of kernels (P21).
#include "controller/cell/leader/router.h"

#include <gtest/gtest.h>

#include <map>

#include "events/base/random.h"
#include "events/base/trace_context.h"
#include "events/log/event_log.h"
#include "tests/support/given.h"

namespace berth::testing {
namespace {

using controller::Append;
using controller::ControllerConfig;
using controller::Router;

std::vector<v1::Order> snapshot_of(const Given& cell, const ControllerConfig& config) {
  Verifier verifier(config.cluster, "secret");
  const Signer agent(config.cluster, "agent:a1", 1, verifier.key_of("agent:a1", 1));
  std::vector<v1::Order> orders;
  for (const auto& [position, append] : Router(config, verifier, Uuid()).snapshot(cell.state(), "a1")) {
    EXPECT_LE(append.payload.size(), kPayloadBytesMax);
    const auto envelope = open_signed(agent, Channel::kOrder, append.payload);
    EXPECT_TRUE(envelope && orders.emplace_back().ParseFromArray(envelope->body.data(),
                                                                 static_cast<int>(envelope->body.size())));
  }
  return orders;
}

class RouterOfALargeAgent : public ::testing::Test {
 protected:
  static constexpr int kSessions = 5'000, kOfARecord = 100;

  RouterOfALargeAgent() {
    for (int first = 0; first < kSessions; first += kOfARecord) {
      Events events;
      for (int n = first; n < first + kOfARecord; ++n) {
        const std::string name = "s" + std::to_string(n);
        events.push_back(session_requested(name, Spec().batch(std::string(400, 'x'))));
        events.push_back(session_scheduled(name, "a1"));
      }
      cell.when(events).then_applied();
    }
    config.cluster = Rng(1).uuid();
    config.layout.orders = 1;
  }
  std::vector<v1::Order> snapshot() const { return snapshot_of(cell, config); }

  Given cell =
      given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", kSessions, kSessions* kGiga)});
  ControllerConfig config;
};

TEST_F(RouterOfALargeAgent, F16_TellsFiveThousandKernelsInPartsThatFitAndLeaveNoneOut) {
  const auto parts = snapshot();
  ASSERT_GT(parts.size(), 1u);
  std::string up_to;
  std::vector<std::string> told;
  for (const v1::Order& order : parts) {
    const v1::Snapshot& part = order.snapshot();
    EXPECT_EQ(part.after(), up_to);
    EXPECT_FALSE(part.join_nonce().empty());
    up_to = part.up_to();
    for (const auto& kernel : part.kernels()) told.push_back(kernel.start().kernel_id());
    if (!up_to.empty()) { EXPECT_EQ(told.back(), up_to); }
  }
  EXPECT_EQ(up_to, "");
  std::vector<std::string> all;
  for (const KernelId& id : cell.state().kernels_on("a1")) all.emplace_back(id.view());
  EXPECT_EQ(told, all);
}

TEST(Router, AKernelIsToldOfItsSessionsTraceBelowTheSessionsSpan) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  v1::Event asked = session_requested("traced"), plain = session_requested("plain");
  asked.set_request_id(wire("r1"));
  asked.set_trace(trace);
  plain.set_request_id(wire("r2"));
  Given cell = given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 4, 64 * kGiga)});
  ControllerConfig config;
  config.cluster = Rng(1).uuid();
  config.layout.orders = 1;
  cell.and_given({asked, plain, session_scheduled("traced", "a1"), session_scheduled("plain", "a1")});
  std::map<std::string, std::string> told;
  for (const v1::Order& order : snapshot_of(cell, config))
    for (const auto& kernel : order.snapshot().kernels())
      told[kernel.start().session_name()] = kernel.start().trace();
  const std::string span = to_hex(as_view(derived_span(session_id("traced"), "session")));
  EXPECT_EQ(told["traced"], trace.substr(0, 36) + span + "-01");
  EXPECT_EQ(told["plain"], "00-" + to_hex(wire("r2")) + "-" +
                               to_hex(as_view(derived_span(session_id("plain"), "session"))) + "-01");
}

}  // namespace
}  // namespace berth::testing
