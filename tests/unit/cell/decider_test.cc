// How decisions become records: what does not fit the open record is decided again at the next position, and
// a report that takes several records gives its range to the last one (P4, P13, P22).
#include "controller/cell/leader/decider.h"

#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

class DeciderTest : public LeaderTest {
 protected:
  void SetUp() override {
    config.record_bytes = 300u << 10;  // a record is closed by the bound of P4 alone
    given_controller();
    given_leader();
    given_agent();
  }

  // A session whose record is about as large as this.
  v1::Request large_request(std::size_t bytes) {
    testing::Spec spec = testing::Spec().slot("cpu", kUnit / 20).mem(Amount{100} << 20);
    auto* env = spec.proto().add_env();
    env->set_key("LARGE");
    env->set_value(std::string(bytes, 'x'));
    v1::Request request = session(spec);
    request.set_id(std::string(random.uuid().view()));
    request.set_actor("user:u1");
    *request.mutable_owner() = owner();
    request.set_sent_ms(now.wall / kMillisecond);
    return request;
  }
  // Read with others before the leader decides.
  void read(const v1::Request& request) {
    const Signer signer(config.cluster, "api:test", 1, derive_key(config.secret, "api:test", 1));
    controller->step(
        InputRead{{kRequests, requests++, signer.sign(Channel::kRequest, request.SerializeAsString())}}, now,
        out);
  }
  void decide() {
    out = {};
    controller->flush(now, out);
    for (const auto& append : out.appends)
      if (append.partition.stream == Stream::kJournal) unread.push_back(append);
  }
  std::vector<v1::Record> records() const {
    std::vector<v1::Record> found;
    for (const auto& append : appends_to(Stream::kJournal)) {
      EXPECT_LE(append.payload.size(), kRecordBytesMax);
      const auto envelope = open_envelope(append.payload, config.cluster);
      EXPECT_TRUE(envelope && found.emplace_back().ParseFromArray(envelope->body.data(),
                                                                  static_cast<int>(envelope->body.size())));
    }
    return found;
  }
  static std::size_t ends_in(const v1::Record& record) {
    std::size_t ends = 0;
    for (const auto& event : record.events()) ends += event.has_kernel_terminated() ? 1 : 0;
    return ends;
  }
  std::vector<KernelId> running_kernels() const {
    return controller->projection().state().kernels.sorted_keys();
  }
  static v1::Report ends_of(const std::vector<KernelId>& kernels, std::size_t message_bytes) {
    v1::Report report;
    for (const KernelId& id : kernels) {
      auto* fact = report.add_facts();
      fact->set_kernel_id(std::string(id.view()));
      fact->set_attempt(1);
      fact->set_state(v1::TERMINATED);
      fact->set_end(v1::EXITED);
      fact->set_message(std::string(message_bytes, 'm'));
    }
    return report;
  }
};

TEST_F(DeciderTest, P4_ADecisionThatDoesNotFitTheOpenRecordIsMadeAgainInTheNext) {
  const v1::Request first = large_request(100u << 10), second = large_request(200u << 10);
  read(first);
  read(second);
  decide();
  ASSERT_GE(records().size(), 2u);
  const v1::Record one = records()[0], two = records()[1];
  EXPECT_EQ(one.events(0).request_id(), first.id());
  EXPECT_EQ(two.events(0).request_id(), second.id());
  ASSERT_EQ(one.header().ranges_size(), 1);
  ASSERT_EQ(two.header().ranges_size(), 1);
  EXPECT_EQ(one.header().ranges(0).to(), two.header().ranges(0).from())
      << "each takes the input that it answers";
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
  EXPECT_EQ(controller->projection().state().sessions.size(), 2u);
}

TEST_F(DeciderTest, P22_OfAReportInSeveralRecordsTheLastTakesItsRange) {
  for (int i = 0; i < 70; ++i) ask(large_request(100));
  read_all_back();
  const auto kernels = running_kernels();
  ASSERT_EQ(kernels.size(), 70u);
  const Offset offset = reports;
  tell(ends_of(kernels, 4000));
  const auto told = records();
  ASSERT_GE(told.size(), 2u);
  const auto takes_the_report = [&](const v1::Record& record) {
    for (const auto& range : record.header().ranges())
      if (range.stream() == v1::REPORTS && range.from() <= offset && offset < range.to()) return true;
    return false;
  };
  std::size_t ends = 0, taken_at = 0, last_end = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (takes_the_report(told[i])) taken_at = i;
    for (const auto& event : told[i].events())
      if (event.has_kernel_terminated()) ++ends, last_end = i;
  }
  EXPECT_EQ(ends, 70u);
  EXPECT_GT(last_end, 0u);
  EXPECT_EQ(taken_at, last_end);
  EXPECT_FALSE(takes_the_report(told[0]));
  ASSERT_EQ(told[0].header().subjects_size(), 1) << "what quarantine would name";
  EXPECT_EQ(told[0].header().subjects(0), "reports/0@" + std::to_string(offset));
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
}

// Another leader reads the same report: what the first record told is not told again, the rest is.
TEST_F(DeciderTest, P22_AReportWhoseRecordsWereCutShortIsDecidedAgain) {
  for (int i = 0; i < 70; ++i) ask(large_request(100));
  read_all_back();
  auto durable = std::make_unique<projections::Projection>(controller->projection());
  const v1::Report report = ends_of(running_kernels(), 4000);
  tell(report);
  const std::size_t told_first = ends_in(records()[0]);
  ASSERT_GT(told_first, 0u);
  ASSERT_LT(told_first, 70u);
  const Append first = unread.front();
  unread.clear();
  ASSERT_TRUE(durable->apply(next, first.payload).applied());
  ASSERT_TRUE(log_fold.apply(next, first.payload).applied());
  ++next;
  when(InputsLost{});
  when(Reloaded{std::move(durable)});
  stand();
  for (const auto& check : std::exchange(checks, {})) when(InputChecked{check.partition, true, 0});
  --reports;
  tell(report);
  std::size_t ends = 0;
  for (const auto& event : events()) ends += event.has_kernel_terminated() ? 1 : 0;
  EXPECT_EQ(ends, 70u - told_first);
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
}

