// F2: everything that a client can read, by many threads at once, while the journal grows and the store is
// written. Run under TSan by ops/check --full.
#include <gtest/gtest.h>

#include <thread>

#include "events/base/hex.h"
#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

constexpr int kReaders = 3;
constexpr int kRounds = 150;

v1::Request dry_request() {
  v1::Request request;
  request.set_actor("user:admin");
  request.mutable_owner()->set_user("admin");
  return request;
}

// The hash that whoever replays the log finds at that point.
std::string replayed_hash(EventLog& log, Offset end) {
  projections::Projection projection(test_cluster(), projections::Projection::Tracking::kRows);
  auto reader = log.open_reader({{{Stream::kJournal, 0}, 0}});
  std::vector<LogEntry> entries;
  while (projection.chain().next() < end) {
    entries.clear();
    if (!(*reader)->poll(0, end - projection.chain().next(), 1u << 20, entries)) return "unreadable";
    for (const auto& entry : entries) projection.apply(entry.offset, entry.payload);
  }
  return to_hex(as_view(projection.state_hash()));
}

// One of each read that the API does.
void read_everything(NodeRig& rig) {
  auto& api = rig.api();
  const auto everybody = [](const projections::SessionRow&) { return true; };
  std::optional<SessionId> session;
  api.with_state([&](const controller::StateView& view) {
    const auto& pending = view.state.pending();
    if (!pending.empty()) session = pending.begin()->second;
  });
  (void)api.facts();
  EXPECT_TRUE(api.chain_point_now());
  (void)api.ready();
  (void)api.metrics();
  (void)api.read_journal(0, 64, 1u << 20);
  (void)api.read_raw_journal(0, 64, 1u << 20);
  (void)api.read_history(10, "");
  (void)api.dry_run(dry_request(), everybody);
  if (!session) return;
  (void)api.find_history(*session);
  (void)api.why(*session, everybody);
  (void)api.estimate_start(*session);
}

TEST(ReadsUnderLoad, F2_NoReadDisturbsTheFoldOrItsHash) {
  ThreadedMemoryLog log;
  const TempDir folder;
  controller::CellNodeConfig config;
  config.projector.flush_records = 1;  // the store is written all the time
  NodeRig rig(log, folder.path(), config);
  ASSERT_TRUE(rig.start());
  ASSERT_TRUE(rig.define());

  std::atomic<int> reading = kReaders;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i)
    readers.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) read_everything(rig);
      --reading;
    });
  for (int n = 1; reading > 0; ++n) {
    rig.ask_for_session("s" + std::to_string(n));
    if (n % 100 != 0) continue;
    EXPECT_TRUE(rig.await_state([&](const controller::StateView& view) {
      return view.state.requests.size() + 50 > static_cast<std::size_t>(n);
    }));
  }
  for (auto& reader : readers) reader.join();
  const auto point = rig.api().chain_point_now();
  ASSERT_TRUE(point);
  EXPECT_GE(point->next, static_cast<Offset>(kReaders * kRounds) / 10) << "there was load";
  EXPECT_EQ(to_hex(as_view(*point->state_hash)), replayed_hash(log, point->next));
}

}  // namespace
}  // namespace berth::testing
