#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>

#include "agents/kernel/backends.h"
#include "agents/kernel/image/skopeo_image_store.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

// An OCI layout with one tiny file, made by umoci; empty when the tools are not there.
std::string tiny_layout(const std::string& folder) {
  const std::string layout = folder + "/tiny";
  const std::string make =
      "cd " + folder +
      " && (umoci init --layout tiny && umoci new --image tiny:1 && mkdir -p r/etc && echo hello > r/etc/x"
      " && tar cf r.tar -C r . && umoci raw add-layer --image tiny:1 r.tar"
      " && umoci config --image tiny:1 --config.env A=1) >/dev/null 2>&1";
  return system(make.c_str()) == 0 ? layout : "";
}

class SkopeoImageStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    layout_ = tiny_layout(folder_.path);
    if (layout_.empty()) GTEST_SKIP() << "umoci is not installed";
    reopen();
  }
  void reopen() {
    store_.reset();
    auto opened = open_image_store({.folder = folder_.path + "/store", .rootless = geteuid() != 0});
    ASSERT_TRUE(opened.ok()) << to_string(opened.error());
    store_ = std::move(*opened);
  }
  Result<StoredImage> ensure(ImageRequest request) {
    std::promise<Result<StoredImage>> done;
    store_->ensure(
        std::move(request), [this](const ImageProgress& p) { percents_.push_back(p.percent); },
        [&](Result<StoredImage> result) { done.set_value(std::move(result)); });
    return done.get_future().get();
  }
  std::string source() const { return "oci:" + layout_ + ":1"; }

  TempFolder folder_;
  std::string layout_;
  std::unique_ptr<ImageStore> store_;
  std::vector<std::uint32_t> percents_;
};

TEST_F(SkopeoImageStoreTest, PullsOnceAndUsesItAgainAlsoAfterARestart) {
  const auto first = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  EXPECT_TRUE(std::filesystem::exists(first->rootfs + "/etc/x"));
  EXPECT_EQ(first->digest, layout_digest(layout_, "1"));
  EXPECT_GT(first->bytes, 0u);
  EXPECT_TRUE(std::is_sorted(percents_.begin(), percents_.end()));
  EXPECT_EQ(percents_.back(), 100u);
  std::filesystem::remove_all(layout_);  // from now on only the store has it
  reopen();
  EXPECT_TRUE(ensure({"tiny:1", source(), ""}).ok());
  ASSERT_EQ(store_->list().size(), 1u);
  EXPECT_EQ(store_->list()[0].reference, "tiny:1");
}

TEST_F(SkopeoImageStoreTest, AnImageThatSomebodyRemovedIsPulledAgain) {
  const auto first = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  std::filesystem::remove_all(first->rootfs);
  const auto again = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_TRUE(std::filesystem::exists(again->rootfs + "/etc/x"));
  std::filesystem::remove_all(folder_.path + "/store/images");
  const auto third = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(third.ok()) << to_string(third.error());
  EXPECT_TRUE(std::filesystem::exists(third->rootfs + "/etc/x"));
}

TEST_F(SkopeoImageStoreTest, AnImageOfAnOlderAgentIsPulledAgainForItsUserAndKeepsItsFolder) {
  const auto first = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(first.ok()) << to_string(first.error());
  const auto record = std::filesystem::path(first->rootfs).parent_path() / "image.json";
  std::ofstream(record) << R"({"v":1,"digest":")" << first->digest
                        << R"(","references":["tiny:1"],"bytes":6,"env":["A=1"]})";
  std::ofstream(first->rootfs + "/in-use") << "by a kernel that runs";
  reopen();
  EXPECT_TRUE(store_->list().empty());
  const auto again = ensure({"tiny:1", source(), ""});
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_TRUE(std::filesystem::exists(first->rootfs + "/in-use"));
  reopen();
  EXPECT_EQ(store_->list().size(), 1u);
}

TEST_F(SkopeoImageStoreTest, AnImageWhoseUserIsUnknownIsRefused) {
  ASSERT_EQ(system(("umoci config --image " + layout_ + ":1 --config.user nobody-here").c_str()), 0);
  EXPECT_EQ(ensure({"tiny:1", source(), ""}).error().code, "image-user-unknown");
  EXPECT_TRUE(store_->list().empty());
}

TEST_F(SkopeoImageStoreTest, EqualRequestsShareOnePull) {
  std::atomic<int> done = 0;
  std::promise<void> all;
  for (int i = 0; i < 5; ++i)
    store_->ensure({"tiny:1", source(), ""}, {}, [&](Result<StoredImage> result) {
      EXPECT_TRUE(result.ok());
      if (++done == 5) all.set_value();
    });
  all.get_future().wait();
  EXPECT_EQ(store_->list().size(), 1u);
}

TEST_F(SkopeoImageStoreTest, AnImageThatItsSourceLacksIsUnknown) {
  EXPECT_EQ(ensure({"tiny:2", "oci:" + layout_ + ":2", ""}).error().code, "unknown-image");
  EXPECT_EQ(ensure({"none:1", "oci:/no/such/layout:1", ""}).error().code, "unknown-image");
}

TEST_F(SkopeoImageStoreTest, AnotherDigestThanOrderedIsRefused) {
  EXPECT_EQ(ensure({"tiny:1", source(), "sha256:" + std::string(64, 'a')}).error().code,
            "image-digest-differs");
  EXPECT_TRUE(ensure({"tiny:1", source(), layout_digest(layout_, "1")}).ok());
}

TEST_F(SkopeoImageStoreTest, ADamagedBlobIsAFailedPullAndLeavesNothing) {
  std::filesystem::path largest;
  for (const auto& entry : std::filesystem::directory_iterator(layout_ + "/blobs/sha256"))
    if (largest.empty() || entry.file_size() > std::filesystem::file_size(largest)) largest = entry.path();
  std::ofstream(largest, std::ios::app) << "damage";
  EXPECT_EQ(ensure({"tiny:1", source(), ""}).error().code, "image-pull-failed");
  EXPECT_TRUE(store_->list().empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path + "/store/pulls"));
}

TEST_F(SkopeoImageStoreTest, WhatACrashLeftHalfDoneIsRemoved) {
  std::filesystem::create_directories(folder_.path + "/store/pulls/0/bundle/rootfs");
  reopen();
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path + "/store/pulls"));
}

TEST(ImageError, SaysDiskFullAndUnknownInItsOwnCodes) {
  EXPECT_EQ(image_error("x", "write /a: no space left on device").code, "disk-full");
  EXPECT_EQ(image_error("x", "reading manifest: manifest unknown").code, "unknown-image");
  EXPECT_EQ(image_error("x", "connection refused").code, "image-pull-failed");
}

}  // namespace
}  // namespace berth::agents
