// The build of `berth up`, with a script in place of `berth`.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <sstream>

#include "ops/cli/image/background_build.h"

namespace berth::cli {
namespace {

class BackgroundBuildTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override {
    build_.stop();
    std::filesystem::remove_all(folder_);
  }

  // A child of these lines.
  Result<void> start(const std::string& script) {
    std::ofstream(folder_ + "/berth") << "#!/bin/bash\n" << script << "\n";
    ::chmod((folder_ + "/berth").c_str(), 0700);
    return build_.start({folder_ + "/berth", "/data", "r", "/builder", folder_ + "/log"},
                        [this](const std::string& text) { said_.set_value(text); });
  }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/" + name).rdbuf();
    return text.str();
  }

  const std::string folder_ = ::testing::TempDir() + "background_build_" + std::to_string(::getpid());
  std::promise<std::string> said_;
  BackgroundBuild build_;
};

TEST_F(BackgroundBuildTest, RunsTheCommandWithItsWordsInTheLogAndSaysWhatIsReady) {
  ASSERT_TRUE(start("echo \"$@\" >&2; echo r:1; echo r:2"));
  EXPECT_EQ(said_.get_future().get(), "image r:1 r:2 is ready");
  EXPECT_EQ(read("log"),
            "--data /data image build r --builder /builder --wait-turn --end-with-input --output name\n");
}

TEST_F(BackgroundBuildTest, AFailureIsOneLineThatNamesTheLog) {
  ASSERT_TRUE(start("echo r:1; exit 1"));
  EXPECT_EQ(said_.get_future().get(), "image r could not be built; why is in " + folder_ + "/log");
}

TEST_F(BackgroundBuildTest, AChildThatCannotBeStartedIsAnError) {
  const auto started = build_.start({folder_ + "/none", "/data", "r", "/builder", folder_ + "/log"}, nullptr);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "builder-not-runnable");
}

TEST_F(BackgroundBuildTest, AStopAsksTheChildToEndAndSaysNothing) {
  ASSERT_EQ(::mkfifo((folder_ + "/ready").c_str(), 0600), 0);
  ASSERT_TRUE(start("trap 'echo ended >&2; exit 1' TERM; echo $$ >" + folder_ +
                    "/ready; read -r line"));  // its input: nothing comes
  int pid = 0;
  std::ifstream(folder_ + "/ready") >> pid;
  build_.stop();
  EXPECT_EQ(read("log"), "ended\n");
  EXPECT_NE(::kill(pid, 0), 0);
  EXPECT_EQ(said_.get_future().wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

}  // namespace
}  // namespace berth::cli
