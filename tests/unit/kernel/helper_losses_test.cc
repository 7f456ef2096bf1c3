// What ends with a kernel, as its helper tells it.
#include <fstream>

#include "tests/support/helper_process.h"
#include "tests/support/talk.h"

namespace berth::inside {
namespace {

namespace fs = std::filesystem;

// Its helper is that of a kernel without a file system of its own, and works in the folder "own".
class HelperLosses : public ::testing::Test {
 protected:
  HelperLosses() {
    fs::create_directories(own());
    start(own());
  }
  fs::path own() const { return fs::path(folder_.path) / "own"; }
  void start(const fs::path& works_in) {
    const fs::path before = fs::current_path();
    fs::current_path(works_in);
    helper_.emplace();
    fs::current_path(before);
  }

  agents::TempFolder folder_;
  std::optional<HelperProcess> helper_;
};

TEST_F(HelperLosses, AreWhatLiesInTheFolderOfAProcess) {
  fs::create_directories(own() / "sub");
  std::ofstream(own() / "sub/a\xff") << "123";
  std::ofstream(fs::path(folder_.path) / "beside") << "of others";
  Talk talk(helper_->door, losses());
  EXPECT_EQ(talk.await_end(), 0);
  EXPECT_TRUE(talk.begun.has_value());
  ASSERT_TRUE(talk.loss_sum.has_value());
  EXPECT_EQ(talk.loss_sum->files, 1u);
  EXPECT_EQ(talk.loss_sum->bytes, 3u);
  EXPECT_TRUE(talk.loss_sum->complete);
  ASSERT_EQ(talk.losses.size(), 1u);
  EXPECT_EQ(talk.losses[0].path, "sub/a\xff");
  EXPECT_EQ(talk.losses[0].bytes, 3u);
}

TEST_F(HelperLosses, AreWhereItWorksWhateverItsHomeIs) {
  setenv("HOME", folder_.path.c_str(), 1);
  start(own());
  std::ofstream(fs::path(folder_.path) / "beside") << "of others";
  Talk talk(helper_->door, losses());
  EXPECT_EQ(talk.await_end(), 0);
  EXPECT_EQ(talk.loss_sum->files, 0u);
}

TEST_F(HelperLosses, AreNotWhatTheMachineHasWhereItCouldNotWorkInItsFolder) {
  start("/");
  Talk talk(helper_->door, losses());
  EXPECT_EQ(talk.await_end(), 0);
  ASSERT_TRUE(talk.loss_sum.has_value());
  EXPECT_EQ(talk.loss_sum->files, 0u);
  EXPECT_FALSE(talk.loss_sum->complete);
}

TEST_F(HelperLosses, AreLookedForByFourAtOnce) {
  // All come while it is stopped, so that it serves them in one go.
  kill(helper_->pid(), SIGSTOP);
  std::vector<std::unique_ptr<Talk>> talks;
  for (int i = 0; i < 5; ++i) talks.push_back(std::make_unique<Talk>(helper_->door, losses()));
  kill(helper_->pid(), SIGCONT);
  int busy = 0;
  for (const auto& talk : talks) {
    talk->await_end();
    busy += talk->await_problem() == "kernel-busy" ? 1 : 0;
  }
  EXPECT_EQ(busy, 1);
  for (bool served = false; !served;) {
    Talk again(helper_->door, losses());
    served = again.await_end() == 0;
    ASSERT_TRUE(served || again.await_problem() == "kernel-busy");
  }
}

TEST_F(HelperLosses, AnAskerThatGoesLeavesNoProcessBehind) {
  for (int i = 0; i < 20; ++i) Talk(helper_->door, losses());
  const std::string pid = std::to_string(helper_->pid());
  const auto children = [&] {
    return agents::shim::read_file("/proc/" + pid + "/task/" + pid + "/children").value_or("");
  };
  for (int i = 0; i < 4000 && !children().empty(); ++i) usleep(5000);
  EXPECT_EQ(children(), "");
}

}  // namespace
}  // namespace berth::inside
