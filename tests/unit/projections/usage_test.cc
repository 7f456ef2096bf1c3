// The usage view: what the report says is what every state held, waited for and had, second by second.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "projections/store/memory_store.h"
#include "projections/store/projector.h"
#include "projections/views/usage_report.h"
#include "tests/support/given.h"
#include "tests/support/projector_rig.h"
#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

using projections::MemoryStore;
using projections::Projection;
using projections::Projector;
using projections::SlotTime;
using projections::SlotTimes;
using projections::State;
using projections::UsageBy;
using projections::UsageQuestion;
using projections::UsageReport;

using Totals = std::map<std::string, std::map<std::string, SlotTimes>>;  // by line, by slot

struct Moment {
  Timestamp time = 0;
  Totals rates;
};

void add_held(Totals& out, const State& state, UsageBy by) {
  state.kernels.for_each_unordered([&](const projections::KernelRow& row) {
    if (!row.holds_slots()) return;
    const v1::Owner& owner = row.owner->owner;
    for (const auto& slot : row.role_spec().slots()) {
      SlotTime amount = slot.amount();
      if (by == UsageBy::kDevice) continue;
      const std::string line = by == UsageBy::kUser      ? owner.user()
                               : by == UsageBy::kProject ? owner.domain() + "/" + owner.project()
                               : by == UsageBy::kAgent   ? row.agent
                                                         : row.spec->spec.group();
      if (amount != 0) out[line][slot.slot()].held += amount;
    }
    if (by == UsageBy::kDevice)
      for (const auto& share : row.devices)
        out[row.agent + "/" + share.device][share.slot].held += share.amount;
  });
}

void add_waiting(Totals& out, const State& state, UsageBy by) {
  if (by == UsageBy::kAgent || by == UsageBy::kDevice) return;
  state.sessions.for_each_unordered([&](const projections::SessionRow& row) {
    if (!projections::is_waiting(row.status)) return;
    const v1::Owner& owner = row.owner->owner;
    const std::string line = by == UsageBy::kUser      ? owner.user()
                             : by == UsageBy::kProject ? owner.domain() + "/" + owner.project()
                                                       : row.spec->spec.group();
    for (const auto& role : row.spec->spec.roles())
      for (const auto& slot : role.slots())
        if (slot.amount() != 0)
          out[line][slot.slot()].waiting += static_cast<SlotTime>(slot.amount()) * role.count();
  });
}

void add_capacity(Totals& out, const State& state, UsageBy by) {
  if (by == UsageBy::kUser || by == UsageBy::kProject) return;
  state.agents.for_each_unordered([&](const projections::AgentRow& row) {
    if (row.state != projections::AgentState::kAlive) return;
    const std::string line = by == UsageBy::kGroup ? row.group : row.name;
    if (by != UsageBy::kDevice)
      for (const auto& slot : row.slots)
        if (slot.amount != 0) out[line][slot.slot].capacity += slot.amount;
    for (const auto& device : row.devices)
      for (const auto& slot : device.slots)
        if (slot.amount != 0)
          out[by == UsageBy::kDevice ? row.name + "/" + device.id : line][slot.slot].capacity += slot.amount;
  });
}

// A journal over many hours, and what each state of it held.
struct LongRun {
  explicit LongRun(std::uint64_t seed)
      : cluster(seed), projection(test_cluster(), Projection::Tracking::kRows) {
    std::uint64_t dice = seed;
    for (int i = 0; i < 25; ++i) {
      cluster.run(journal, projection, 12);
      dice = dice * 6364136223846793005u + 1442695040888963407u;
      // Mostly minutes, now and then a night.
      const std::uint64_t gap = dice >> 33;
      journal.advance(static_cast<Duration>(gap % 8 == 0 ? gap % 30'000 : gap % 1'500) * kSecond);
    }
  }
  RandomCluster cluster;
  TestJournal journal;
  Projection projection;
};

std::vector<Moment> moments(const TestJournal& journal, UsageBy by) {
  std::vector<Moment> all;
  Projection fold(test_cluster(), Projection::Tracking::kRows);
  for (const auto& payload : journal.payloads()) {
    if (!fold.apply(fold.chain().next(), payload).applied()) continue;
    Moment moment{fold.record().header().time_ns(), {}};
    add_held(moment.rates, fold.state(), by);
    add_waiting(moment.rates, fold.state(), by);
    add_capacity(moment.rates, fold.state(), by);
    all.push_back(std::move(moment));
  }
  return all;
}

