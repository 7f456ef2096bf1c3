// The folders of a person's own Python packages.
#include "agents/init/home/python_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/unit/kernel/temp_folder.h"

namespace berth::init {
namespace {

namespace fs = std::filesystem;

TEST(PythonFolders, AreThereForEachPythonOfTheImageAndForNothingElse) {
  const agents::TempFolder temporary;
  const std::string lib = temporary.path + "/lib", local = temporary.path + "/local",
                    none = temporary.path + "/none";
  for (const char* name : {"python3", "python3.11", "python3.x", "python3.", "python3.1111", "python2.7"})
    fs::create_directories(lib + "/" + name);
  for (const char* name : {"python3.11", "python3.13"}) fs::create_directories(local + "/" + name);
  const char* const places[] = {none.c_str(), lib.c_str(), local.c_str(), nullptr};
  const std::string base = temporary.path + "/folder/python/jupyter=4.6";
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    make_python_folders(base.c_str(), places);
    std::set<std::string> made;
    for (const auto& entry : fs::directory_iterator(base + "/lib")) made.insert(entry.path().filename());
    EXPECT_EQ(made, (std::set<std::string>{"python3.11", "python3.13"}));
    EXPECT_TRUE(fs::is_directory(base + "/lib/python3.13/site-packages"));
  }
}

TEST(PythonFolders, WhatCannotBeMadeIsLeftOut) {
  const agents::TempFolder temporary;
  fs::create_directories(temporary.path + "/lib/python3.11");
  std::ofstream(temporary.path + "/file") << "in the way";
  const std::string lib = temporary.path + "/lib";
  const char* const places[] = {lib.c_str(), nullptr};
  make_python_folders((temporary.path + "/file").c_str(), places);
  EXPECT_TRUE(fs::is_regular_file(temporary.path + "/file"));
  make_python_folders(("/" + std::string(5000, 'x')).c_str(), places);
}

}  // namespace
}  // namespace berth::init
