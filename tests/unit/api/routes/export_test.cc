// GET /v1/events/export: the whole window, each event once, and a last line that says so; by rights as the
// list of events; nothing in it that a spreadsheet would run.
#include <gtest/gtest.h>

#include "controller/api/live/event_export.h"
#include "controller/api/map/csv/csv_text.h"
#include "controller/api/map/time_text.h"
#include "tests/support/limits.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

namespace json = boost::json;

// All that an export gives; `batches`: how many pieces it came in.
std::string all_of(const std::shared_ptr<api::FrameStream>& stream, int* batches = nullptr) {
  std::string out;
  for (bool end = false; !end;) {
    auto promise = std::make_shared<std::promise<api::FrameStream::Batch>>();
    stream->next([promise](api::FrameStream::Batch batch) { promise->set_value(std::move(batch)); });
    auto future = promise->get_future();
    if (future.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return out + "TIMEOUT";
    const auto batch = future.get();
    for (const auto& frame : batch.frames) out += *frame;
    end = batch.end;
    if (batches != nullptr) ++*batches;
  }
  return out;
}

class Export : public ::testing::Test {
 protected:
  std::string text(const std::string& query, const std::string& key = "admin-key") {
    const auto reply = rig.ask({.target = "/v1/events/export" + query, .key = key});
    EXPECT_EQ(reply.status, 200u) << query << reply.body;
    return reply.stream == nullptr ? "" : all_of(reply.stream);
  }
  std::string code(const std::string& query) {
    return ApiRig::code_of(rig.ask({.target = "/v1/events/export" + query}));
  }
  std::vector<json::object> lines(const std::string& query, const std::string& key = "admin-key") {
    std::vector<json::object> out;
    const std::string all = text(query, key);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('\n', at);
      out.push_back(json::parse(all.substr(at, end - at)).as_object());
      at = end + 1;
    }
    return out;
  }
  // "17-0 18-0", without the last line, which must be there.
  std::string ids(const std::string& query, const std::string& key = "admin-key") {
    std::string out;
    const auto all = lines(query, key);
    if (all.empty() || !all.back().contains("end")) return "no end";
    EXPECT_EQ(all.back().at("end").at("events").to_number<std::size_t>(), all.size() - 1);
    for (std::size_t i = 0; i + 1 < all.size(); ++i)
      out += (i == 0 ? "" : " ") + std::string(all[i].at("id").as_string());
    return out;
  }
  std::string id(Offset offset, int index = 0) {
    return std::to_string(offset) + "-" + std::to_string(index);
  }
  ApiRig rig;
};

TEST_F(Export, GivesEveryEventOnceAsTheListDoesAndSaysThatItIsWhole) {
  for (int i = 0; i < 600; ++i)
    rig.cell.append({session_requested("s" + std::to_string(i))});  // many readings
  std::string listed;
  std::string token;
  do {
    const auto page = ApiRig::json_of(
        rig.ask({.target = "/v1/events?limit=1000" + (token.empty() ? "" : "&page_token=" + token)}));
    for (const auto& event : page.at("events").as_array())
      listed += (listed.empty() ? "" : " ") + std::string(event.at("id").as_string());
    token = page.at("next_page_token").is_null() ? "" : std::string(page.at("next_page_token").as_string());
  } while (!token.empty());
  EXPECT_EQ(ids(""), listed);
  EXPECT_EQ(lines("").back().at("end").at("to").to_number<Offset>(), rig.cell.position());
  EXPECT_EQ(lines("").back().at("end").at("next"), nullptr);
}