Totals brute_force(const std::vector<Moment>& moments, Timestamp from, Timestamp to) {
  Totals sums;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const Timestamp end = i + 1 < moments.size() ? moments[i + 1].time : to;
    const Duration length = std::min(end, to) - std::max(moments[i].time, from);
    if (length <= 0) continue;
    for (const auto& [line, slots] : moments[i].rates)
      for (const auto& [slot, rate] : slots) {
        SlotTimes& sum = sums[line][slot];
        sum.held += rate.held * length;
        sum.waiting += rate.waiting * length;
        sum.capacity += rate.capacity * length;
      }
  }
  return sums;
}

// Sums that are zero and lines without any are as good as none.
std::map<std::string, std::string> to_text(const Totals& totals) {
  const auto text = [](SlotTime value) {
    return std::to_string(static_cast<std::int64_t>(value >> 64)) + ":" +
           std::to_string(static_cast<std::uint64_t>(value));
  };
  std::map<std::string, std::string> out;
  for (const auto& [line, slots] : totals)
    for (const auto& [slot, times] : slots)
      if (times.held != 0 || times.waiting != 0 || times.capacity != 0)
        out[line + " " + slot] = text(times.held) + " " + text(times.waiting) + " " + text(times.capacity);
  return out;
}

Totals totals_of(const UsageReport& report) {
  Totals sums;
  for (const auto& part : report.parts)
    for (const auto& [line, usage] : part.lines)
      for (const auto& [slot, times] : usage.slots) {
        SlotTimes& sum = sums[line][slot];
        sum.held += times.held;
        sum.waiting += times.waiting;
        sum.capacity += times.capacity;
      }
  return sums;
}

// The store after lives that end anywhere.
void fill(MemoryStore& store, const TestJournal& journal, std::uint64_t every) {
  const auto entries = journal.entries();
  for (std::size_t at = 0; at < entries.size();) {
    Projector projector(test_cluster(), store, {}, nullptr);
    RC_ASSERT(projector.open());
    const std::size_t until = std::min<std::size_t>(entries.size(), projector.next() + 20 + every);
    for (at = projector.next(); at < until; ++at) {
      projector.apply(std::span(&entries[at], 1), 1);
      if (at % 7 == 0) RC_ASSERT(projector.flush());
    }
    if (at == entries.size()) RC_ASSERT(projector.flush());
  }
}

TEST(Usage, AnyWindowIsTheSumOverEveryState) {
  EXPECT_TRUE(
      rc::check([](std::uint64_t seed, std::uint64_t first, std::uint64_t second, std::uint8_t every) {
        const LongRun run(seed);
        MemoryStore store;
        fill(store, run.journal, every);
        for (const UsageBy by :
             {UsageBy::kUser, UsageBy::kProject, UsageBy::kGroup, UsageBy::kAgent, UsageBy::kDevice}) {
          const std::vector<Moment> all = moments(run.journal, by);
          const Timestamp begin = all.front().time - kHour, length = all.back().time - begin + 3 * kHour;
          Timestamp from = begin + static_cast<Duration>(first % static_cast<std::uint64_t>(length));
          Timestamp to = begin + static_cast<Duration>(second % static_cast<std::uint64_t>(length));
          if (from > to) std::swap(from, to);
          if (from == to) ++to;
          for (const Duration step : {Duration{0}, kHour, 24 * kHour}) {
            const auto report = projections::usage_report(store, {from, to, by, step, {}});
            RC_ASSERT(report);
            RC_ASSERT(to_text(totals_of(*report)) == to_text(brute_force(all, from, to)));
            for (const auto& part : report->parts) {
              Totals one;
              for (const auto& [line, usage] : part.lines) one[line] = usage.slots;
              RC_ASSERT(to_text(one) == to_text(brute_force(all, part.from, part.to)));
            }
          }
        }
      }));
}

