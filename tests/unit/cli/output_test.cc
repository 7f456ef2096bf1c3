// Tables, CSV, YAML, JSON, bars and times (ops/cli/output).
#include <gtest/gtest.h>

#include "ops/cli/output/bars.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/output/times.h"
#include "ops/cli/output/views.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

Listing names_and_states() {
  Listing listing;
  listing.columns = {column("NAME", "name"), column("STATUS", "status"), column("ID", "id", true)};
  return listing;
}

const json::array kTwo{json::object{{"name", "a"}, {"status", "RUNNING"}, {"id", "1"}},
                       json::object{{"name", "longer"}, {"status", "PENDING"}, {"id", "2"}}};

Style style(Format format, bool color = false) {
  Style s;
  s.format = format;
  s.color = color;
  return s;
}

TEST(Table, AlignsColumnsAndEndsNoLineWithBlanks) {
  EXPECT_EQ(print_list(kTwo, names_and_states(), style(Format::kTable)),
            "NAME    STATUS\na       RUNNING\nlonger  PENDING\n");
}

TEST(Table, ShowsWideColumnsOnlyWhenAsked) {
  EXPECT_EQ(print_list(kTwo, names_and_states(), style(Format::kWide)),
            "NAME    STATUS   ID\na       RUNNING  1\nlonger  PENDING  2\n");
}

TEST(Table, ColoursStatesWithoutMovingWhatFollows) {
  const std::string text = print_list(kTwo, names_and_states(), style(Format::kWide, true));
  EXPECT_NE(text.find("\x1b[32mRUNNING\x1b[0m  1"), std::string::npos) << text;
}

TEST(Table, LetsNoNameWriteToTheTerminal) {
  const json::array evil{json::object{{"name", "a\x1b[2Jb\n\xe2\x80\xae"}, {"status", "x"}}};
  EXPECT_EQ(print_list(evil, names_and_states(), style(Format::kTable)), "NAME      STATUS\na?[2Jb??  x\n");
}

TEST(Table, CountsWideCharactersAsTwoColumns) {
  EXPECT_EQ(display_width("\xEC\x84\xB8\xEC\x85\x98"), 4);  // two Hangul syllables
  EXPECT_EQ(display_width("abc"), 3);
}

TEST(Table, PutsNumbersToTheRight) {
  EXPECT_EQ(render_table({"A", "AGE"}, {{"x", "5s"}, {"y", "10m00s"}}, {false, true}, {}),
            "A     AGE\nx      5s\ny  10m00s\n");
}

TEST(Csv, QuotesWhatNeedsItAndDefusesFormulas) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("-5"), "-5");
}

TEST(Csv, HasAHeaderOfLowerCaseNamesAndEveryColumn) {
  EXPECT_EQ(print_list(kTwo, names_and_states(), style(Format::kCsv)),
            "name,status,id\na,RUNNING,1\nlonger,PENDING,2\n");
}

TEST(Formats, PrintNamesAndLines) {
  EXPECT_EQ(print_list(kTwo, names_and_states(), style(Format::kName)), "a\nlonger\n");
  EXPECT_EQ(print_list(json::array{json::object{{"a", 1}}}, names_and_states(), style(Format::kJsonl)),
            "{\"a\":1}\n");
}

