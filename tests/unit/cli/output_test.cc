// Tables, CSV, YAML, JSON, bars and times (ops/cli/output).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ops/cli/local_zone.h"
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

// A terminal of 60 columns.
Style sixty() {
  Style s;
  s.columns_max = 60;
  return s;
}

int widest_line(const std::string& text) {
  int widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(Narrow, LeavesOutTheLeastImportantColumnsAndNamesThem) {
  const json::array sessions{session("demo-1", "RUNNING"), session("demo-3", "PENDING")};
  EXPECT_EQ(print_list(sessions, session_listing(kNow), sixty()),
            "NAME    STATUS   WHERE                      AGE    RAN\n"
            "demo-1  RUNNING  a1                       2m00s  1m00s\n"
            "demo-3  PENDING  (no-device cuda.shares)  2m00s      -\n"
            "not shown for want of width: IMAGE, RESOURCES\n"
            "(-o wide has all)\n");
}

TEST(Narrow, ShortensTheResultBeforeAColumnIsLeftOut) {
  auto failed = session("job", "ERROR");
  failed["message"] = std::string(200, 'x');
  Style style;
  style.columns_max = 120;
  const std::string text = print_list({failed}, session_listing(kNow, true), style);
  EXPECT_LE(widest_line(text), 120) << text;
  for (const char* title : {"IMAGE", "RESOURCES", "AGE", "RAN", "RESULT"})
    EXPECT_NE(text.substr(0, text.find('\n')).find(title), std::string::npos) << text;
}

TEST(Narrow, BreaksHelpAtBlanksBelowWhereTheTextBegins) {
  EXPECT_EQ(wrapped("  --name   one two three\nshort\n", 18), "  --name   one two\n    three\nshort\n");
  EXPECT_EQ(wrapped("  -n   one two three\n", 16), "  -n   one two\n       three\n");
  EXPECT_EQ(wrapped("aaaaaaaaaaaa bb\n", 5), "aaaaaaaaaaaa bb\n");
  EXPECT_EQ(wrapped("one two three\n", 0), "one two three\n");
}

TEST(Narrow, CutsTextsThatAreStillTooWide) {
  auto failed = session("a-name-that-is-rather-long-for-a-session", "ERROR");
  failed["message"] = std::string(200, 'x');
  const std::string text = print_list({failed}, session_listing(kNow, true), sixty());
  EXPECT_LE(widest_line(text), 60) << text;
  EXPECT_NE(text.find("ERROR"), std::string::npos) << text;
  EXPECT_NE(text.find("did not"), std::string::npos) << text;
  EXPECT_NE(text.find(".."), std::string::npos) << text;
}

TEST(Images, ListSaysHowFarABuildIsAndWhyItFailed) {
  const auto text_of = [](const char* image) {
    Style style;
    style.format = Format::kTable;
    return print_list({json::parse(image)}, image_listing(), style);
  };
  EXPECT_NE(
      text_of(
          R"({"reference": "j:1", "building": {"percent": 43, "step": "packages"}, "build_failed": null})")
          .find("43 % packages"),
      std::string::npos);
  EXPECT_NE(
      text_of(R"({"reference": "j:1", "building": null, "build_failed": "no room"})").find("failed: no room"),
      std::string::npos);
}

TEST(Sessions, OneThatWaitsForAnImageSaysHowFarTheImageIs) {
  auto waiting = session("early", "PENDING");
  waiting["reason"] = json::parse(R"({"code": "image-building", "slot": null, "percent": 43})");
  EXPECT_EQ(reason_text(waiting), "image-building 43 %");
  Style style;
  style.format = Format::kTable;
  EXPECT_NE(print_list({waiting}, session_listing(kNow), style).find("(image-building 43 %)"),
            std::string::npos);
}

TEST(Sessions, OneOfAnAgentThatIsGoneSaysWhichSinceWhenAndWhatComesNext) {
  auto running = session("job", "RUNNING");
  running["agents"] = json::parse(R"(["a1"])");
  running["agent_gone"] = json::parse(R"({"agent": "a1", "state": "LOST", "since": "2026-01-01T00:00:00Z"})");
  Style style;
  style.format = Format::kTable;
  EXPECT_NE(print_list({running}, session_listing(kNow), style).find("(a1 is lost)"), std::string::npos);
  EXPECT_NE(session_text(running, kNow, style).find("Agent         a1 is lost since 2026-01-01 00:00:00"),
            std::string::npos)
      << session_text(running, kNow, style);
  EXPECT_NE(session_text(running, kNow, style).find("goes on when the agent is back"), std::string::npos);
  running["agent_gone"].as_object()["state"] = "LEFT";
  EXPECT_NE(print_list({running}, session_listing(kNow), style).find("(a1 is stopped)"), std::string::npos);
}

TEST(Narrow, EveryTableFitsIntoSixtyColumns) {
  const auto agent =
      json::parse(R"({"name": "agent-07", "state": "ALIVE", "group": "default", "containers": 12,
      "backend": "process", "joined_at": "2026-01-01T00:00:00Z",
      "slots": {"cpu": {"taken": "12", "capacity": "64"}, "cuda.shares": {"taken": "1.5", "capacity": "8"},
                "mem": {"taken": "17179869184", "capacity": "274877906944"}},
      "kernels": [{"name": "main1", "session_name": "training-run-17", "user": "alice", "state": "RUNNING",
                   "resources": {"cpu": "4", "mem": "17179869184"}, "id": "ff62fbe8-323e-8084-b968-e19344685344"}]})");
  for (const std::string& text :
       {print_list({agent}, agent_listing(kNow), sixty()), agent_text(agent, sixty()),
        session_text(session("demo-1", "RUNNING"), kNow, sixty()),
        print_list({json::object{{"a", std::string(100, 'a')}, {"b", std::string(100, 'b')}, {"c", "c"}}},
                   {{column("A", "a"), column("B", "b"), column("C", "c")}}, sixty())})
    EXPECT_LE(widest_line(text), 60) << text;
}

