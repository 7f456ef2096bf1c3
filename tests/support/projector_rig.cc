#include "tests/support/projector_rig.h"

#include <gtest/gtest.h>

namespace berth::testing {

std::string folded_hash(const TestJournal& journal) {
  projections::Projection projection(test_cluster(), projections::Projection::Tracking::kRows);
  for (const auto& payload : journal.payloads()) projection.apply(projection.chain().next(), payload);
  return to_hex(as_view(projection.state_hash()));
}

TestJournal busy_journal(int sessions) {
  TestJournal journal;
  journal.elect();
  journal.append(definitions() + agent("a1") + agent("a2"));
  for (int i = 0; i < sessions; ++i) {
    const std::string s = "s" + std::to_string(i), k = kernel_name(s);
    journal.append({answering(session_requested(s), "user:alice", "request " + s)});
    if (i % 5 == 0) continue;
    if (i % 5 == 1) {
      journal.append({session_cancelled(s)});
      continue;
    }
    journal.append({session_scheduled(s, i % 2 == 0 ? "a1" : "a2")});
    if (i % 5 >= 3) journal.append({kernel_preparing(k), kernel_running(k)});
    journal.append({session_terminating(s)});
    journal.append({kernel_terminated(k, i % 5 == 4 ? v1::EXITED : v1::STOPPED)});
  }
  return journal;
}

}  // namespace berth::testing
