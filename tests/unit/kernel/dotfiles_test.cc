// Dotfiles that outlast a kernel: links into the automatic folder, and what stays as it is.
#include "agents/init/home/dotfiles.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/kernel/temp_folder.h"

namespace berth::init {
namespace {

namespace fs = std::filesystem;

class Dotfiles : public ::testing::Test {
 protected:
  Dotfiles() {
    fs::create_directory(folder);
    fs::create_directory(home);
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // What has been kept before.
  void keep(const std::string& name, const std::string& text) {
    fs::create_directory(folder + "/dotfiles");
    write(folder + "/dotfiles/" + name, text);
  }
  void link() { link_dotfiles(folder.c_str(), home.c_str()); }
  bool is_linked(const std::string& name) const {
    std::error_code error;
    return fs::read_symlink(home + "/" + name, error) == folder + "/dotfiles/" + name;
  }

  agents::TempFolder temporary;
  std::string folder = temporary.path + "/automatic", home = temporary.path + "/home";
};

TEST_F(Dotfiles, WhatIsWrittenInOneHomeIsInTheNext) {
  link();
  write(home + "/.bash_history", "ls\n");
  write(home + "/.config/tool", "set\n");
  fs::remove_all(home);
  fs::create_directory(home);
  link();
  EXPECT_EQ(text_of(home + "/.bash_history"), "ls\n");
  EXPECT_EQ(text_of(home + "/.config/tool"), "set\n");
  EXPECT_TRUE(fs::is_directory(home + "/.jupyter"));
  EXPECT_FALSE(fs::exists(home + "/.vimrc")) << "a link to nothing yet";
}

TEST_F(Dotfiles, AnImagesFileIsCopiedInOnceAndNeverOverOnesOwn) {
  write(home + "/.bashrc", "of the image\n");
  fs::permissions(home + "/.bashrc", fs::perms(0640));
  keep(".profile", "mine\n");
  write(home + "/.profile", "of the image\n");
  link();
  EXPECT_TRUE(is_linked(".bashrc"));
  EXPECT_EQ(text_of(home + "/.bashrc"), "of the image\n");
  EXPECT_EQ(fs::status(folder + "/dotfiles/.bashrc").permissions(), fs::perms(0640));
  EXPECT_EQ(text_of(home + "/.profile"), "mine\n");
  for (const auto& entry : fs::directory_iterator(folder)) EXPECT_EQ(entry.path().filename(), "dotfiles");
}

TEST_F(Dotfiles, WhateverLiesInTheFolderIsLinked) {
  keep(".zshrc", "own\n");
  keep("notes", "own too\n");
  link();
  EXPECT_EQ(text_of(home + "/.zshrc"), "own\n");
  EXPECT_TRUE(is_linked("notes"));
}

TEST_F(Dotfiles, OnlyAFileOrAnEmptyFolderGivesWay) {
  fs::create_directories(home + "/.config/of-the-image");
  fs::create_directory(home + "/.vim");
  fs::create_symlink("/etc/inputrc", home + "/.inputrc");
  ASSERT_EQ(mkfifo((home + "/.vimrc").c_str(), 0600), 0);
  link();
  EXPECT_FALSE(fs::is_symlink(home + "/.config"));
  EXPECT_TRUE(is_linked(".vim"));
  EXPECT_EQ(fs::read_symlink(home + "/.inputrc"), "/etc/inputrc");
  EXPECT_TRUE(fs::is_fifo(home + "/.vimrc"));
}

TEST_F(Dotfiles, StrangeThingsInTheFolderHarmNothing) {
  fs::create_directory(folder + "/dotfiles");
  ASSERT_EQ(mkfifo((folder + "/dotfiles/.bashrc").c_str(), 0600), 0);
  fs::create_symlink("/etc/passwd", folder + "/dotfiles/.profile");
  write(home + "/.bashrc", "of the image\n");
  write(home + "/.profile", "of the image\n");
  const std::string before = text_of("/etc/passwd");
  link();
  EXPECT_TRUE(is_linked(".bashrc"));
  EXPECT_TRUE(is_linked(".profile"));
  EXPECT_EQ(text_of("/etc/passwd"), before);
  fs::remove_all(folder + "/dotfiles");
  write(folder + "/dotfiles", "a file\n");
  link();  // says so, and goes on
  EXPECT_EQ(text_of(folder + "/dotfiles"), "a file\n");
}

TEST_F(Dotfiles, AFileThatIsTooLargeStaysWhereItIs) {
  write(home + "/.bashrc", std::string((1 << 20) + (64 << 10), 'x'));
  link();
  EXPECT_FALSE(fs::is_symlink(home + "/.bashrc"));
  EXPECT_FALSE(fs::exists(folder + "/dotfiles/.bashrc"));
}

TEST_F(Dotfiles, KernelsThatStartAtOnceEndWithOneWholeFile) {
  const std::string text(512 << 10, 'x');
  std::vector<std::thread> kernels;
  for (int i = 0; i < 4; ++i) {
    const std::string other = temporary.path + "/home" + std::to_string(i);
    fs::create_directory(other);
    write(other + "/.bashrc", text);
    kernels.emplace_back([this, other] { link_dotfiles(folder.c_str(), other.c_str()); });
  }
  for (auto& kernel : kernels) kernel.join();
  EXPECT_EQ(text_of(folder + "/dotfiles/.bashrc"), text);
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(fs::is_symlink(temporary.path + "/home" + std::to_string(i) + "/.bashrc"));
}

TEST(IsMounted, IsTrueOfAMountAlone) {
  EXPECT_TRUE(is_mounted("/proc"));
  EXPECT_FALSE(is_mounted("/proc/self"));
  EXPECT_FALSE(is_mounted("/nowhere"));
}

}  // namespace
}  // namespace berth::init