TEST(Narrow, NeverLeavesAnythingOutWhereTheWidthIsFreeOrAllIsAskedFor) {
  Style wide = sixty();
  wide.format = Format::kWide;
  const json::array sessions{session("demo-1", "RUNNING")};
  for (const Style& free : {wide, Style()}) {
    const std::string text = print_list(sessions, session_listing(kNow), free);
    EXPECT_NE(text.find("python:3.11"), std::string::npos) << text;
    EXPECT_EQ(text.find("not shown"), std::string::npos) << text;
  }
}

TEST(Narrow, CutsAtWholeCharacters) {
  EXPECT_EQ(clipped_to("\xEC\x84\xB8\xEC\x85\x98\xEC\x84\xB8", 5), "\xEC\x84\xB8..");
  EXPECT_EQ(clipped_to("abc", 3), "abc");
}

TEST(LocalTimes, StandInTablesWithTheirZoneAndNowhereElse) {
  Style seoul;
  seoul.format = Format::kWide;
  seoul.utc_offset = [](Timestamp) { return 9 * kHour; };
  const json::array sessions{session("demo-1", "RUNNING")};
  EXPECT_NE(print_list(sessions, session_listing(kNow), seoul).find("2026-01-01 08:58:00+09:00"),
            std::string::npos);
  for (const Format format : {Format::kJson, Format::kJsonl, Format::kYaml, Format::kCsv}) {
    seoul.format = format;
    EXPECT_NE(print_list(sessions, session_listing(kNow), seoul).find("2025-12-31T23:58:00Z"),
              std::string::npos);
  }
  seoul.format = Format::kTable;
  EXPECT_NE(
      session_text(sessions[0], kNow, seoul).find("Created       2026-01-01 08:58:00+09:00 (2m00s ago)"),
      std::string::npos);
}

