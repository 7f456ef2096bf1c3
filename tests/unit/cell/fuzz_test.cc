// Whatever stands in `requests` and `reports`, under right keys too: nothing stops the controller, every
// record is within its bound, no decision is one that the second net forbids, and the leader goes on. After
// each loss of its leadership it is elected again on the same inputs.
//
// The inputs are sound messages of which a few fields are changed, so that they get deep; some are bytes that
// mean nothing. The seeds are fixed; BERTH_FUZZ_SEEDS=N runs N others, from 1000 on.
#include <cstdlib>

#include "tests/support/random_message.h"
#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

using testing::RandomMessage;

class Fuzz : public LeaderTest, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  static constexpr int kInputs = 120;

  void SetUp() override {
    given_leader();
    given_agent();
  }

  const projections::State& state() const { return controller->projection().state(); }

  // ---- what is sent ----
  RandomMessage random_message() {
    std::vector<std::string> ids;
    for (const auto& id : state().sessions.sorted_keys()) ids.emplace_back(id.view());
    for (const auto& id : state().kernels.sorted_keys()) ids.emplace_back(id.view());
    if (const auto* agent = state().agents.find("a1")) ids.emplace_back(agent->incarnation.view());
    return {rng,
            {"a1", "a2", "default", "u1", "main", "sub", "cpu", "mem", "gpu", "gpu0", "s1", "s1-1", "fifo",
             "strict", "concentrated", "user", "even", "x86_64", "image"},
            std::move(ids)};
  }
  std::string any_id(const std::vector<std::string>& of) {
    return of.empty() ? std::string(rng.uuid().view()) : of[rng.below(of.size())];
  }
  std::string any_session() {
    std::vector<std::string> ids;
    for (const auto& id : state().sessions.sorted_keys()) ids.emplace_back(id.view());
    return any_id(ids);
  }
  v1::Request sound_request() {
    v1::Request r;
    switch (rng.below(12)) {
      case 0: r.mutable_terminate_session()->set_session_id(any_session()); break;
      case 1: r.mutable_drain_agent()->set_agent("a1"); break;
      case 2: r.mutable_enroll_agent()->set_agent("a1"); break;
      case 3: r.mutable_confirm_clock(); break;
      case 4: r.mutable_release_quarantine()->set_subject("session:x"); break;
      case 5:
        r.mutable_fence_agent()->set_agent("a1");
        r.mutable_fence_agent()->set_force(rng.below(2) == 0);
        break;
      case 6: {
        auto* limit = r.mutable_set_limit()->mutable_limit();
        limit->set_scope(v1::SCOPE_KIND_USER);
        limit->set_id("u1");
        limit->mutable_sessions()->set_most(50);
        break;
      }
      case 7: {
        auto* group = r.mutable_define()->add_groups();
        group->set_name("default");
        group->set_order("fifo");
        group->set_head_of_line("strict");
        group->set_select("concentrated");
        break;
      }
      default: {
        auto* body = r.mutable_request_session();
        body->set_count(static_cast<std::uint32_t>(rng.below(4)));
        auto* spec = body->mutable_spec();
        spec->set_mode(rng.chance(1, 2) ? v1::MULTI_NODE : v1::SINGLE_NODE);
        spec->set_requeueable(rng.chance(1, 2));
        auto* role = spec->add_roles();
        role->set_role("main");
        role->set_count(1 + static_cast<std::uint32_t>(rng.below(3)));
        for (const auto& [slot, amount] :
             {std::pair<const char*, Amount>{"cpu", kUnit / 4}, {"mem", Amount{200} << 20}}) {
          auto* s = role->add_slots();
          s->set_slot(slot);
          s->set_amount(amount);
        }
      }
    }
    return r;
  }
  v1::Report sound_report() {
    v1::Report report;
    if (rng.chance(1, 6)) {
      report = join();
      report.mutable_join()->set_nonce(std::string(rng.uuid().view()));
    }
    report.set_leaving(rng.chance(1, 30));
    for (const auto& id : state().kernels.sorted_keys()) {
      if (!rng.chance(1, 3)) continue;
      auto* fact = report.add_facts();
      fact->set_kernel_id(std::string(id.view()));
      fact->set_attempt(state().kernels.find(id)->attempt);
      fact->set_state(static_cast<v1::KernelState>(1 + rng.below(8)));
      fact->set_end(static_cast<v1::KernelEnd>(rng.below(11)));
    }
    return report;
  }

  std::string request_bytes() {
    v1::Request r = sound_request();
    r.set_id(std::string(rng.uuid().view()));
    r.set_actor(actor_of(r));
    *r.mutable_owner() = owner();
    r.set_sent_ms(now.wall / kMillisecond);
    change(r);
    const std::string writer = rng.chance(1, 10) ? "producer:u1" : "api:test";
    if (writer != "api:test") r.set_actor(writer);
    return Signer(config.cluster, writer, 1, derive_key(config.secret, writer, 1))
        .sign(Channel::kRequest, r.SerializeAsString());
  }
  std::string report_bytes() {
    v1::Report report = sound_report();
    const auto* agent = state().agents.find("a1");
    report.set_incarnation(std::string(agent->incarnation.view()));
    report.set_sent_ms(now.wall / kMillisecond);
    change(report);
    report.set_agent("a1");
    return Signer(config.cluster, "agent:a1", agent->generation,
                  derive_key(config.secret, "agent:a1", agent->generation))
        .sign(Channel::kReport, report.SerializeAsString());
  }
  void change(google::protobuf::Message& message) {
    RandomMessage random_fields = random_message();
    if (rng.chance(1, 2)) return;
    for (std::uint64_t n = rng.below(6); n > 0; --n) random_fields.change(message);
  }
  // Sometimes its bytes are damaged on the way.
  std::string maybe_damaged(std::string bytes) {
    if (!rng.chance(1, 15) || bytes.empty()) return bytes;
    if (rng.chance(1, 2)) bytes.resize(rng.below(bytes.size()));
    if (!bytes.empty()) bytes[rng.below(bytes.size())] ^= static_cast<char>(1 + rng.below(255));
    return bytes;
  }

  // ---- what is read ----
  void read(const Partition& partition, Offset& offset, std::string bytes) {
    inputs.push_back({partition, offset++, std::move(bytes)});
    if (controller->deciding()) when(InputRead{inputs.back()});
    look();
  }
  void look() {
    EXPECT_EQ(out.stop, "");
    for (const auto& append : appends_to(Stream::kJournal)) EXPECT_LE(append.payload.size(), kRecordBytesMax);
    for (const auto& line : out.log)
      EXPECT_EQ(line.text.find("which is a bug"), std::string::npos) << line.text;
  }
  // Elected again, with what the log has, and reads the same inputs again.
  void elect_again() {
    for (; !unread.empty(); unread.pop_front()) (void)log_fold.apply(next++, unread.front().payload);
    when(Reloaded{std::make_unique<projections::Projection>(log_fold)});
    stand();
    for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
    ASSERT_TRUE(controller->deciding());
    for (const LogEntry& entry : std::vector<LogEntry>(inputs)) {
      if (entry.offset >= state().next_input(to_string(entry.partition))) when(InputRead{entry});
      look();
    }
  }

  Rng rng{GetParam()};
  std::vector<LogEntry> inputs;
};

