// berth scenario export: what is asked, what is written, what is told.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

Ran export_with(FakeWorld& w, std::vector<std::string> more) {
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(
        R"({"scenario": {"version": 1, "agents": [], "sessions": []}, "notes": ["agent a1 is LOST"], "position": 7})"));
  };
  std::vector<std::string> words{"scenario", "export"};
  words.insert(words.end(), more.begin(), more.end());
  return w.run(words);
}

TEST(ScenarioExport, PrintsAFileThatScheduleTakes) {
  FakeWorld w;
  const auto ran = export_with(w, {"--group", "gpu"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(w.server.requests[0].target, "/v1/scenario?group=gpu");
  EXPECT_NE(ran.err.find("note: agent a1 is LOST"), std::string::npos) << ran.err;
  w.files["/x.json"] = ran.out;
  EXPECT_EQ(w.run({"schedule", "--scenario", "/x.json"}).exit, 0);
}

TEST(ScenarioExport, WritesItToAFileOrSaysThatItCannot) {
  FakeWorld w;
  const auto ran = export_with(w, {"--file", "/now.json"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("journal offset 7"), std::string::npos) << ran.err;
  EXPECT_EQ(w.run({"schedule", "--scenario", "/now.json"}).exit, 0);
  EXPECT_EQ(export_with(w, {"-f", "/nowhere/now.json"}).exit, kUsage);
}

}  // namespace
}  // namespace berth::cli