TEST_F(Export, GivesOneReadingOfTheLogAtATimeAndNoneBeforeItIsTaken) {
  for (int i = 0; i < 2'000; ++i) rig.cell.append({session_requested("s" + std::to_string(i))});
  const auto reply = rig.ask({.target = "/v1/events/export"});
  ASSERT_NE(reply.stream, nullptr);
  EXPECT_EQ(rig.cell.pages_read, 0);
  auto first = std::make_shared<std::promise<api::FrameStream::Batch>>();
  reply.stream->next([first](api::FrameStream::Batch batch) { first->set_value(std::move(batch)); });
  EXPECT_FALSE(first->get_future().get().end);
  EXPECT_EQ(rig.cell.pages_read, 1);
  int batches = 0;
  all_of(reply.stream, &batches);
  EXPECT_GE(batches, 7);
}

TEST_F(Export, KeepsToAWindowOfPositionsOrTimes) {
  rig.cell.advance(kHour);
  rig.cell.append({session_requested("s1"), session_requested("s2")});
  const Offset first = rig.cell.position();
  rig.cell.advance(kHour);
  rig.cell.append({session_requested("s3")});
  Timestamp last_time = 0;
  rig.cell.with_state([&](const controller::StateView& view) { last_time = view.state.epoch().time; });
  rig.cell.test_clock.wall = last_time;
  const std::string both = id(first, 0) + " " + id(first, 1);
  EXPECT_EQ(ids("?from=" + std::to_string(first)), both + " " + id(first + 1));
  EXPECT_EQ(ids("?from=" + std::to_string(first) + "&to=" + std::to_string(first)), both);
  EXPECT_EQ(ids("?from=" + std::to_string(first) + "&to=9999999"), both + " " + id(first + 1)) << "until now";
  const std::string last = format_time(last_time), before = format_time(last_time - 1);
  EXPECT_EQ(ids("?from=" + last), id(first + 1)) << "a record of that very time is in";
  EXPECT_EQ(ids("?from=" + std::to_string(first) + "&to=" + before), both);
  EXPECT_EQ(ids("?from=" + std::to_string(first) + "&to=" + last), both + " " + id(first + 1));
  EXPECT_EQ(ids("?from=2200-01-01T00:00:00Z"), "");
  EXPECT_EQ(ids("?to=1990-01-01T00:00:00Z&from=1"), "");
}

TEST_F(Export, GoesOnBehindTheEventWhereItsLimitEndedIt) {
  rig.cell.append({session_requested("s1"), session_requested("s2")});
  rig.cell.append({session_requested("s3")});
  const Offset at = rig.cell.position() - 1;
  const std::string from = "?from=" + std::to_string(at);
  const auto part = lines(from + "&limit=1");
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[1].at("end").at("next").as_string(), id(at, 0));
  EXPECT_EQ(ids(from + "&after=" + id(at, 0)), id(at, 1) + " " + id(at + 1));
  EXPECT_EQ(lines(from + "&limit=3").back().at("end").at("next"), nullptr) << "nothing is behind them";
}

TEST_F(Export, SelectsByActorNounAndType) {
  const Offset next = rig.cell.position() + 1;
  auto asked = session_requested("s1", Spec(), "alice");
  asked.set_actor("user:alice");
  rig.cell.append({asked, preset_defined("small", "cpu", kUnit)});
  rig.cell.append({session_scheduled("s1", "a1")});
  rig.cell.append({kernel_running(kernel_name("s1"))});
  const std::string from = "?from=" + std::to_string(next);
  EXPECT_EQ(ids(from + "&actor=alice"), id(next));
  EXPECT_EQ(ids(from + "&actor=user:alice"), id(next));
  EXPECT_EQ(ids(from + "&noun=preset"), id(next, 1));
  EXPECT_EQ(ids(from + "&noun=session"), id(next) + " " + id(next + 1) + " " + id(next + 2))
      << "a session is its kernels, too";
  EXPECT_EQ(ids(from + "&noun=session&type=KernelRunning"), id(next + 2));
  EXPECT_EQ(ids(from + "&noun=session&actor=bob"), "");
}

