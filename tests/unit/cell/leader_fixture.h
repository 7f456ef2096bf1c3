// Given a controller that leads and decides; when it reads inputs, its own records or the fates of its
// appends; then look at what it put out. The log is played by the test: what is appended to the journal is
// read back when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "controller/cell/controller.h"
#include "events/codec/envelope.h"
#include "events/schema/v1/order.pb.h"
#include "tests/support/spec.h"

namespace berth::controller {

class LeaderTest : public ::testing::Test {
 protected:
  static constexpr Partition kRequests{Stream::kRequests, 0};
  static constexpr Partition kReports{Stream::kReports, 0};

  LeaderTest() {
    config.cluster = Rng(1).uuid();
    config.secret = std::string(32, 's');
    config.name = "c1";
    config.layout.requests = config.layout.reports = config.layout.orders = 1;
    given_controller();
  }

  // ---- given ----
  // A controller that has read nothing, of `config` as it is now.
  void given_controller() {
    controller = std::make_unique<Controller>(
        config,
        std::make_unique<projections::Projection>(config.cluster, projections::Projection::Tracking::kNone),
        random, InHistory{});
  }
  void given_leader() {
    when(Tick{});
    stand();
    for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
    ASSERT_TRUE(controller->deciding());
  }
  // It hears no other leader, stands, and reads its own election back.
  void stand() {
    pass(2 * kSecond);
    ASSERT_TRUE(out.journal_end_wanted);
    when(JournalEnd{next});
    ASSERT_EQ(unread.size(), 1u);
    read_back();
    ASSERT_EQ(controller->mode(), Controller::Mode::kLeader);
    ASSERT_TRUE(out.journal_end_wanted);
    for (const Append& beat : appends_to(Stream::kControl)) when(ControlRead{beat.payload});  // its own
    when(JournalEnd{next});
  }
  static v1::Owner owner() { return testing::owner("u1"); }
  // Definitions, and agent a1, which has joined and got its snapshot.
  void given_agent() {
    v1::Request define;
    for (const char* name : {"cpu", "mem"}) {
      auto* slot = define.mutable_define()->add_slot_types();
      slot->set_name(name);
      slot->set_kind(
          static_cast<std::uint32_t>(name == std::string("mem") ? SlotKind::kBytes : SlotKind::kCount));
    }
    auto* group = define.mutable_define()->add_groups();
    group->set_name("default");
    group->set_order("fifo");
    group->set_head_of_line("strict");
    group->set_select("concentrated");
    define.mutable_define()->add_domains()->set_name("default");
    auto* project = define.mutable_define()->add_projects();
    project->set_domain("default");
    project->set_name("default");
    auto* user = define.mutable_define()->add_users();
    user->set_name("u1");
    user->set_domain("default");
    user->add_projects("default");
    user->set_role(v1::ROLE_USER);
    ask(define);
    v1::Request enroll;
    enroll.mutable_enroll_agent()->set_agent("a1");
    ask(enroll);
    tell(join());
    read_all_back();
  }
  static v1::Report join() {
    v1::Report report;
    auto* agent = report.mutable_join()->mutable_agent();
    agent->set_group("default");
    agent->set_architecture("x86_64");
    agent->set_backend("fake");
    for (const auto& [slot, amount] :
         {std::pair<const char*, Amount>{"cpu", 4 * kUnit}, {"mem", Amount{8} << 30}}) {
      auto* s = agent->add_slots();
      s->set_slot(slot);
      s->set_amount(amount);
    }
    report.mutable_join()->set_nonce(std::string(Rng(4).uuid().view()));
    return report;
  }

