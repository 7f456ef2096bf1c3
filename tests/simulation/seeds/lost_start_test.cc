// The journal lost that a session was placed, and places it again under the same (kernel, attempt) while the
// first start of it still runs, or has ended (P12, P22, P35; ADR 0110). No draws.
#include "tests/simulation/seeds/lost_tail_rig.h"

namespace berth::simulation {
namespace {

using projections::KernelRow;
using projections::SessionRow;
using projections::SessionStatus;

class LostStart : public LostTailRig {
 protected:
  using Words = std::vector<std::string>;

  template <class M> static void add_slot(M* message, const char* slot, Amount amount) {
    auto* added = message->add_slots();
    added->set_slot(slot);
    added->set_amount(amount);
  }
  void define() {
    v1::Request request = made("controller");
    auto* body = request.mutable_define();
    for (const auto& [name, kind] : {std::pair{"cpu", SlotKind::kCount}, std::pair{"mem", SlotKind::kBytes},
                                     std::pair{"cuda.shares", SlotKind::kCount}}) {
      auto* type = body->add_slot_types();
      type->set_name(name);
      type->set_kind(static_cast<std::uint32_t>(kind));
    }
    auto* group = body->add_groups();
    group->set_name("default");
    group->set_order("fifo");
    group->set_head_of_line("greedy");
    group->set_select("concentrated");
    body->add_domains()->set_name("default");
    body->add_projects()->set_domain("default");
    body->mutable_projects(0)->set_name("default");
    auto* user = body->add_users();
    user->set_name("u1");
    user->set_domain("default");
    user->add_projects("default");
    user->set_role(v1::ROLE_USER);
    put(request);
  }
  void given_agents(const std::vector<std::string>& names) {
    controller->start(now);
    pass(2 * kSecond);
    define();
    for (const std::string& name : names) {
      enroll(name);
      agents[name] = std::make_unique<SimAgent>(cluster, name, agents.size() + 7, Hostility{});
      agents[name]->start(now);
    }
    pass(2 * kSecond);
    mark();
  }
  // What is lost is all behind this.
  void mark() {
    for (const Partition& partition : {kJournal, kRequests, kReports}) kept[partition] = end_of(partition);
  }
  void given_chain_head() {
    while (end_of(kJournal) % projections::kChainEvery != 0) cluster.server->put(kJournal, "no record");
    pass(2 * kSecond);
    const auto* cursor = controller->state()->order_cursors.find("a1");
    ASSERT_TRUE(cursor == nullptr || cursor->last <= controller->state()->epoch().routed);
    mark();
  }
  v1::Request session(const std::string& name, Amount cpu, const Words& command = {},
                      bool requeueable = false) {
    v1::Request request = made("user:u1");
    request.mutable_owner()->set_user("u1");
    request.mutable_owner()->set_domain("default");
    request.mutable_owner()->set_project("default");
    auto* body = request.mutable_request_session();
    body->set_name(name);
    auto* spec = body->mutable_spec();
    spec->set_group("default");
    spec->set_priority(1);
    spec->set_requeueable(requeueable);
    for (const std::string& word : command) spec->add_command(word);
    auto* role = spec->add_roles();
    role->set_role("main");
    role->set_count(1);
    add_slot(role, "cpu", cpu);
    add_slot(role, "mem", 1ll << 30);
    return request;
  }
  const SessionRow* row(const std::string& name) const { return controller->state()->find_live("u1", name); }
  const KernelRow* kernel_of(const std::string& name) const {
    const SessionRow* session = row(name);
    const bool placed = session != nullptr && !session->kernel_ids.empty();
    return placed ? controller->state()->kernels.find(session->kernel_ids.front()) : nullptr;
  }
  bool runs(const std::string& name) const {
    return row(name) != nullptr && row(name)->status == SessionStatus::kRunning;
  }
  // Runs on the agent whose name is returned.
  std::string given_running(const v1::Request& request) {
    put(request);
    pass(kSecond);
    const std::string& name = request.request_session().name();
    EXPECT_TRUE(runs(name)) << name;
    return runs(name) ? kernel_of(name)->agent : "a1";
  }
  // Of reports too: else the next leader reads what the agents had told.
  void when_the_tail_is_lost() {
    for (const auto& [partition, end] : kept) cluster.server->truncate(partition, end);
  }
  agents::KernelKey key_of(const std::string& name) const {
    return {kernel_of(name)->id, kernel_of(name)->attempt};
  }
  // A machine runs what the journal says, with the devices that the journal says, and nothing else.
  void expect_that_machines_run_what_the_journal_says() {
    for (const auto& [name, agent] : agents) {
      std::vector<agents::KernelKey> wanted;
      for (const KernelId& id : controller->state()->kernels_on(name)) {
        const KernelRow* kernel = controller->state()->kernels.find(id);
        if (kernel->state == projections::KernelState::kRunning) wanted.push_back({id, kernel->attempt});
      }
      EXPECT_EQ(agent->machine().running(), wanted) << name;
    }
  }
  void a_program_dies(const std::string& agent) {
    Rng rng(1);
    agents.at(agent)->let_a_program_die(rng);
    pass(kTurn);
  }
  // It ran on the agent that is returned, which is cut off or not; now the journal has it on the other one.
  std::string given_moved(const v1::Request& asked, bool cut_off) {
    given_agents({"a1", "a2"});
    const std::string first = given_running(asked);
    agents.at(first)->set_cut_off(cut_off);
    when_the_tail_is_lost();
    put(session("filler", 4 * kUnit));  // takes the place that it had
    put(asked);
    pass(2 * kSecond);
    EXPECT_TRUE(runs("s1"));
    EXPECT_NE(kernel_of("s1") == nullptr ? first : kernel_of("s1")->agent, first);
    return first;
  }
  void expect_that_it_runs_on(const std::string& agent) {
    pass(20 * kSecond);
    ASSERT_TRUE(runs("s1"));
    EXPECT_EQ(kernel_of("s1")->agent, agent);
    EXPECT_EQ(kernel_of("s1")->attempt, 1u);
    EXPECT_EQ(times_run(agent), 1u);
    expect_that_machines_run_what_the_journal_says();
  }
  std::size_t times_run(const std::string& agent) const { return agents.at(agent)->machine().ran().size(); }

