// What a session is given of the slot `disk` where it does not say, and what it may not ask for.
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

// Only cpu and memory are said.
v1::SessionSpec silent() { return Spec(); }

// Agents of these names, with so much disk each; 0: it reports none.
Events agents_with_disk(const std::vector<std::pair<std::string, Amount>>& agents) {
  Events events = definitions() + Events{slot_type_registered("disk", SlotKind::kBytes)};
  for (const auto& [name, disk] : agents) {
    v1::Event joined = agent_joined(name, 8, 16 * kGiga);
    if (disk > 0) {
      auto* slot = joined.mutable_agent_joined()->add_slots();
      slot->set_slot("disk");
      slot->set_amount(disk);
    }
    events = events + Events{agent_enrolled(name), joined};
  }
  return events;
}

Amount accepted_disk(const Events& history, const v1::SessionSpec& asked) {
  Case c = given(history);
  c.when(request_session("s1", asked));
  if (c.decided().size() != 1 || !c.decided()[0].has_session_requested()) return -1;
  Amount disk = 0;
  for (const auto& slot : c.decided()[0].session_requested().spec().roles(0).slots())
    if (slot.slot() == "disk") disk = slot.amount();
  return disk;
}

TEST(SessionDisk, IsFilledInWhereEveryAgentOfTheGroupReportsIt) {
  const Events all = agents_with_disk({{"a1", 100 * kGiga}, {"a2", 50 * kGiga}});
  EXPECT_EQ(accepted_disk(all, silent()), 4 * kGiga);
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_disk(10 * kGiga);
  EXPECT_EQ(accepted_disk(all + Events{group}, silent()), 10 * kGiga) << "what the group says";
  EXPECT_EQ(accepted_disk(all + Events{group}, Spec().slot("disk", 20 * kGiga)), 20 * kGiga)
      << "what the session says";
  EXPECT_EQ(accepted_disk(all, Spec().slot("disk", 0)), 4 * kGiga) << "nothing is no way around the default";
  const Events some = agents_with_disk({{"a1", 100 * kGiga}, {"a2", 0}});
  EXPECT_EQ(accepted_disk(some, silent()), 0);
  EXPECT_EQ(accepted_disk(some + Events{group}, silent()), 0);
  EXPECT_EQ(accepted_disk(some, Spec().slot("disk", 20 * kGiga)), 20 * kGiga);
  EXPECT_EQ(accepted_disk(agents_with_disk({{"a1", 0}}), silent()), 0);
}

TEST(SessionDisk, ThatNobodyHasOrThatNoFileSystemCanBeIsRefused) {
  const Events all = agents_with_disk({{"a1", 100 * kGiga}});
  given(agents_with_disk({{"a1", 0}}))
      .when(request_session("s1", Spec().slot("disk", kGiga)))
      .then_refused("slot-not-served");
  given(all).when(request_session("s1", Spec().slot("disk", 15 * kMega))).then_refused("invalid-amount");
  given(all)
      .when(request_session("s1", Spec().slot("disk", (Amount{64} << 40) + 1)))
      .then_refused("invalid-amount");
  given(world()).when(request_session("s1", Spec().slot("disk", kGiga))).then_refused("unknown-slot");
}

TEST(SessionDisk, IsFilledInOnlyWhereItsAmountsAreBytes) {
  Events all = agents_with_disk({{"a1", 100 * kGiga}});
  EXPECT_EQ(accepted_disk(all + Events{slot_type_registered("disk", SlotKind::kCount)}, silent()), 0);
}

}  // namespace
}  // namespace berth::testing::decisions
