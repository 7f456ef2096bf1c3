#include "agents/kernel/image/image_process.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <fstream>

#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {
namespace {

namespace json = boost::json;

class ImageProcessTest : public ::testing::Test {
 protected:
  ImageProcessTest() {
    std::filesystem::create_directories(layout_ + "/blobs/sha256");
    std::filesystem::create_directories(root_ + "/etc");
    write(layout_ + "/index.json", R"({"manifests":[{"digest":"sha256:aa"}]})");
    write(layout_ + "/blobs/sha256/aa", R"({"config":{"digest":"sha256:bb"}})");
    write(root_ + "/etc/passwd",
          "root:x:0:0:root:/root:/bin/sh\n# none\nbroken:x\nwork:x:1000:1001::/home/work:/bin/sh\n"
          "far:x:70000:0::/:\n12:x:13:13::/twelve:\nodd:x:14:x::home:\n");
    write(root_ + "/etc/group",
          "root:x:0:\nwork:x:1001:\nsudo:x:27:root,work\nvideo:x:44:work\nfar:x:70000:work\n");
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  Result<ImageProcess> of(const std::string& user, const std::string& more = "") {
    write(layout_ + "/blobs/sha256/bb",
          R"({"config":{"User":)" + json::serialize(json::string(user)) + more + "}}");
    return process_of_image(layout_, root_, 65536);
  }
  // "uid:gid home groups", or the error's code.
  std::string user(const std::string& text) {
    const auto got = of(text);
    if (!got.ok()) return got.error().code.word();
    std::string all = std::to_string(got->uid) + ":" + std::to_string(got->gid) + " " + got->home;
    for (const std::uint32_t group : got->groups) all += " " + std::to_string(group);
    return all;
  }

  TempFolder folder_;
  std::string layout_ = folder_.path + "/layout", root_ = folder_.path + "/rootfs";
};

TEST_F(ImageProcessTest, AUserIsANameOrANumberWithAGroupOrWithout) {
  EXPECT_EQ(user(""), "0:0 /root 27");
  EXPECT_EQ(user("root"), "0:0 /root 27");
  EXPECT_EQ(user("work"), "1000:1001 /home/work 27 44");
  EXPECT_EQ(user("1000"), "1000:1001 /home/work 27 44");
  EXPECT_EQ(user("work:sudo"), "1000:27 /home/work");
  EXPECT_EQ(user("work:0"), "1000:0 /home/work");
  EXPECT_EQ(user("work:5"), "1000:5 /home/work");
  EXPECT_EQ(user("1234"), "1234:0 /");
  EXPECT_EQ(user("1234:99"), "1234:99 /");
  EXPECT_EQ(user("12"), "13:13 /twelve") << "a name goes first";
  EXPECT_EQ(user("odd"), "14:0 /");
}

TEST_F(ImageProcessTest, AUserThatAKernelCannotHaveIsRefused) {
  for (const char* unknown : {"nobody", "work:nobody", "-1", "70000", "0:70000", "far", "work:far",
                              "4294967296", "broken", " work"})
    EXPECT_EQ(user(unknown), "image-user-unknown") << unknown;
}

TEST_F(ImageProcessTest, WhatTheConfigSaysOfFolderAndEnvironmentIsKept) {
  const auto got = of("work", R"(,"WorkingDir":"srv/x","Env":["A=1","HOME=/data","PATH=/bin","HOME=x"])");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->folder, "/srv/x");
  EXPECT_EQ(got->home, "/data");
  EXPECT_EQ(got->env, (std::vector<std::string>{"A=1", "PATH=/bin"}));
  EXPECT_EQ(image_process_in(to_json(*got)), *got);
  EXPECT_EQ(of("work")->folder, "/");
}

TEST_F(ImageProcessTest, NoFileOutsideTheImageAndNothingButAFileIsRead) {
  const std::string passwd = root_ + "/etc/passwd";
  const std::string outside = folder_.path + "/outside";
  write(outside, "work:x:1:1::/outside:\n");
  const auto becomes_link = [&](const std::string& target) {
    std::filesystem::remove(passwd);
    std::filesystem::create_symlink(target, passwd);
  };
  for (const std::string& target : {outside, std::string("../../outside"), std::string("/etc/passwd")}) {
    becomes_link(target);
    EXPECT_EQ(user("work"), "image-user-unknown") << target;
  }
  EXPECT_EQ(user("1000"), "1000:0 /");
  std::filesystem::create_directories(root_ + "/nix");
  write(root_ + "/nix/passwd", "work:x:5:5::/nix:\n");
  becomes_link("/nix/passwd");
  EXPECT_EQ(user("work"), "5:5 /nix 27 44") << "a link within the image is of its own root";
  std::filesystem::remove(passwd);
  ASSERT_EQ(mkfifo(passwd.c_str(), 0600), 0);
  EXPECT_EQ(user("work"), "image-user-unknown") << "and nobody waits for the FIFO";
}

TEST_F(ImageProcessTest, WhatIsNoConfigIsAFailedPull) {
  ASSERT_TRUE(of("work").ok());
  for (const char* bad : {"", "[]", "null", "{"}) {
    write(layout_ + "/blobs/sha256/bb", bad);
    EXPECT_EQ(process_of_image(layout_, root_, 65536).error().code, "image-pull-failed") << bad;
  }
  write(layout_ + "/blobs/sha256/aa", R"({"config":{"digest":"sha256:../../outside"}})");
  EXPECT_EQ(process_of_image(layout_, root_, 65536).error().code, "image-pull-failed");
  for (const char* bad : {"{}", "[]", R"({"uid":-1,"gid":0,"env":[],"groups":[],"home":"/","folder":"/"})",
                          R"({"uid":0,"gid":0,"env":[],"groups":[],"home":"","folder":"/"})"})
    EXPECT_FALSE(image_process_in(json::parse(bad)).has_value()) << bad;
}

}  // namespace
}  // namespace berth::agents
