// More slot types than the scheduler takes: nobody's names stop a leader.
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

class SlotTypes : public LeaderTest {
 protected:
  void SetUp() override {
    given_leader();
    given_agent();
  }
  static v1::Request define(std::size_t count, const std::string& stem) {
    v1::Request request;
    for (std::size_t i = 0; i < count; ++i)
      request.mutable_define()->add_slot_types()->set_name(stem + std::to_string(i));
    return request;
  }
};

TEST_F(SlotTypes, TheSixtyFifthIsRefused) {
  ask(define(placement::kSlotTypesMax - 2, "slot"));  // beside cpu and mem
  EXPECT_TRUE(events()[0].has_slot_type_registered());
  ask(define(1, "more"));
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].request_refused().code(), "too-many-slot-types");
  ask(define(1, "slot"));  // a known one is defined anew
  EXPECT_TRUE(events()[0].has_slot_type_registered());
}

TEST_F(SlotTypes, AnAgentThatBringsHundredsOfNamesStopsNobody) {
  v1::Report report = join();
  report.mutable_join()->set_nonce(std::string(Rng(40).uuid().view()));
  for (int i = 0; i < 300; ++i) {
    auto* slot = report.mutable_join()->mutable_agent()->add_slots();
    slot->set_slot("odd" + std::to_string(i));
    slot->set_amount(kUnit);
  }
  tell(report);
  read_all_back();
  ASSERT_TRUE(controller->deciding());
  ask_for_session();
  bool placed = false;
  for (const auto& event : events()) placed = placed || event.has_session_scheduled();
  EXPECT_TRUE(placed);
}

// Registered by a leader of another build: it waits, with a reason, and the others are served.
TEST_F(SlotTypes, ASessionThatAsksForOneBeyondTheBoundWaitsWithAReason) {
  v1::Report report = join();
  report.mutable_join()->set_nonce(std::string(Rng(40).uuid().view()));
  for (std::size_t i = 0; i < placement::kSlotTypesMax; ++i) {
    auto* slot = report.mutable_join()->mutable_agent()->add_slots();
    slot->set_slot("odd" + std::to_string(i));
    slot->set_amount(kUnit);
  }
  auto* late = report.mutable_join()->mutable_agent()->add_slots();
  late->set_slot("lat0");
  late->set_amount(kUnit);
  tell(report);
  ask(define(1, "lat"));  // "lat0": registered, and beyond what the scheduler has room for
  v1::Request request;
  auto* spec = request.mutable_request_session()->mutable_spec();
  spec->set_group("default");
  auto* role = spec->add_roles();
  for (const auto& [name, amount] :
       {std::pair<const char*, Amount>{"cpu", kUnit}, {"mem", Amount{1} << 30}, {"lat0", kUnit}}) {
    auto* s = role->add_slots();
    s->set_slot(name);
    s->set_amount(amount);
  }
  ask(request);
  ASSERT_EQ(events().size(), 2u);
  EXPECT_TRUE(events()[0].has_session_requested());
  EXPECT_EQ(events()[1].session_reason_changed().code(), "unknown-slot");
  ask_for_session();
  bool placed = false;
  for (const auto& event : events()) placed = placed || event.has_session_scheduled();
  EXPECT_TRUE(placed);
}

}  // namespace
}  // namespace berth::controller
