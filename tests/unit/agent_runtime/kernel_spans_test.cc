// Spans of what an agent does for its orders.
#include "agents/runtime/kernel_spans.h"

#include <gtest/gtest.h>

#include "events/base/trace_context.h"
#include "tests/support/record_codes.h"

namespace berth::agents {
namespace {

const char* const kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

class KernelSpansTest : public ::testing::Test {
 protected:
  static KernelKey key(char name = 'k') { return {KernelId(*Uuid::from_bytes(std::string(16, name))), 2}; }
  static v1::StartKernel start(const std::string& trace = kTraceparent, char name = 'k') {
    v1::StartKernel start;
    start.set_kernel_id(std::string(16, name));
    start.set_attempt(2);
    start.set_session_id(std::string(16, 's'));
    start.set_session_name("training");
    start.set_role("main");
    start.set_index(1);
    start.set_image("python:3.11");
    start.set_trace(trace);
    return start;
  }
  void order(const v1::StartKernel& start, Timestamp now) {
    OrderArrived arrived;
    *arrived.order.add_start() = start;
    it.on_input(arrived, table, now);
    if (!table.records().contains(key())) table.add(key(), KernelPhase::kPulling);
  }
  void snapshot(bool started, Timestamp now) {
    OrderArrived arrived;
    auto& desired = *arrived.order.mutable_snapshot()->add_kernels();
    *desired.mutable_start() = start();
    desired.set_started(started);
    it.on_input(arrived, table, now);
  }
  void image(Result<StoredImage> result, Timestamp now) {
    it.on_input(ImageDone{{"python:3.11", "", ""}, std::move(result)}, table, now);
  }
  void given(Timestamp now) {
    StartCommand command;
    command.spec.key = key();
    it.on_command(command, now);
  }
  void event(KernelEvent::What what, Timestamp now) {
    KernelEvent event;
    event.what = what;
    event.key = key();
    it.on_input(event, table, now);
  }
  void ended(KernelEnd end, int code, Timestamp started, Timestamp ended_at, Timestamp now) {
    KernelEvent event;
    event.what = KernelEvent::What::kEnded;
    event.key = key();
    event.end = end;
    event.exit_code = code;
    event.started_at = started;
    event.ended_at = ended_at;
    it.on_input(event, table, now);
  }
  // "NAME BEGIN-END", with " !WHY" of one that failed.
  std::vector<std::string> told() const {
    std::vector<std::string> out;
    for (const Span& span : spans)
      out.push_back(span.name + " " + std::to_string(span.begin) + "-" + std::to_string(span.end) +
                    (span.failed ? " !" + span.message : ""));
    return out;
  }
  using Told = std::vector<std::string>;