  std::map<Partition, Offset> kept;
};

const std::string& other(const std::string& agent) {
  static const std::string kNames[] = {"a1", "a2"};
  return kNames[agent == "a1" ? 1 : 0];
}

// The agent ends what the journal no longer knows, and the same session comes back meanwhile.
TEST_F(LostStart, P35_AKernelThatIsBeingStoppedIsNotTakenForTheOneThatIsPlacedAnew) {
  given_agents({"a1"});
  const v1::Request asked = session("s1", kUnit, {"ignore-term", "sleep", "1000"});
  given_running(asked);
  const auto before = key_of("s1");
  when_the_tail_is_lost();
  pass(3 * kSecond);
  ASSERT_EQ(agents["a1"]->machine().running(), std::vector{before}) << "it ends slowly";
  put(asked);  // whoever asked has no answer and asks again
  pass(30 * kSecond);
  ASSERT_TRUE(runs("s1")) << "nobody asked for its end";
  expect_that_machines_run_what_the_journal_says();
  EXPECT_EQ(times_run("a1"), 2u);
}

TEST_F(LostStart, P35_AKernelThatRunsIsNotTakenForTheOneThatIsPlacedAnew) {
  given_agents({"a1"});
  const v1::Request asked = session("s1", kUnit, {"sleep", "1000"});
  given_running(asked);
  when_the_tail_is_lost();
  put(asked);
  pass(30 * kSecond);
  ASSERT_TRUE(runs("s1"));
  expect_that_machines_run_what_the_journal_says();
  EXPECT_EQ(agents["a1"]->machine().runs(key_of("s1")), 1u);
}

// The journal kept the placement and lost the end, which the agent has forgotten. What comes again is the
// end.
TEST_F(LostStart, P35_AKernelWhoseEndWasLostDoesNotRunAgain) {
  given_agents({"a1"});
  given_chain_head();
  put(session("s1", kUnit, {"sleep", "2"}));
  while (kernel_of("s1") == nullptr) pass(kTurn);
  const SessionId id = row("s1")->id;
  mark();
  pass(10 * kSecond);
  ASSERT_TRUE(agents["a1"]->machine().ran().size() == 1 && agents["a1"]->machine().running().empty());
  when_the_tail_is_lost();
  ASSERT_EQ(times_run("a1"), 1u);
  pass(20 * kSecond);
  EXPECT_EQ(times_run("a1"), 1u);
  EXPECT_EQ(controller->state()->sessions.find(id)->status, SessionStatus::kTerminated);
}

// A program that ends by itself while its agent is away; the end reaches a leader that has placed the session
// anew, on the same agent, and was not there when the program ran.
TEST_F(LostStart, P22_AnEndOfTheLostStartIsNotTakenForTheEndOfTheNewOne) {
  given_agents({"a1"});
  const v1::Request asked = session("s1", kUnit, {"sleep", "1000"});
  given_running(asked);
  agents["a1"]->set_cut_off(true);
  when_the_tail_is_lost();
  put(asked);
  pass(2 * kSecond);
  a_program_dies("a1");
  agents["a1"]->set_cut_off(false);
  pass(30 * kSecond);
  ASSERT_TRUE(runs("s1"));
  expect_that_machines_run_what_the_journal_says();
}

TEST_F(LostStart, P22_AnEndOfTheLostStartDoesNotEndTheNewOneOnAnotherAgent) {
  const std::string first = given_moved(session("s1", kUnit, {"sleep", "1000"}), true);
  a_program_dies(first);
  agents[first]->set_cut_off(false);
  expect_that_it_runs_on(other(first));
}

// Before the new one runs, the agent joins, tells of the kernel, and ends what nobody wants there.
TEST_F(LostStart, P22_AnAgentThatTellsOfTheLostStartLeavesTheNewOneAlone) {
  const std::string first = given_moved(session("s1", kUnit, {"sleep", "1000"}), false);
  expect_that_it_runs_on(other(first));
  EXPECT_EQ(times_run(first), 2u) << "the other session too";
}

TEST_F(LostStart, P24_AnAgentThatWasSilentEndsTheLostStartWhenItIsBack) {
  const std::string first = given_moved(session("s1", kUnit, {"sleep", "1000"}), true);
  pass(20 * kSecond);
  EXPECT_EQ(agents[first]->machine().running().size(), 1u) << "no lease ends it";
  agents[first]->set_cut_off(false);
  expect_that_it_runs_on(other(first));
}

TEST_F(LostStart, P24_TheLeaseEndsTheLostStartOnAnAgentThatIsSilent) {
  const std::string first = given_moved(session("s1", kUnit, {"sleep", "1000"}, true), true);
  pass(kLease);
  EXPECT_TRUE(agents[first]->machine().running().empty());
  agents[first]->set_cut_off(false);
  expect_that_it_runs_on(other(first));
}

// Reports are lost as well: nobody tells of the kernel. The next leader knows of no order that the log may
// not have, so it sends no snapshot, and its first order is newer than all that the agent has obeyed.
TEST_F(LostStart, P21_AnOrderAfterOnesThatTheJournalLostMakesTheAgentJoinAnew) {
  given_agents({"a1"});
  given_chain_head();
  given_running(session("s1", kUnit, {"sleep", "1000"}));
  agents["a1"]->set_cut_off(true);
  when_the_tail_is_lost();
  put(session("s2", kUnit, {"sleep", "1000"}));
  pass(2 * kSecond);
  agents["a1"]->set_cut_off(false);
  pass(20 * kSecond);
  EXPECT_TRUE(runs("s2"));
  EXPECT_EQ(row("s1"), nullptr);
  expect_that_machines_run_what_the_journal_says();
}

}  // namespace
}  // namespace berth::simulation