TEST(LocalTimes, CanBeGivenBackAsTimes) {
  const auto behind = [](Timestamp) { return -(3 * kHour + 30 * kMinute); };
  const std::string text = local_time("2026-01-01T00:00:00.25Z", behind);
  EXPECT_EQ(text, "2025-12-31 20:30:00-03:30");
  EXPECT_EQ(parse_time(text), kNow);
  EXPECT_EQ(local_time("soon", behind), "soon");
  EXPECT_EQ(local_clock(kNow + 1'234 * kMillisecond, behind), "20:30:01.234-03:30");
}

TEST(LocalTimes, FollowTheZoneInTz) {
  const char* before = std::getenv("TZ");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TZ", "KST-9", 1);  // POSIX form: needs no table of zones
  EXPECT_EQ(local_utc_offset(kNow), 9 * kHour);
  ::setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
  EXPECT_EQ(local_utc_offset(kNow), -5 * kHour);
  EXPECT_EQ(local_utc_offset(kNow + 180 * kDay), -4 * kHour);
  before == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", kept.c_str(), 1);
}

TEST(Csv, HasPlainNumbersAndIsoTimesInAFieldEach) {
  const json::array sessions{session("demo-1", "RUNNING"), session("demo-3", "PENDING")};
  EXPECT_EQ(
      print_list(sessions, session_listing(kNow), style(Format::kCsv)),
      "name,status,result,type,image,resources.cpu,resources.cuda.shares,resources.mem,group,owner.user,"
      "priority,agents,reason.code,reason.slot,exit_code,queue_position,created_at,running_at,ended_at,id\n"
      "demo-1,RUNNING,,interactive,python:3.11,0.5,1,268435456,default,admin,,a1,,,,,"
      "2025-12-31T23:58:00Z,2025-12-31T23:59:00Z,,id-demo-1\n"
      "demo-3,PENDING,,interactive,python:3.11,0.5,1,268435456,default,admin,,,no-device,cuda.shares,"
      ",,2025-12-31T23:58:00Z,,,id-demo-3\n");
}

TEST(Csv, LeavesOutWhatOnlyAnotherRowHasAndKeepsTheFieldOfAnEmptyOne) {
  Listing listing;
  listing.fields = {"name", "slots"};
  const json::array items{json::object{{"name", "a"}, {"slots", {{"cpu", "1"}}}},
                          json::object{{"name", "b"}, {"slots", {{"mem", {{"taken", "2"}}}}}}};
  EXPECT_EQ(csv_text(items, listing.fields, true), "name,slots.cpu,slots.mem.taken\na,1,\nb,,2\n");
  EXPECT_EQ(csv_text({}, listing.fields, true), "name,slots\n");
  const json::array lists{json::object{{"name", {"x", 1}}, {"slots", {{{"n", 1}}}}}};
  EXPECT_EQ(csv_text(lists, listing.fields, true), "name,slots\nx 1,\"[{\"\"n\"\":1}]\"\n");
}

TEST(Csv, HasTheLeavesOfAnObjectInOneOrderWhicheverItemComesFirst) {
  const auto one = json::parse(R"({"resources": {"mem": "1", "cpu": "2"}})");
  const auto two = json::parse(R"({"resources": {"cuda.shares": "1", "cpu": "2"}})");
  for (const json::array& items : {json::array{one, two}, json::array{two, one}})
    EXPECT_EQ(csv_text(items, {"resources"}, true).substr(0, 52),
              "resources.cpu,resources.cuda.shares,resources.mem\n" +
                  csv_text(items, {"resources"}, false).substr(0, 2));
}

TEST(Csv, QuotesWhatNeedsItAndDefusesFormulas) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\"\n"), "\"say \"\"x\"\"\n\"");
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("-2+3"), "'-2+3");
  EXPECT_EQ(csv_field("-2.5"), "-2.5");
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
                           "2026-07-01T12:00:00.5Z"})
    EXPECT_EQ(format_time(parse_time(text).value_or(-1)), text);
  EXPECT_EQ(parse_time("2026-01-01T01:00:00+01:00"), kNow);
  for (const char* bad :
       {"", "2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00.Z", "1969-12-31T23:59:59.5Z"})
    EXPECT_FALSE(parse_time(bad)) << bad;
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

TEST(Views, TellThePauseAfterAFailedStartFromAStartTimeThatWasAskedFor) {
  auto waits = session("job", "PENDING");
  waits["reason"] = json::object{{"code", "start-time"}, {"slot", nullptr}};
  waits["attempts"] = 1;
  waits["start_time"] = nullptr;
  EXPECT_NE(print_list({waits}, session_listing(kNow), {}).find("(next try after a failed start)"),
            std::string::npos);
  waits["start_time"] = "2026-01-02T00:00:00Z";
  EXPECT_NE(print_list({waits}, session_listing(kNow), {}).find("(start-time)"), std::string::npos);
}

TEST(Views, CountTheKernelsOfOthersBesideOnesOwn) {
  const json::value agent = json::parse(R"({"name": "a1", "state": "ALIVE", "containers": 4,
    "kernels": [{"name": "main1"}, {"name": "main1"}]})");
  EXPECT_NE(print_list({agent}, agent_listing(kNow), {}).find("2 (others 2)"), std::string::npos);
  EXPECT_NE(agent_text(agent, {}).find("Of others     2 kernels\n"), std::string::npos);
}

TEST(Views, SayWhereKernelsCanWriteMoreThanTheirDisk) {
  json::value agent = json::parse(R"({"name": "a1", "state": "ALIVE", "containers": 0, "kernels": [],
    "disk_enforced": false, "slots": {"disk": {"capacity": "107374182400", "taken": "4294967296", "free": "103079215104"}}})");
  EXPECT_NE(agent_text(agent, {}).find("Taken/all     disk 4g/100g\nDisk          not enforced"),
            std::string::npos)
      << agent_text(agent, {});
  agent.as_object()["disk_enforced"] = true;
  EXPECT_EQ(agent_text(agent, {}).find("not enforced"), std::string::npos);
}