TEST_F(Export, IsCsvWithAsManyFieldsInEachLineAndRunsInNoSpreadsheet) {
  const Offset next = rig.cell.position() + 1;
  auto asked = session_requested("s1");
  asked.set_actor("user:alice");
  asked.set_trace("=cmd|' /C calc'!A0");
  rig.cell.append({asked});
  const auto reply = rig.ask({.target = "/v1/events/export?format=csv&from=" + std::to_string(next)});
  EXPECT_EQ(reply.content_type, "text/csv; charset=utf-8");
  const std::string text = all_of(reply.stream);
  EXPECT_TRUE(text.starts_with("id,time,type,noun,actor,session,request_id,cause,trace,text,data\r\n" +
                               id(next) + ","))
      << text;
  EXPECT_NE(text.find(",SessionRequested,session,user:alice,"), std::string::npos) << text;
  EXPECT_NE(text.find(",'=cmd|' /C calc'!A0,"), std::string::npos) << text;
  EXPECT_NE(text.find("\r\n#end,,,,,,,,,,\"{\"\"events\"\":1,"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("}\"\r\n")) << text;
}

TEST(CsvField, QuotesByTheRfcAndDisarmsFormulas) {
  EXPECT_EQ(api::csv_field("plain"), "plain");
  EXPECT_EQ(api::csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(api::csv_field("say \"x\"\r\n"), "\"say \"\"x\"\"\r\n\"");
  for (const char* formula : {"=1+1", "+1", "-1", "@SUM(A1)"})
    EXPECT_EQ(api::csv_field(formula), "'" + std::string(formula));
  EXPECT_EQ(api::csv_field("\t=1"), "'\t=1");
  EXPECT_EQ(api::csv_field(""), "");
}

TEST_F(Export, AUserGetsTheEventsOfTheirOwnAndNobodyElses) {
  rig.cell.append({session_requested("mine", Spec(), "alice"), session_requested("theirs", Spec(), "bob")});
  rig.cell.append({session_scheduled("theirs", "a1")});
  rig.cell.append({session_scheduled("mine", "a1")});
  rig.cell.append({kernel_running(kernel_name("theirs"))});
  rig.cell.append({kernel_running(kernel_name("mine"))});
  rig.cell.append({Limit("user", "bob").sessions(3), Limit("user", "alice").sessions(3)});
  const std::string all = text("", "alice-key");
  EXPECT_NE(all.find(to_string(session_id("mine"))), std::string::npos);
  for (const std::string& foreign :
       {to_string(session_id("theirs")), std::string("theirs"), std::string("bob")})
    EXPECT_EQ(all.find(foreign), std::string::npos) << all;
  // Page by page it is the same, whatever the page holds.
  std::string paged, whole;
  for (const auto& line : lines("", "alice-key"))
    if (line.contains("id")) whole += std::string(line.at("id").as_string()) + " ";
  for (std::string after; after != "none";) {
    const auto part = lines("?limit=1" + (after.empty() ? "" : "&after=" + after), "alice-key");
    for (const auto& line : part)
      if (line.contains("id")) paged += std::string(line.at("id").as_string()) + " ";
    const auto& next = part.back().at("end").at("next");
    after = next.is_null() ? "none" : std::string(next.as_string());
  }
  EXPECT_EQ(paged, whole);
}

TEST_F(Export, EndsWithoutItsLastLineWhenWhoAsksIsSignedOut) {
  for (int i = 0; i < 600; ++i)
    rig.cell.append({session_requested("s" + std::to_string(i), Spec(), "alice")});
  const auto reply = rig.ask({.target = "/v1/events/export", .key = "alice-key"});
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  rig.cell.append({disabled});
  const std::string text = all_of(reply.stream);
  EXPECT_NE(text.find(R"({"error":{"code":"signed-out")"), std::string::npos) << text;
  EXPECT_EQ(text.find("\"end\""), std::string::npos);
}

TEST_F(Export, RunsSoOftenAtOnceAndNotMoreOften) {
  std::vector<api::HttpReply> open;
  for (std::size_t i = 0; i < api::EventHub::kExportsOfPersonMax; ++i)
    open.push_back(rig.ask({.target = "/v1/events/export"}));
  EXPECT_EQ(open.back().status, 200u);
  EXPECT_EQ(code(""), "too-many-requests");
  EXPECT_EQ(rig.ask({.target = "/v1/events/export", .key = "alice-key"}).status, 200u) << "another's turn";
  open.pop_back();
  EXPECT_EQ(code(""), "");
}

TEST_F(Export, RefusesWhatIsNoWindow) {
  EXPECT_EQ(code("?from=9&to=3"), "swapped-ends");
  EXPECT_EQ(code("?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"), "swapped-ends");
  EXPECT_EQ(code("?from=2026-01-02T00:00:00"), "invalid-moment") << "no zone";
  EXPECT_EQ(code("?noun=planet"), "invalid-parameter");
  EXPECT_EQ(code("?type=a-b"), "invalid-parameter");
  EXPECT_EQ(code("?type=SessionScheduld"), "invalid-parameter") << "a whole file of nothing is no answer";
  EXPECT_EQ(code("?format=xml"), "invalid-parameter");
  EXPECT_EQ(code("?limit=0"), "invalid-parameter");
  EXPECT_EQ(code("?after=x"), "invalid-parameter");
  EXPECT_EQ(code("?at=3"), "no-past");
}

}  // namespace
}  // namespace berth::testing