TEST(Usage, OfRandomJournalsIsNotNothing) {
  const LongRun run(7);
  MemoryStore store;
  fill(store, run.journal, 3);
  const auto all = moments(run.journal, UsageBy::kDevice);
  const auto report =
      projections::usage_report(store, {all.front().time, all.back().time, UsageBy::kDevice, 0, {}});
  ASSERT_TRUE(report);
  EXPECT_GT(totals_of(*report).size(), 1u);
  EXPECT_GT(all.back().time - all.front().time, 10 * kHour);
}

// One CPU from 00:10 to 02:40 and the wait before.
class UsageOfOne : public ::testing::Test {
 protected:
  void SetUp() override {
    Given g = given(definitions() + agent("a1"));
    g.after(kHour - g.journal().time() % kHour);
    g.and_given({session_requested("s1")});
    begin_ = g.session("s1").created_at;
    g.after(10 * kMinute - kSecond);
    g.and_given({session_scheduled("s1", "a1")});
    scheduled_ = g.session("s1").scheduled_at;
    g.after(150 * kMinute);
    g.and_given({kernel_terminated(kernel_name("s1"), v1::EXITED, 0)});
    Projector projector(test_cluster(), store_, {}, nullptr);
    ASSERT_TRUE(projector.open());
    projector.apply(g.journal().entries(), 1);
    ASSERT_EQ(projector.next(), g.journal().entries().size());
    ASSERT_TRUE(projector.flush());
  }
  Result<UsageReport> report(Timestamp from, Timestamp to, Duration step = 0) {
    return projections::usage_report(store_, {from, to, UsageBy::kUser, step, {}});
  }

  MemoryStore store_;
  Timestamp begin_ = 0, scheduled_ = 0;
};

TEST_F(UsageOfOne, IsExactWhereAWindowCutsAnHour) {
  const auto told = report(begin_ + 30 * kMinute, begin_ + 65 * kMinute);
  ASSERT_TRUE(told);
  ASSERT_EQ(told->parts.size(), 1u);
  ASSERT_EQ(told->parts[0].lines.size(), 1u);
  const auto& slots = told->parts[0].lines.begin()->second.slots;
  const Amount cpu = session_requested("s1").session_requested().spec().roles(0).slots(0).amount();
  const std::string slot = session_requested("s1").session_requested().spec().roles(0).slots(0).slot();
  EXPECT_EQ(slots.at(slot).held, static_cast<SlotTime>(cpu) * 35 * kMinute);
  EXPECT_EQ(slots.at(slot).waiting, 0);
}

TEST_F(UsageOfOne, TellsHowLongItWaited) {
  const auto told = report(begin_, begin_ + 3 * kHour, kHour);
  ASSERT_TRUE(told);
  ASSERT_EQ(told->parts.size(), 3u);
  const auto& line = told->parts[0].lines.begin()->second;
  EXPECT_EQ(line.waits.count(), 1u);
  const std::int64_t waited_ms = (scheduled_ - begin_) / kMillisecond;
  EXPECT_GE(line.waits.percentile_ms(50), waited_ms);
  EXPECT_LE(line.waits.percentile_ms(50), waited_ms + waited_ms / 32);
  EXPECT_TRUE(told->parts[1].lines.begin()->second.waits.empty());
}

TEST_F(UsageOfOne, BeforeAllThingsThereIsNone) {
  const auto told = report(begin_ - 48 * kHour, begin_ - 2 * kHour, kHour);
  ASSERT_TRUE(told);
  for (const auto& part : told->parts) EXPECT_TRUE(part.lines.empty());
}

TEST_F(UsageOfOne, AWindowOfTooManyStepsIsRefused) {
  const auto told = report(begin_, begin_ + 2'000 * kHour, kHour);
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().code, "too-many-parts");
}

TEST(WaitCounts, APercentileIsAtMostA32ndTooLong) {
  for (std::int64_t ms : {0, 1, 31, 32, 33, 1'000, 59'999, 86'400'000}) {
    projections::WaitCounts counts;
    counts.add(ms * kMillisecond);
    EXPECT_GE(counts.percentile_ms(95), ms);
    EXPECT_LE(counts.percentile_ms(95), ms + ms / 32);
  }
}

}  // namespace
}  // namespace berth::testing
