#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <boost/json.hpp>
#include <csignal>
#include <regex>
#include <sstream>
#include <thread>

#include "events/logs/json_line.h"
#include "events/logs/log_scope.h"
#include "events/logs/log_setup.h"

namespace berth {
namespace {

// What a logger writes in JSON lines.
std::string written(const std::function<void(spdlog::logger&)>& log) {
  std::ostringstream out;
  spdlog::logger logger("berth-test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out));
  logger.set_formatter(std::make_unique<JsonLines>());
  log(logger);
  logger.flush();
  return out.str();
}

boost::json::object parsed(const std::string& line) { return boost::json::parse(line).as_object(); }

TEST(JsonLines, ALineHasTimeLevelProgramAndMessage) {
  const std::string line = written([](auto& logger) { logger.warn("it is {}", 42); });
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto object = parsed(line);
  EXPECT_EQ(object.at("level"), "warning");
  EXPECT_EQ(object.at("program"), "berth-test");
  EXPECT_EQ(object.at("msg"), "it is 42");
  EXPECT_TRUE(std::regex_match(std::string(object.at("time").as_string()),
                               std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")));
}

TEST(JsonLines, AnyByteMakesAWellFormedLine) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    const std::string line = written([&](auto& logger) { logger.info("{}", text); });
    EXPECT_EQ(line.find('\n'), line.size() - 1) << byte;
    const auto told = std::string(parsed(line).at("msg").as_string());
    EXPECT_EQ(told, byte < 0x80 ? text
                                : "a\xEF\xBF\xBD"
                                  "b")
        << byte;
  }
}

TEST(JsonLines, MessagesInAnyLanguageStayAsTheyAre) {
  EXPECT_EQ(json_quoted("Grüße, 世界 \xF0\x9F\x9A\xA2"), "\"Grüße, 世界 \xF0\x9F\x9A\xA2\"");
  EXPECT_EQ(json_quoted("\xC0\x80\xED\xA0\x80"),
            "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonLines, FieldsOfTheScopeAreFieldsOfItsLines) {
  const std::string lines = written([](auto& logger) {
    const LogScope outer{{"request", "r\"1"}, {"trace", ""}};
    {
      const LogScope inner{{"session", "s1"}};
      logger.info("both");
    }
    logger.info("one");
    std::thread([&] { logger.info("none"); }).join();
  });
  std::istringstream in(lines);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(parsed(line).at("request"), "r\"1");
  EXPECT_EQ(parsed(line).at("session"), "s1");
  EXPECT_FALSE(parsed(line).contains("trace"));
  std::getline(in, line);
  EXPECT_FALSE(parsed(line).contains("session"));
  std::getline(in, line);
  EXPECT_FALSE(parsed(line).contains("request"));
}

TEST(LogSetup, RefusesFormatsAndLevelsThatAreNone) {
  EXPECT_EQ(set_up_logs({"t", "xml", "info"}).error().code, "log-format-invalid");
  EXPECT_EQ(set_up_logs({"t", "json", "loud"}).error().code, "log-level-invalid");
  EXPECT_EQ(set_log_level("off", 0).error().code, "log-level-invalid");
}

TEST(LogSetup, ALevelLastsUntilItIsChangedOrForItsTime) {
  ASSERT_TRUE(set_up_logs({"t", "json", "info"}));
  EXPECT_TRUE(logs_json());
  EXPECT_EQ(log_level(), "info");
  ASSERT_TRUE(set_log_level("error", 0));
  EXPECT_EQ(log_level(), "error");
  ASSERT_TRUE(set_log_level("debug", kHour));
  EXPECT_EQ(log_level(), "debug");
  ASSERT_TRUE(set_log_level("trace", 10 * kMillisecond));  // instead of the hour
  while (log_level() != "error") std::this_thread::yield();
}

TEST(LogSetup, SignalsMoveTheLevelByAStepAndStopAtTheEnds) {
  ASSERT_TRUE(set_up_logs({"t", "text", "info"}));
  EXPECT_FALSE(logs_json());
  std::raise(SIGUSR1);
  EXPECT_EQ(log_level(), "debug");
  for (int i = 0; i < 5; ++i) std::raise(SIGUSR1);
  EXPECT_EQ(log_level(), "trace");
  for (int i = 0; i < 9; ++i) std::raise(SIGUSR2);
  EXPECT_EQ(log_level(), "error");
}

}  // namespace
}  // namespace berth
