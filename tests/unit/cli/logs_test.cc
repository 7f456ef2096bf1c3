// berth session logs: lines from the end, and a log that is empty.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

std::int64_t number_in(const std::string& target, const std::string& parameter) {
  return std::stoll(target.substr(target.find(parameter + "=") + parameter.size() + 1));
}

// An ended kernel's log, in pages as the API gives them; the session beside it.
void serve_log(FakeWorld& w, const std::string& log, const std::string& status = "TERMINATED") {
  w.server.answer = [log, status](const HttpRequest& request) -> Result<HttpReply> {
    if (request.target.find("/logs") == std::string::npos) {
      auto shown = session("job", status);
      shown["kernels"] = boost::json::array{{{"end", "EXITED"}, {"exit_code", 0}}};
      return json_reply(boost::json::serialize(shown));
    }
    const auto size = static_cast<std::int64_t>(log.size());
    const std::int64_t asked = number_in(request.target, "offset");
    const std::int64_t from = asked < 0 ? std::max<std::int64_t>(0, size + asked) : std::min(asked, size);
    const std::string bytes = log.substr(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(number_in(request.target, "limit")));
    const std::int64_t next = from + static_cast<std::int64_t>(bytes.size());
    return HttpReply{200,
                     {{"content-type", "application/octet-stream"},
                      {"x-berth-log-offset", std::to_string(from)},
                      {"x-berth-log-next", std::to_string(next)},
                      {"x-berth-log-end", next == size && status != "RUNNING" ? "true" : "false"}},
                     bytes};
  };
}

std::string tail(const std::string& log, const std::string& lines) {
  FakeWorld w;
  serve_log(w, log);
  return w.run({"session", "logs", "job", "--tail", lines}).out;
}

TEST(Tail, CountsLinesFromTheEnd) {
  EXPECT_EQ(tail("a\nb\nc\n", "2"), "b\nc\n");
  EXPECT_EQ(tail("a\nb\nc\n", "1"), "c\n");
  EXPECT_EQ(tail("a\nb\nc\n", "3"), "a\nb\nc\n");
  EXPECT_EQ(tail("a\nb\nc\n", "99"), "a\nb\nc\n");
  EXPECT_EQ(tail("a\nb\nc\n", "0"), "");
}

TEST(Tail, CountsALastLineWithoutAnEndAndEmptyLines) {
  EXPECT_EQ(tail("a\nb\nc", "2"), "b\nc");
  EXPECT_EQ(tail("a\n\n\n", "2"), "\n\n");
  EXPECT_EQ(tail("\n", "1"), "\n");
  EXPECT_EQ(tail("", "5"), "");
}

TEST(Tail, ReachesBackOverPages) {
  std::string log;
  for (int i = 0; i < 100'000; ++i) log += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(tail(log, "2"), "line 99998\nline 99999\n");
  EXPECT_EQ(tail(log, "70000"), log.substr(log.find("line 30000\n")));
  const std::string one_line(600'000, 'x');
  EXPECT_EQ(tail("first\n" + one_line, "1"), one_line);
}

// The agent keeps the newest output alone; a page that should begin before that begins with a line about it.
TEST(Tail, PrintsWhatIsLeftWhereOlderOutputWasDropped) {
  FakeWorld w;
  const std::int64_t oldest = 700'000;
  std::string kept;
  for (int i = 0; i < 50'000; ++i) kept += "line " + std::to_string(i) + "\n";
  const std::string note = "[berth: some bytes of older output were dropped]\n";
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    const auto size = oldest + static_cast<std::int64_t>(kept.size());
    const std::int64_t asked = number_in(request.target, "offset");
    std::int64_t from = asked < 0 ? size + asked : asked;
    const bool cut = from < oldest;
    from = std::max(from, oldest);
    const std::string bytes = kept.substr(static_cast<std::size_t>(from - oldest),
                                          static_cast<std::size_t>(number_in(request.target, "limit")));
    const std::int64_t next = from + static_cast<std::int64_t>(bytes.size());
    return HttpReply{200,
                     {{"content-type", "application/octet-stream"},
                      {"x-berth-log-next", std::to_string(next)},
                      {"x-berth-log-end", next == size ? "true" : "false"}},
                     (cut ? note : "") + bytes};
  };
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "1"}).out, "line 49999\n");
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "49990"}).out, kept.substr(kept.find("line 10\n")));
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "60000"}).out, note + kept);
}

TEST(Tail, IsRefusedAsNoNumber) {
  FakeWorld w;
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "-1"}).exit, kUsage);
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "few"}).exit, kUsage);
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(Logs, OfASessionThatPrintedNothingSayHowItStands) {
  FakeWorld w;
  serve_log(w, "");
  const auto ended = w.run({"session", "logs", "job"});
  EXPECT_EQ(ended.exit, kOk);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, "job wrote nothing: exited 0\n");
  serve_log(w, "", "RUNNING");
  EXPECT_EQ(w.run({"session", "logs", "job"}).err,
            "job has written nothing so far and is RUNNING; -f waits for more\n");
  EXPECT_EQ(w.run({"session", "logs", "job", "-q"}).err, "");
}

TEST(Logs, SayNothingOfTheirOwnWhereThereIsAny) {
  FakeWorld w;
  serve_log(w, "a\n");
  EXPECT_EQ(w.run({"session", "logs", "job"}).err, "");
  EXPECT_EQ(w.run({"session", "logs", "job", "--tail", "0"}).err, "");
}

}  // namespace
}  // namespace berth::cli