TEST(Formats, PrintJsonThatParsesBackToTheSame) {
  const json::value value =
      json::object{{"a", json::array{1, "x\n", nullptr, json::object{}}}, {"b", json::object{{"c", true}}}};
  EXPECT_EQ(json::parse(pretty_json(value)), value);
  EXPECT_EQ(pretty_json(json::object{{"a", json::array{1}}}), "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST(Formats, PrintYamlThatKeepsTypesApart) {
  const json::value value = json::object{{"name", "demo-1"},
                                         {"text", "yes"},
                                         {"amount", "1"},
                                         {"none", nullptr},
                                         {"list", json::array{json::object{{"a", 1}, {"b", 2}}, "x"}},
                                         {"empty", json::array()}};
  EXPECT_EQ(to_yaml(value),
            "name: demo-1\ntext: \"yes\"\namount: \"1\"\nnone: null\nlist:\n  - a: 1\n    b: 2\n  - "
            "x\nempty: []\n");
}

TEST(Formats, AreRefusedWhenUnknown) { EXPECT_EQ(parse_format("xml").failure().exit, kUsage); }

// tests/BEHAVIOURS.md, indicator: two sessions of 1 on 2 fGPU, one ended, the third started.
TEST(Bars, FollowTheStory) {
  const BarStyle style{8, false};
  EXPECT_EQ(draw_bar({0, 0, 2'000'000}, style), "[........]");
  EXPECT_EQ(draw_bar({2'000'000, 0, 2'000'000}, style), "[########]");
  EXPECT_EQ(draw_bar({1'000'000, 0, 2'000'000}, style), "[####....]");
  EXPECT_EQ(bar_figures({1'000'000, 0, 2'000'000}, SlotKind::kCount), "1 / 2");
}

TEST(Bars, TellReservedFromRunning) {
  EXPECT_EQ(draw_bar({1'000'000, 1'000'000, 4'000'000}, {8, false}), "[##++....]");
  EXPECT_EQ(bar_figures({1'000'000, 1'000'000, 4'000'000}, SlotKind::kCount), "2 / 4  (1 reserved)");
}

TEST(Bars, AreFullOnlyWhenFullAndEmptyOnlyWhenEmpty) {
  EXPECT_EQ(draw_bar({1, 0, 1'000'000'000}, {8, false}), "[#.......]");
  EXPECT_EQ(draw_bar({999'999'999, 0, 1'000'000'000}, {8, false}), "[#######.]");
  EXPECT_EQ(draw_bar({0, 0, 0}, {8, false}), "[........]");
}

TEST(Bars, ShowBothOfASlotWithTheGroupOnTop) {
  SlotBars bars{"cuda.shares", SlotKind::kCount, {1'000'000, 0, 2'000'000}, {2'000'000, 0, 3'000'000}};
  EXPECT_EQ(draw_indicator("default", {bars}, {6, false}),
            "cuda.shares  default  [###...]  1 / 2\n"
            "             all      [####..]  2 / 3\n");
}

TEST(Bars, ComeFromTheServersAnswer) {
  const auto resource = json::parse(
      R"({"group": "default", "slots": [{"slot": "mem", "kind": "bytes", "upper": {"used": "268435456", "total": "1073741824"},
    "lower": {"used": "268435456", "total": "1073741824"}, "reserved": "268435456", "running": "0", "remaining": "0", "capacity": "0"}]})");
  EXPECT_EQ(
      resource_text(resource, {4, false}),
      "mem  default  [+...]  256m / 1g  (256m reserved)\n     all      [+...]  256m / 1g  (256m reserved)\n");
}

TEST(Bars, ShortenBytesToATenth) {
  EXPECT_EQ(short_amount(SlotKind::kBytes, 1000), "1000");
  EXPECT_EQ(short_amount(SlotKind::kBytes, 3'758'096'384), "3.5g");
  EXPECT_EQ(short_amount(SlotKind::kBytes, -1024), "-1k");
  EXPECT_EQ(short_amount(SlotKind::kCount, 500'000), "0.5");
}

TEST(Times, GoBothWays) {
  for (const char* text : {"2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2024-02-29T23:59:59.000000001Z",
                           "2026-07-01T12:00:00.5Z", "1969-12-31T23:59:59.5Z"})
    EXPECT_EQ(format_rfc3339(parse_rfc3339(text).value_or(-1)), text);
  EXPECT_EQ(parse_rfc3339("2026-01-01T01:00:00+01:00"), kNow);
  for (const char* bad : {"", "2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z",
                          "2026-01-01T00:00:00", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00.Z"})
    EXPECT_FALSE(parse_rfc3339(bad)) << bad;
}

TEST(Times, ReadAndWriteDurations) {
  EXPECT_EQ(parse_duration("1.5s"), 1500 * kMillisecond);
  EXPECT_EQ(parse_duration("90"), 90 * kSecond);
  EXPECT_EQ(parse_duration("2h"), 2 * kHour);
  for (const char* bad : {"", "s", "5x", "-1s", "1..5s", "1.s", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  EXPECT_EQ(format_duration(850 * kMillisecond), "850ms");
  EXPECT_EQ(format_duration(200 * kSecond), "3m20s");
  EXPECT_EQ(format_duration(26 * kHour), "1d02h");
  EXPECT_EQ(format_clock(kNow + 1'234 * kMillisecond), "00:00:01.234");
}

TEST(Views, ShowWhereASessionRunsOrWhyItWaits) {
  const json::array sessions{session("demo-1", "RUNNING"), session("demo-3", "PENDING")};
  EXPECT_EQ(print_list(sessions, session_listing(kNow), style(Format::kTable)),
            "NAME    STATUS   IMAGE        RESOURCES                         WHERE                      AGE  "
            "  RAN\n"
            "demo-1  RUNNING  python:3.11  cpu 0.5, mem 256m, cuda.shares 1  a1                       2m00s  "
            "1m00s\n"
            "demo-3  PENDING  python:3.11  cpu 0.5, mem 256m, cuda.shares 1  (no-device cuda.shares)  2m00s  "
            "    -\n");
}

TEST(Views, ShowAnEventOnOneLine) {
  const auto event = json::parse(
      R"({"id": "17-0", "time": "2026-01-01T00:00:01.5Z", "type": "SessionScheduled", "text": "demo-1 attempt 1: main1 on a1"})");
  EXPECT_EQ(event_line(event), "17-0     00:00:01.500  SessionScheduled demo-1 attempt 1: main1 on a1");
}

TEST(Views, TellWhenASessionIsExpectedToStart) {
  const auto item = json::parse(
      R"({"estimated_start": {"p50": {"at": "1970-01-01T00:10:00Z", "told": 4, "met_permille": 500},
                                                        "p90": {"at": "1970-01-01T01:00:00Z", "told": 3, "met_permille": 875}}})");
  EXPECT_EQ(start_text(item, 0),
            "in 10m00s (1970-01-01T00:10:00Z); 9 of 10 times in 1h00m (1970-01-01T01:00:00Z); that was so "
            "for 87% of 3");
  EXPECT_EQ(start_text(json::parse(R"({"estimated_start": null})"), 0), "");
  EXPECT_EQ(
      start_text(
          json::parse(
              R"({"estimated_start": {"p50": {"at": null}, "p90": {"at": "1970-01-01T00:00:10Z", "told": 0}}})"),
          0),
      "9 of 10 times in 10s (1970-01-01T00:00:10Z)");
  const auto none = json::parse(
      R"({"estimated_start": {"p50": {"at": null, "none": "bound"}, "p90": {"at": null, "none": "bound"}}})");
  EXPECT_EQ(start_text(none, 0), "not known: the cell is too large to look so far ahead");
}

TEST(Views, ExplainAWaitingSessionWithItsHolders) {
  const auto why = json::parse(
      R"({"name": "demo-3", "status": "PENDING", "code": "no-device", "slot": "cuda.shares", "text": "", "hint": "end one of them",
    "lacking": [{"slot": "cuda.shares", "asked": "1", "best_free": "0", "where": "a1/gpu0"}],
    "holders": [{"name": "demo-1", "user": "admin", "agent": "a1", "device": "gpu0", "slot": "cuda.shares", "amount": "1"}],
    "holders_total": 8, "blocked_by": null, "queue_position": 1})");
  EXPECT_EQ(why_text(why, 0, false),
            "demo-3 is PENDING: no-device cuda.shares\n"
            "  cuda.shares: asked 1, the best single place has 0 free (a1/gpu0)\n"
            "  held by demo-1 of admin: cuda.shares 1 on a1/gpu0\n"
            "  and 7 more\n"
            "  place in the queue: 1\n"
            "  what would lift it: end one of them\n");
}

TEST(Views, OfWhatCanNeverStartTheReasonIsTold) {
  const auto why = json::parse(
      R"({"name": "big", "status": "PENDING", "code": "never", "slot": "cpu", "text": "no agent can ever hold 64 cpu",
    "hint": "ask for less", "lacking": [{"slot": "cpu", "asked": "64", "best_free": "2", "where": "a1"}],
    "holders": [], "holders_total": 0, "blocked_by": null, "queue_position": 1})");
  EXPECT_NE(why_text(why, 0, false).find("  no agent can ever hold 64 cpu\n"), std::string::npos)
      << why_text(why, 0, false);
}

TEST(Views, NameTheSessionThatBlocksTheQueueOnce) {
  const json::value why = json::parse(R"({"name": "small", "status": "PENDING", "code": "behind-head",
    "text": "session big stands before it and blocks the queue", "blocked_by": "id", "blocked_by_name": "big",
    "queue_position": 2})");
  EXPECT_EQ(why_text(why, 0, false),
            "small is PENDING: behind-head\n"
            "  session big stands before it and blocks the queue\n"
            "  place in the queue: 2\n");
}

}  // namespace
}  // namespace berth::cli
