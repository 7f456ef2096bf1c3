// The indexed scheduler and the plain one decide the same, byte for byte, on random clusters: placements with
// their devices, reasons, retries, turns, who has to go and which places are held. BERTH_PLAIN_SEEDS=FROM..TO
// takes other seeds, for a long run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/placement/plain_world.h"

namespace berth::placement::testing {
namespace {

constexpr int kPlainSteps = 8;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPlainSeeds = 5;  // of each combination; ten times slower
#else
constexpr std::uint64_t kPlainSeeds = 30;
#endif

std::pair<std::uint64_t, std::uint64_t> plain_seeds(std::uint64_t count) {
  const char* given = std::getenv("BERTH_PLAIN_SEEDS");
  if (given == nullptr) return {1, count};
  const std::string text = given;
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {std::stoull(text), std::stoull(text)};
  return {std::stoull(text.substr(0, dots)), std::stoull(text.substr(dots + 2))};
}

std::string combination_text(const PlainCombination& c) {
  constexpr const char* kOrders[] = {"fifo", "lifo", "drf", "fair-share", "backfill"};
  constexpr const char* kHeads[] = {"strict", "skip-after-n", "greedy"};
  constexpr const char* kSelects[] = {"concentrated", "dispersed", "round-robin",
                                      "fgd",          "balanced",  "custom"};
  return std::string(kOrders[static_cast<int>(c.order)]) + ", " + kHeads[static_cast<int>(c.head_of_line)] +
         ", " + kSelects[static_cast<int>(c.select)] + (c.preemption ? ", preemption" : "") +
         (c.session_groups ? ", session groups" : "");
}

constexpr int kInside = 6 * 2 * 2;  // combinations of one order and head of line
PlainCombination combination_of(std::uint64_t number) {
  PlainCombination c;
  const auto next = [&](std::uint64_t count) { return std::exchange(number, number / count) % count; };
  c.select = static_cast<Select>(next(6));
  c.preemption = next(2) == 1;
  c.session_groups = next(2) == 1;
  c.head_of_line = static_cast<HeadOfLine>(next(3));
  c.order = static_cast<Order>(next(5));
  return c;
}

// One random cluster for some passes; `wanders`: how it decides changes in between.
class PlainRun {
 public:
  PlainRun(std::uint64_t seed, std::uint64_t number, bool wanders)
      : seed_(seed),
        number_(number),
        wanders_(wanders),
        world_(seed * 1'000 + number, combination_of(number)) {}

  // Prints how to see it again, and what there was before the pass that differs.
  void check() {
    for (; step_ < kPlainSteps && !::testing::Test::HasFailure(); ++step_) {
      change();
      world_.compare();
    }
    if (!::testing::Test::HasFailure()) return;
    PlainRun again(seed_, number_, wanders_);
    for (; again.step_ + 1 < step_; ++again.step_) {
      again.change();
      again.world_.compare();
    }
    again.change();
    ADD_FAILURE() << "seed " << seed_ << ", pass " << step_ << " of combination " << number_ << ": "
                  << combination_text(combination_) << "\n"
                  << again.world_.describe();
  }
  std::int64_t decisions() const { return world_.decisions(); }

 private:
  void change() {
    const std::uint64_t drawn = (number_ * 31 + static_cast<std::uint64_t>(step_) * 77) % (kInside * 15);
    if (wanders_ && step_ % 3 == 2) world_.set_combination(combination_ = combination_of(drawn));
    world_.change();
  }

  std::uint64_t seed_, number_;
  bool wanders_;
  PlainWorld world_;
  PlainCombination combination_ = combination_of(number_);
  int step_ = 0;
};

void check_plain(std::uint64_t number, bool wanders) {
  // Prices of `balanced` are worked out three times a cluster, which takes longer than its passes.
  const bool slow = combination_of(number).select == Select::kBalanced;
  const auto [from, to] = plain_seeds(kPlainSeeds / (wanders ? 5 : slow ? 2 : 1));
  std::int64_t decisions = 0;
  for (std::uint64_t seed = from; seed <= to && !::testing::Test::HasFailure(); ++seed) {
    PlainRun run(seed, number, wanders);
    run.check();
    decisions += run.decisions();
  }
  EXPECT_GT(decisions, 0);
}

// By order and head of line; each with all selections, with and without preemption and session groups.
class PlainScheduler : public ::testing::TestWithParam<int> {};

TEST_P(PlainScheduler, DecidesTheSameAsTheIndexedOneOnRandomClusters) {
  for (int i = 0; i < kInside && !HasFailure(); ++i)
    check_plain(static_cast<std::uint64_t>(GetParam()) * kInside + static_cast<std::uint64_t>(i), false);
}

TEST_P(PlainScheduler, DecidesTheSameWhenAGroupIsDefinedAnewInBetween) {
  for (int i = 0; i < kInside && !HasFailure(); ++i)
    check_plain(static_cast<std::uint64_t>(GetParam()) * kInside + static_cast<std::uint64_t>(i), true);
}

INSTANTIATE_TEST_SUITE_P(OrdersAndHeads, PlainScheduler, ::testing::Range(0, 15));

}  // namespace
}  // namespace berth::placement::testing
