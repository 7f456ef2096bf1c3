// What a node tells of sessions: lines for people, and spans.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "controller/runtime/sessions/session_lines.h"
#include "controller/runtime/sessions/session_spans.h"
#include "events/base/hash.h"
#include "tests/support/given.h"
#include "tests/support/record_codes.h"

namespace berth::testing {
namespace {

using controller::SessionLine;
using controller::SessionLines;
using controller::SessionSpans;
using namespace std::chrono_literals;

const std::string kTrace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const std::string kKernel = kernel_name("s1");

v1::Event asked(const std::string& name, const std::string& trace = kTrace) {
  v1::Event event = session_requested(name);
  event.set_request_id(wire("r-" + name));
  event.set_trace(trace);
  return event;
}

// A cell that tells a watch of its rows; each record is a millisecond after the last.
struct Told {
  explicit Told(controller::SessionWatch& watch) : tee{&watch, cell.state()} {
    cell.projection().set_listener(&tee);
  }
  ~Told() { cell.projection().set_listener(nullptr); }
  struct Tee {
    controller::SessionWatch* watch;
    const projections::State& state;
    template <class Row> void on_row(const Row* before, const Row* after) {
      if constexpr (std::is_same_v<Row, projections::SessionRow>) watch->on_session(state, before, after);
    }
  };
  void run_to_end() {
    cell.and_given({asked("s1")});
    cell.after(20 * kSecond);
    cell.and_given({session_scheduled("s1", "a1")});
    cell.after(800 * kMillisecond);
    cell.and_given({kernel_running(kKernel)});
    cell.after(5 * kSecond);
    cell.and_given({kernel_terminated(kKernel)});
  }
  Given cell = given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 64, 64 * kGiga)});
  Tee tee;
};

struct Lines {
  explicit Lines(Timestamp since = 0, SessionLines::Limits limits = {})
      : it(
            since, [this] { return leads; }, [this](const SessionLine& line) { lines.push_back(line); },
            limits) {}
  // Until now.
  std::vector<std::string> texts() {
    it.stop();
    std::vector<std::string> out;
    for (const auto& line : lines) out.push_back(line.text);
    return out;
  }
  bool leads = true;
  std::vector<SessionLine> lines;  // of the thread until it has stopped
  SessionLines it;
};

v1::Record refusing(int count) {
  v1::Record record;
  record.mutable_header()->set_time_ns(kSecond);
  for (int i = 0; i < count; ++i) {
    auto* event = record.add_events();
    event->set_actor("user:bob");
    event->set_request_id(wire("r" + std::to_string(i)));
    event->mutable_request_refused()->set_code(record_code("limit-exceeded"));
    event->mutable_request_refused()->set_message("no more than 2");
  }
  return record;
}

TEST(SessionLines, TellAStartAndAnEndWithWhereAndHowLong) {
  Lines lines;
  Told told(lines.it);
  lines.it.start();
  told.run_to_end();
  const std::string id = to_string(session_id("s1"));
  const std::string who = "s1 (" + id.substr(0, 8) + ") of alice: ";
  const auto texts = lines.texts();
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0], who + "started on a1 after 20.8 s");
  EXPECT_TRUE(texts[1].starts_with(who)) << texts[1];
  EXPECT_EQ(lines.lines[0].session, id);
  EXPECT_EQ(lines.lines[0].trace, "0af7651916cd43dd8448eb211c80319c");
}

TEST(SessionLines, TellARefusal) {
  Lines lines;
  lines.it.start();
  lines.it.on_record(refusing(1));
  EXPECT_EQ(lines.texts(), std::vector<std::string>{"user:bob was refused: limit-exceeded: no more than 2"});
  EXPECT_EQ(lines.lines[0].session, "");
}

TEST(SessionLines, ALoadIsSummedUp) {
  SessionLines::Limits limits;
  limits.per_second = 3;
  limits.second = 1h;
  Lines lines(0, limits);
  lines.it.start();
  lines.it.on_record(refusing(100));
  const auto texts = lines.texts();
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[3], "... and 97 more starts, ends and refusals of sessions");
}

TEST(SessionLines, NeitherThePastNorWhatAnotherNodeTellsIsTold) {
  Lines late(kHour * 1'000'000), follower;
  follower.leads = false;
  late.it.start();
  follower.it.start();
  late.it.on_record(refusing(1));
  follower.it.on_record(refusing(1));
  EXPECT_TRUE(late.texts().empty());
  EXPECT_TRUE(follower.texts().empty());
}

std::vector<Span> spans_of(const std::function<void(Told&)>& run) {
  std::vector<Span> spans;
  SessionSpans watch(
      0, [] { return true; }, [&](Span span) { spans.push_back(std::move(span)); });
  Told told(watch);
  run(told);
  return spans;
}

const Span& named(const std::vector<Span>& spans, std::string_view name) {
  const auto found = std::find_if(spans.begin(), spans.end(), [&](const Span& s) { return s.name == name; });
  EXPECT_NE(found, spans.end()) << name;
  return *found;
}

TEST(SessionSpans, ASessionsPartsAreBelowItAndItIsBelowWhoAsked) {
  const auto spans = spans_of([](Told& told) { told.run_to_end(); });
  ASSERT_EQ(spans.size(), 4u);
  const Span& session = named(spans, "session");
  EXPECT_EQ(to_hex(as_view(session.trace)), "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(to_hex(as_view(session.parent)), "b7ad6b7169203331");
  EXPECT_EQ(session.end - session.begin, 25'803 * kMillisecond);
  for (const char* part : {"pending", "start", "run"}) {
    EXPECT_EQ(named(spans, part).trace, session.trace);
    EXPECT_EQ(named(spans, part).parent, session.id);
  }
  EXPECT_EQ(named(spans, "pending").end - named(spans, "pending").begin, 20'001 * kMillisecond);
  EXPECT_EQ(named(spans, "start").end - named(spans, "start").begin, 801 * kMillisecond);
  EXPECT_EQ(named(spans, "run").end - named(spans, "run").begin, 5'001 * kMillisecond);
}

TEST(SessionSpans, OneThatIsCancelledHasWaitedAndEnded) {
  const auto spans = spans_of([](Told& told) {
    told.cell.and_given({asked("s1", ""), session_cancelled("s1")});
  });
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(named(spans, "pending").parent, named(spans, "session").id);
  EXPECT_EQ(named(spans, "session").parent, SpanId{}) << "a trace of its own has no span above";
}

TEST(SessionSpans, WhoDoesNotRecordGetsNone) {
  const std::string unsampled = kTrace.substr(0, kTrace.size() - 1) + "0";
  EXPECT_TRUE(spans_of([&](Told& told) {
                told.cell.and_given({asked("s1", unsampled), session_cancelled("s1")});
              }).empty());
}

}  // namespace
}  // namespace berth::testing