  // ---- when ----
  void when(Input input) {
    out = {};
    controller->step(std::move(input), now, out);
    controller->flush(now, out);
    if (!out.check_inputs.empty()) checks = out.check_inputs;
    for (const auto& append : out.appends)
      if (append.partition.stream == Stream::kJournal) unread.push_back(append);
  }
  void pass(Duration time) {
    now.wall += time;
    now.boottime += time;
    when(Tick{});
  }
  // By user u1 for sessions and folders; by the controller for what users have no right to.
  void ask(v1::Request request) {
    request.set_id(std::string(random.uuid().view()));
    request.set_actor(actor_of(request));
    *request.mutable_owner() = owner();
    request.set_sent_ms(now.wall / kMillisecond);
    const Signer signer(config.cluster, "api:test", 1, derive_key(config.secret, "api:test", 1));
    when(InputRead{{kRequests, requests++, signer.sign(Channel::kRequest, request.SerializeAsString())}});
  }
  static std::string actor_of(const v1::Request& request) {
    const bool is_users = request.has_request_session() || request.has_terminate_session() ||
                          request.has_create_folder() || request.has_change_folder();
    return is_users ? "user:u1" : "controller";
  }
  static v1::Request session(const v1::SessionSpec& spec, const std::string& name = "") {
    v1::Request request;
    request.mutable_request_session()->set_name(name);
    *request.mutable_request_session()->mutable_spec() = spec;
    return request;
  }
  void ask_for_session() { ask(session(testing::Spec())); }
  void tell(v1::Report report) {
    report.set_agent("a1");
    report.set_incarnation(std::string(Rng(3).uuid().view()));
    report.set_sent_ms(now.wall / kMillisecond);
    const Signer signer(config.cluster, "agent:a1", 1, derive_key(config.secret, "agent:a1", 1));
    when(InputRead{{kReports, reports++, signer.sign(Channel::kReport, report.SerializeAsString())}});
  }
  // The oldest record that is not yet read comes back from the log.
  void read_back() {
    ASSERT_FALSE(unread.empty());
    const Append append = unread.front();
    unread.pop_front();
    const bool applied = log_fold.apply(next, append.payload).applied();
    when(JournalRead{next++, append.payload, applied});
  }
  void read_gap() {
    log_fold.apply({{Stream::kJournal, 0}, next, {}, true});
    when(JournalRead{next++, {}, false, true});
  }
  void read_all_back() {
    while (!unread.empty()) read_back();
  }
  void fails(const Append& append) {
    when(Appended{append.ticket, {AppendState::kFailed, 0, make_error("log-unavailable", "")}});
  }

  // ---- then ----
  std::vector<Append> appends_to(Stream stream) const {
    std::vector<Append> found;
    for (const auto& append : out.appends)
      if (append.partition.stream == stream) found.push_back(append);
    return found;
  }
  // What the last step sent to `health`.
  v1::Acks acks_sent() const {
    v1::Acks acks;
    for (const auto& append : appends_to(Stream::kHealth)) {
      const auto envelope = open_envelope(append.payload, config.cluster);
      EXPECT_TRUE(envelope &&
                  acks.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
    }
    return acks;
  }
  std::vector<v1::Order> orders() const {
    std::vector<v1::Order> found;
    for (const auto& append : appends_to(Stream::kOrders)) {
      const Signer signer(config.cluster, "agent:a1", 1, derive_key(config.secret, "agent:a1", 1));
      const auto envelope = open_signed(signer, Channel::kOrder, append.payload);
      found.emplace_back();
      EXPECT_TRUE(envelope && found.back().ParseFromArray(envelope->body.data(),
                                                          static_cast<int>(envelope->body.size())));
    }
    return found;
  }
  // Of the records that this turn appended to the journal.
  std::vector<v1::Event> events() const {
    std::vector<v1::Event> found;
    for (const auto& append : appends_to(Stream::kJournal)) {
      v1::Record record;
      const auto envelope = open_envelope(append.payload, config.cluster);
      EXPECT_TRUE(envelope &&
                  record.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())));
      found.insert(found.end(), record.events().begin(), record.events().end());
    }
    return found;
  }

  struct Random final : RandomSource {
    Uuid uuid() override { return rng.uuid(); }
    Rng rng{2};
  };
  ControllerConfig config;
  Random random;
  std::unique_ptr<Controller> controller;
  Instant now{1'700'000'000 * kSecond, 100 * kSecond};
  Outputs out;                // of the last when()
  std::deque<Append> unread;  // to the journal, in order
  std::vector<CheckInput> checks;
  Offset next = 0;  // of the journal
  // The durable fold, of what was read back.
  projections::Projection log_fold{Rng(1).uuid(), projections::Projection::Tracking::kNone};
  Offset requests = 0;
  Offset reports = 0;
};

}  // namespace berth::controller
