// The kept texts of sessions equal what is written anew, after every record, void ones and undo included.
#include "controller/api/live/session_texts.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/random_cluster.h"

namespace berth::testing {
namespace {

using namespace controller::api;
using projections::AgentRow;
using projections::KernelRow;
using projections::SessionRow;
using projections::SlotTypeRow;

struct Listener {
  SessionTexts texts{4};  // so few that they are dropped now and then
  void on_row(const SessionRow* before, const SessionRow* after) { texts.on_row(after ? *after : *before); }
  void on_row(const KernelRow* before, const KernelRow* after) { texts.on_row(after ? *after : *before); }
  void on_row(const AgentRow* before, const AgentRow* after) { texts.on_row(before, after); }
  void on_row(const SlotTypeRow*, const SlotTypeRow*) { texts.forget(); }
};

const projections::Actor kRoot{"root", v1::ROLE_SUPERADMIN, "default", {}, {}};
const projections::Actor kNobody{
    "nobody", v1::ROLE_USER, "default", {}, {}};  // from whom preemptors are hidden

std::string anew(const projections::State& state, const std::vector<const SessionRow*>& sessions,
                 const projections::Actor& actor) {
  std::string out = "[";
  for (const SessionRow* session : sessions)
    out += (out.size() > 1 ? "," : "") + session_to_json(state, SlotKinds(state), *session, actor);
  return out;
}

TEST(SessionTexts, EqualWhatIsWrittenAnewAfterEveryRecord) {
  std::size_t placed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestJournal journal;
    projections::Projection whole(test_cluster(), projections::Projection::Tracking::kNone);
    RandomCluster(seed).run(journal, whole, 200);
    projections::Projection projection(test_cluster(), projections::Projection::Tracking::kNone);
    Listener listener;
    projection.set_listener(&listener);
    for (const std::string& payload : journal.payloads()) {
      projection.apply(projection.chain().next(), payload);
      const projections::State& state = projection.state();
      std::vector<const SessionRow*> live;
      state.sessions.for_each_unordered([&](const SessionRow& row) {
        if (!projections::is_end(row.status)) live.push_back(&row);
      });
      placed += static_cast<std::size_t>(std::count_if(
          live.begin(), live.end(), [](const SessionRow* row) { return !row->kernel_ids.empty(); }));
      for (const auto& actor : {kRoot, kNobody}) {
        JsonText out;
        out.open('[');
        listener.texts.write(out, state, SlotKinds(state), live, actor);
        ASSERT_EQ(out.take(), anew(state, live, actor));
      }
    }
    projection.set_listener(nullptr);
  }
  EXPECT_GT(placed, 100u);
}

}  // namespace
}  // namespace berth::testing