TEST(Views, ShowAnEventOnOneLine) {
  const auto event = json::parse(
      R"({"id": "17-0", "time": "2026-01-01T00:00:01.5Z", "type": "SessionScheduled", "text": "demo-1 attempt 1: main1 on a1"})");
  EXPECT_EQ(event_line(event, {}), "17-0     00:00:01.500Z  SessionScheduled demo-1 attempt 1: main1 on a1");
}

TEST(Views, TellWhenASessionIsExpectedToStart) {
  const auto item = json::parse(
      R"({"estimated_start": {"p50": {"at": "1970-01-01T00:10:00Z", "told": 4, "met_permille": 500},
                                                        "p90": {"at": "1970-01-01T01:00:00Z", "told": 3, "met_permille": 875}}})");
  EXPECT_EQ(start_text(item, 0, {}),
            "in 10m00s (1970-01-01 00:10:00Z); 9 of 10 times in 1h00m (1970-01-01 01:00:00Z); that was so "
            "for 87% of 3");
  EXPECT_EQ(start_text(json::parse(R"({"estimated_start": null})"), 0, {}), "");
  EXPECT_EQ(
      start_text(
          json::parse(
              R"({"estimated_start": {"p50": {"at": null}, "p90": {"at": "1970-01-01T00:00:10Z", "told": 0}}})"),
          0, {}),
      "9 of 10 times in 10s (1970-01-01 00:00:10Z)");
  const auto none = json::parse(
      R"({"estimated_start": {"p50": {"at": null, "none": "bound"}, "p90": {"at": null, "none": "bound"}}})");
  EXPECT_EQ(start_text(none, 0, {}), "not known: the cell is too large to look so far ahead");
}

TEST(Views, ExplainAWaitingSessionWithItsHolders) {
  const auto why = json::parse(
      R"({"name": "demo-3", "status": "PENDING", "code": "no-device", "slot": "cuda.shares", "text": "", "hint": "end one of them",
    "lacking": [{"slot": "cuda.shares", "asked": "1", "best_free": "0", "where": "a1/gpu0"}],
    "holders": [{"name": "demo-1", "user": "admin", "agent": "a1", "device": "gpu0", "slot": "cuda.shares", "amount": "1"}],
    "holders_total": 8, "blocked_by": null, "queue_position": 1})");
  EXPECT_EQ(why_text(why, 0, {}),
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
  EXPECT_NE(why_text(why, 0, {}).find("  no agent can ever hold 64 cpu\n"), std::string::npos)
      << why_text(why, 0, {});
}

// Behind another one the recorded code is that one's, and what lacks is no reason to say less.
TEST(Views, OfOneThatNeverFitsBehindTheHeadBothAreTold) {
  const auto why = json::parse(R"({"name": "huge", "status": "PENDING", "code": "behind-head",
    "text": "no agent can ever hold 64 cpu\nsession big stands before it and blocks the queue",
    "hint": "ask for less", "lacking": [{"slot": "cpu", "asked": "64", "best_free": "2", "where": "a1"}],
    "blocked_by": "id", "blocked_by_name": "big",
    "estimated_start": {"p50": {"at": null, "none": "never"}, "p90": {"at": null, "none": "never"}}})");
  EXPECT_EQ(why_text(why, 0, {}),
            "huge is PENDING: behind-head\n"
            "  no agent can ever hold 64 cpu\n"
            "  session big stands before it and blocks the queue\n"
            "  cpu: asked 64, the best single place has 2 free (a1)\n"
            "  estimated start: never, unless its resource group changes\n"
            "  what would lift it: ask for less\n");
}

TEST(Views, WhereNoSessionsEndsAreEnoughTheHintIsToldToo) {
  const auto why = json::parse(R"({"name": "all", "status": "PENDING", "code": "no-capacity", "text": "",
    "hint": "it starts by itself when enough of the holders end",
    "unblock": {"lines": ["the ends of any 3 sessions are not enough"], "ends": [], "leaves": []}})");
  EXPECT_EQ(why_text(why, 0, {}),
            "all is PENDING: no-capacity\n"
            "  the ends of any 3 sessions are not enough\n"
            "  what would lift it: it starts by itself when enough of the holders end\n");
}

TEST(Views, NameTheSessionThatBlocksTheQueueOnce) {
  const json::value why = json::parse(R"({"name": "small", "status": "PENDING", "code": "behind-head",
    "text": "session big stands before it and blocks the queue", "blocked_by": "id", "blocked_by_name": "big",
    "queue_position": 2})");
  EXPECT_EQ(why_text(why, 0, {}),
            "small is PENDING: behind-head\n"
            "  session big stands before it and blocks the queue\n"
            "  place in the queue: 2\n");
}

}  // namespace
}  // namespace berth::cli