  std::vector<Span> spans;
  KernelTable table{kSecond, kSecond};
  KernelSpans it{"a1", true, [this](Span span) { spans.push_back(std::move(span)); }};
};

TEST_F(KernelSpansTest, AStartHasItsImageItsMountsAndItsRuntimeBelowIt) {
  order(start(), 10);
  image(StoredImage{}, 20);
  given(30);
  event(KernelEvent::What::kCreating, 40);
  event(KernelEvent::What::kRunning, 50);
  EXPECT_EQ(told(), (Told{"image 10-20", "prepare 30-40", "runtime 40-50", "start kernel 10-50"}));
  const auto context = *parse_traceparent(kTraceparent);
  for (const Span& span : spans) EXPECT_EQ(span.trace, context.trace);
  EXPECT_EQ(spans[3].parent, context.parent);
  for (int part : {0, 1, 2}) EXPECT_EQ(spans[part].parent, spans[3].id);
  const std::vector<std::pair<std::string, std::string>> about = {
      {"berth.session.id", "73737373-7373-7373-7373-737373737373"},
      {"berth.session.name", "training"},
      {"berth.kernel.id", "6b6b6b6b-6b6b-6b6b-6b6b-6b6b6b6b6b6b"},
      {"berth.kernel.name", "main1"},
      {"berth.attempt", "2"},
      {"berth.agent", "a1"}};
  EXPECT_EQ(spans[3].attributes, about);
}

TEST_F(KernelSpansTest, KernelsWithoutImagesHaveNoParts) {
  KernelSpans processes{"a1", false, [this](Span span) { spans.push_back(std::move(span)); }};
  OrderArrived arrived;
  *arrived.order.add_start() = start();
  processes.on_input(arrived, table, 10);
  StartCommand command;
  command.spec.key = key();
  processes.on_command(command, 11);
  KernelEvent event;
  event.key = key();
  processes.on_input(event, table, 12);
  event.what = KernelEvent::What::kRunning;
  processes.on_input(event, table, 13);
  EXPECT_EQ(told(), Told{"start kernel 10-13"});
}

TEST_F(KernelSpansTest, AnEndIsFromItsStopOrElseFromItsProgramsOwnEnd) {
  for (const bool stopped : {true, false}) {
    spans.clear();
    order(start(), 10);
    event(KernelEvent::What::kRunning, 20);
    if (stopped) it.on_command(StopCommand{key(), kSecond}, 30);
    ended(stopped ? KernelEnd::kStopped : KernelEnd::kExited, stopped ? 143 : 0, 15, 40, 45);
    ended(KernelEnd::kExited, 0, 15, 40, 60);  // a repeat
    EXPECT_EQ(told(), (Told{"start kernel 10-20", stopped ? "end kernel 30-45" : "end kernel 40-45"}));
    table.erase(key());
  }
}

TEST_F(KernelSpansTest, AKernelThatRanTooShortlyToBeSeenHasBoth) {
  order(start(), 10);
  ended(KernelEnd::kExited, 3, 15, 16, 20);
  EXPECT_EQ(told(), (Told{"start kernel 10-15", "end kernel 16-20 !exited"}));
}

TEST_F(KernelSpansTest, AStartThatFailsSaysWhy) {
  order(start(), 10);
  image(make_error("image-pull-failed", "no route"), 20);
  v1::Report report;
  auto& fact = *report.add_facts();
  fact.set_kernel_id(std::string(16, 'k'));
  fact.set_attempt(2);
  fact.set_state(v1::TERMINATED);
  fact.set_ended_ns(21);
  fact.set_code(record_code("image-pull-failed"));
  it.on_report(report);
  it.on_report(report);  // ends are told until they are forgotten
  EXPECT_EQ(told(), (Told{"image 10-20 !image-pull-failed", "start kernel 10-21 !image-pull-failed"}));
  spans.clear();
  table.erase(key());
  order(start(), 30);
  given(31);
  KernelEvent failed;
  failed.what = KernelEvent::What::kEnded;
  failed.key = key();
  failed.end = KernelEnd::kStartFailed;
  failed.error = make_error("rootfs-not-mounted", "no");
  it.on_input(failed, table, 40);
  EXPECT_EQ(told(), Told{"start kernel 30-40 !rootfs-not-mounted"});
}

TEST_F(KernelSpansTest, WhoeverAskedForNoSpansOrNamedNoTraceGetsNone) {
  for (const char* trace : {"", "00-nonsense", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"}) {
    order(start(trace), 10);
    event(KernelEvent::What::kRunning, 20);
    ended(KernelEnd::kExited, 0, 15, 30, 31);
    table.erase(key());
  }
  EXPECT_EQ(told(), Told{});
}

TEST_F(KernelSpansTest, AnOrderIsTakenOnceAndOneThatIsNotObeyedIsForgotten) {
  order(start(), 10);
  order(start(), 11);
  event(KernelEvent::What::kRunning, 20);
  order(start(), 21);
  event(KernelEvent::What::kRunning, 22);
  EXPECT_EQ(told(), Told{"start kernel 10-20"});
  spans.clear();
  OrderArrived arrived;  // the agent is not in the cluster, say
  *arrived.order.add_start() = start(kTraceparent, 'z');
  it.on_input(arrived, table, 30);
  it.on_input(Tick{}, table, 31);
  KernelEvent event;
  event.what = KernelEvent::What::kRunning;
  event.key = key('z');
  it.on_input(event, table, 32);
  EXPECT_EQ(told(), Told{});
}

TEST_F(KernelSpansTest, ASnapshotStartsWhatIsMissingAndNamesTheTraceOfWhatRuns) {
  snapshot(false, 10);
  table.add(key(), KernelPhase::kGiven);
  event(KernelEvent::What::kRunning, 20);
  EXPECT_EQ(told(), Told{"start kernel 10-20"});

  spans.clear();
  KernelSpans next{"a1", true,
                   [this](Span span) { spans.push_back(std::move(span)); }};  // an agent's next life
  OrderArrived arrived;
  auto& desired = *arrived.order.mutable_snapshot()->add_kernels();
  *desired.mutable_start() = start();
  desired.set_started(true);
  next.on_input(arrived, table, 30);
  KernelEvent over;
  over.what = KernelEvent::What::kEnded;
  over.key = key();
  over.started_at = 20;
  over.ended_at = 40;
  next.on_input(over, table, 41);
  EXPECT_EQ(told(), Told{"end kernel 40-41"});
  table.erase(key());
  it.on_input(Tick{}, table, 50);
}

}  // namespace
}  // namespace berth::agents