TEST_P(Fuzz, NothingThatIsReadStopsTheLeader) {
  for (int i = 0; i < kInputs && !HasFatalFailure(); ++i) {
    switch (rng.below(8)) {
      case 0: pass(rng.chance(1, 10) ? 20 * kSecond : 50 * kMillisecond); break;
      case 1:
      case 2:
      case 3: read(kReports, reports, maybe_damaged(report_bytes())); break;
      default: read(kRequests, requests, maybe_damaged(request_bytes()));
    }
    if (controller->mode() == Controller::Mode::kLeader && rng.chance(3, 4)) read_all_back();
    if (rng.chance(1, 25)) when(InputsLost{});  // its leadership ends for another reason
    if (controller->mode() != Controller::Mode::kLeader) elect_again();
  }
  read_all_back();
  EXPECT_TRUE(controller->deciding());
  // What fits no record (a join) is an internal error of its input; nothing was forbidden.
  for (const auto& what : state().quarantine.sorted_keys())
    EXPECT_EQ(state().quarantine.find(what)->failures, 0u) << what;
  EXPECT_EQ(state().next_input("requests/0"), requests) << "every input is taken";
  EXPECT_EQ(state().next_input("reports/0"), reports);
}

std::vector<std::uint64_t> seeds() {
  const char* more = std::getenv("BERTH_FUZZ_SEEDS");
  const std::uint64_t first = more == nullptr ? 1 : 1000;
  const std::uint64_t count = more == nullptr ? 40 : std::strtoull(more, nullptr, 10);
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Fuzz, ::testing::ValuesIn(seeds()));

}  // namespace
}  // namespace berth::controller
