// P33: nobody's idle connections shut others out.
#include "controller/api/http/connection_counts.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace berth::controller::api {
namespace {

using Verdict = ConnectionCounts::Verdict;

class Counts : public ::testing::Test {
 protected:
  ConnectionCounts::Id add(const std::string& address = "home", const std::string& person = "") {
    const auto id = std::make_shared<ConnectionCounts::Id>(0);
    const auto added = counts_.add(address, [this, id] { gone_.push_back(*id); });
    *id = added.id;
    if (added.verdict != Verdict::kServe) return 0;
    if (!person.empty()) {
      counts_.keep(added.id, person);
      counts_.idle(added.id);
    }
    return added.id;
  }

  ConnectionCounts counts_{6, 4};
  std::vector<ConnectionCounts::Id> gone_;
};

TEST_F(Counts, P33_OfThePersonWhoHasMostTheLongestIdleGivesWay) {
  const auto alice = add("home", "alice");
  const auto first = add("home", "greedy"), second = add("home", "greedy");
  ASSERT_NE(add("home", "greedy"), 0u);
  counts_.keep(first, "greedy");  // another request, answered
  counts_.idle(first);
  EXPECT_NE(add("home"), 0u);
  EXPECT_EQ(gone_, (std::vector<ConnectionCounts::Id>{second}));
  EXPECT_NE(alice, 0u);
}

TEST_F(Counts, P33_FromOtherAddressesTooWhereThereAreAsManyAsMayBe) {
  const auto oldest = add("a", "greedy");
  for (const char* address : {"a", "b", "b", "c"}) add(address, "greedy");
  add("c", "alice");
  EXPECT_NE(add("d"), 0u);
  EXPECT_EQ(gone_, (std::vector<ConnectionCounts::Id>{oldest}));
}

TEST_F(Counts, OneThatIsBeingAnsweredAndOnesOnlyOneStay) {
  for (const char* person : {"alice", "bob"}) add("home", person);
  for (int i = 0; i < 2; ++i) counts_.keep(add("home", "greedy"), "greedy");
  EXPECT_EQ(add("home"), 0u);
  EXPECT_TRUE(gone_.empty());
}

TEST_F(Counts, WhoSignedNothingGivesWayFirst) {
  for (int i = 0; i < 3; ++i) add("home", "greedy");
  const auto stranger = add("home");
  EXPECT_NE(add("home"), 0u);
  EXPECT_EQ(gone_, (std::vector<ConnectionCounts::Id>{stranger}));
}

}  // namespace
}  // namespace berth::controller::api
