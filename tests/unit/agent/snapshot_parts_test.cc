// A snapshot that came in parts (P21): it is obeyed as one, or not at all.
#include <cstring>

#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

class SnapshotInParts : public AgentTest {
 protected:
  // Ids in the order of their numbers.
  static KernelKey numbered(std::uint32_t number) {
    Uuid id;
    for (int byte = 0; byte < 4; ++byte)
      id.bytes[static_cast<std::size_t>(byte)] = static_cast<std::uint8_t>(number >> (24 - 8 * byte));
    return {KernelId(id), 1};
  }
  static std::string id_of(std::uint32_t number) { return bytes(numbered(number).kernel); }
  // Of the kernels with numbers above `after` up to `up_to`; 0: from the first, to the last.
  v1::Order part(std::uint64_t sequence, std::uint32_t after, std::uint32_t up_to,
                 const std::vector<std::uint32_t>& kernels, bool started = false) const {
    v1::Order order = this->order(sequence, sequence);
    v1::Snapshot& snapshot = *order.mutable_snapshot();
    snapshot.set_join_nonce(bytes(nonce));
    if (after != 0) snapshot.set_after(id_of(after));
    if (up_to != 0) snapshot.set_up_to(id_of(up_to));
    for (const std::uint32_t number : kernels)
      *snapshot.add_kernels() = desired(start_of(numbered(number)), started);
    return order;
  }
  void arrives(const v1::Order& order) { when(OrderArrived{order}); }
};

TEST_F(SnapshotInParts, NothingOfItIsObeyedBeforeItsLastPart) {
  join();
  arrives(part(10, 0, 2, {1, 2}));
  EXPECT_EQ(started(), Keys{});
  EXPECT_FALSE(agent->joined());
  arrives(part(10, 2, 3, {3}));
  EXPECT_EQ(started(), Keys{});
  arrives(part(10, 3, 0, {4}));
  EXPECT_EQ(started(), (Keys{numbered(1), numbered(2), numbered(3), numbered(4)}));
  EXPECT_TRUE(agent->joined());
}

TEST_F(SnapshotInParts, F16_OfFiveThousandRunningKernelsTheOneThatNoPartListsIsStopped) {
  constexpr std::uint32_t kKernels = 5'000, kUnwanted = 2'345, kOfAPart = 1'000;
  std::vector<RecoveredKernel> found(kKernels);
  for (std::uint32_t number = 1; number <= kKernels; ++number) {
    found[number - 1].key = numbered(number);
    found[number - 1].what = KernelEvent::What::kRunning;
    found[number - 1].holding.emplace();
  }
  make(found);
  join();
  for (std::uint32_t after = 0; after < kKernels; after += kOfAPart) {
    EXPECT_EQ(stopped(), Keys{});
    std::vector<std::uint32_t> listed;
    for (std::uint32_t number = after + 1; number <= after + kOfAPart; ++number)
      if (number != kUnwanted) listed.push_back(number);
    const std::uint32_t up_to = after + kOfAPart;
    arrives(part(10, after, up_to == kKernels ? 0 : up_to, listed, true));
  }
  EXPECT_EQ(stopped(), Keys{numbered(kUnwanted)});
  EXPECT_EQ(started(), Keys{});
}

TEST_F(SnapshotInParts, APartThatDoesNotGoOnWhereTheLastEndedIsLeftOutAndASnapshotAskedFor) {
  join();
  arrives(part(10, 0, 2, {1, 2}));
  arrives(part(10, 3, 0, {4}));
  EXPECT_FALSE(agent->joined());
  EXPECT_EQ(started(), Keys{});
  pass(2 * kSecond);
  EXPECT_TRUE(snapshot_wanted());
}

TEST_F(SnapshotInParts, PartsOfTwoSnapshotsAreNotMixed) {
  join();
  arrives(part(10, 0, 2, {1, 2}));
  arrives(part(11, 2, 0, {3}));
  ++epoch;
  election = 78;
  arrives(part(10, 2, 0, {3}));
  EXPECT_FALSE(agent->joined());
}

TEST_F(SnapshotInParts, AFirstPartBeginsAnew) {
  join();
  arrives(part(10, 0, 2, {1, 2}));
  arrives(part(11, 0, 1, {1}));
  arrives(part(11, 1, 0, {}));
  EXPECT_EQ(started(), Keys{numbered(1)});
}

}  // namespace
}  // namespace berth::agents