// Nothing would settle the session if the record with what follows from the end were lost.
TEST_F(DeciderTest, P22_AnEndAndWhatFollowsFromItStandInOneRecord) {
  for (int i = 0; i < 70; ++i) ask(large_request(100));
  read_all_back();
  const auto kernels = running_kernels();
  ASSERT_EQ(kernels.size(), 70u);
  v1::Report report = ends_of(kernels, 8000);  // 4 KiB of it are kept, in the end and in what follows
  for (auto& fact : *report.mutable_facts()) fact.set_end(v1::START_FAILED);
  tell(report);
  const auto told = records();
  ASSERT_GE(told.size(), 2u);
  std::size_t settled = 0;
  for (const auto& record : told) {
    int open_ends = 0;
    for (const auto& event : record.events()) {
      open_ends += event.has_kernel_terminated() ? 1 : 0;
      open_ends -= event.has_session_requeued() ? 1 : 0;
      settled += event.has_session_requeued() ? 1 : 0;
    }
    EXPECT_EQ(open_ends, 0);
  }
  EXPECT_EQ(settled, 70u);
}

// Half a character in a refusal's message would be a record that no reader can parse.
TEST_F(DeciderTest, P3_ARefusalQuotesWholeCharacters) {
  std::string name = "a";
  for (int i = 0; i < 60; ++i) name += "\xC3\xA9";
  v1::Request request = large_request(10);
  request.mutable_request_session()->mutable_spec()->set_group(name);
  read(request);
  decide();
  ASSERT_EQ(records().size(), 1u);
  EXPECT_EQ(records()[0].events(0).request_refused().code(), "unknown-group");
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
}

TEST_F(DeciderTest, P4_ARequestWhoseEventsFitNoRecordIsRefused) {
  v1::Request request;
  for (int i = 0; i < 100; ++i) {
    auto* image = request.mutable_define()->add_images();
    image->set_reference("image:" + std::to_string(i));
    image->set_source("oci:" + std::string(4000, 's'));
  }
  ask(request);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].request_refused().code(), "request-too-large");
  read_all_back();
  EXPECT_EQ(controller->mode(), Controller::Mode::kLeader);
}

// A join cannot be cut; nobody else waits for it.
TEST_F(DeciderTest, P4_AJoinThatFitsNoRecordIsAnInternalErrorOfItsInput) {
  v1::Report report = join();
  report.mutable_join()->set_nonce(std::string(Rng(41).uuid().view()));
  for (int i = 0; i < 3000; ++i) {
    auto* device = report.mutable_join()->mutable_agent()->add_devices();
    device->set_id("device-of-a-very-large-agent-with-a-long-name-" + std::to_string(i));
    for (const char* slot : {"cuda.shares", "cuda.mem"}) {
      auto* s = device->add_slots();
      s->set_slot(slot);
      s->set_amount(kUnit);
    }
  }
  const Offset offset = reports;
  tell(report);
  ASSERT_EQ(events().size(), 1u);
  EXPECT_EQ(events()[0].internal_error_recorded().offset(), offset);
  read_all_back();
  ask_for_session();
  EXPECT_TRUE(events()[0].has_session_requested());
}

// One kernel gets a share of each of two thousand devices: the record would be void for everybody. The
// scheduler's model must not count the session as placed afterwards.
TEST_F(DeciderTest, P4_APlacementThatFitsNoRecordIsAnInternalErrorOfItsSession) {
  constexpr int kDevices = 2'000;
  const std::vector<std::string> slots = {"s.a", "s.b", "s.c", "s.d"};
  v1::Request define;
  for (const auto& slot : slots) define.mutable_define()->add_slot_types()->set_name(slot);
  ask(define);
  v1::Report report = join();
  report.mutable_join()->set_nonce(std::string(Rng(41).uuid().view()));
  for (int i = 0; i < kDevices; ++i) {
    auto* device = report.mutable_join()->mutable_agent()->add_devices();
    device->set_id("device-of-a-very-large-agent-" + std::to_string(i));
    for (const auto& slot : slots) {
      auto* s = device->add_slots();
      s->set_slot(slot);
      s->set_amount(kUnit);
    }
  }
  tell(report);
  read_all_back();
  v1::Request large = large_request(10);
  for (const auto& slot : slots) {
    auto* s = large.mutable_request_session()->mutable_spec()->mutable_roles(0)->add_slots();
    s->set_slot(slot);
    s->set_amount(kDevices * kUnit);
  }
  ask(large);
  const auto told = events();
  ASSERT_FALSE(told.empty());
  const std::string subject = told.back().internal_error_recorded().subject();
  ASSERT_TRUE(subject.starts_with("session:"));
  read_all_back();
  const auto agent = *controller->scheduler().find_agent("a1");
  EXPECT_EQ(controller->scheduler().free_amount(agent, *controller->scheduler().find_slot("s.a")),
            kDevices * kUnit);
  EXPECT_EQ(controller->scheduler().pending_count(), 0u) << "it is left alone";
  ask(large_request(10));
  EXPECT_TRUE(events().back().has_session_scheduled()) << "others are not";
  v1::Request release;
  release.mutable_release_quarantine()->set_subject(subject);
  ask(release);
  EXPECT_TRUE(events().back().has_internal_error_recorded()) << "it is tried again, and does not fit again";
}

}  // namespace
}  // namespace berth::controller
