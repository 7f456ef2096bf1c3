// A volume in a temporary folder.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "agents/volumes/volumes.h"
#include "events/base/secrets.h"
#include "tests/unit/kernel/temp_folder.h"

namespace berth::agents {

inline FolderId folder_id(std::uint8_t n) {
  FolderId id;
  id.bytes.fill(n);
  return id;
}

class VolumeTest : public ::testing::Test {
 protected:
  VolumeTest() {
    std::filesystem::create_directory(root);
    settings.places = {{"local", root}};
  }

  Result<std::unique_ptr<Volumes>> try_open() {
    return Volumes::open(settings, {random, [this](int) { return takes_idmaps; },
                                    [this](const std::string& text) { warnings += text + "\n"; }});
  }
  std::string code_of_open() {
    const auto opened = try_open();
    return opened ? "" : opened.error().code.word();
  }
  Volumes& open() {
    volumes.reset();
    auto opened = try_open();
    EXPECT_TRUE(opened) << (opened ? "" : to_string(opened.error()));
    volumes = std::move(*opened);
    return *volumes;
  }
  VolumeId id() const { return volumes->list()[0].id; }
  std::string folder_path(std::uint8_t n) const { return root + "/folders/" + to_hex(folder_id(n).view()); }
  static std::string to_hex(std::string_view bytes) {
    std::string hex;
    for (const char c : bytes) {
      hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
    return hex;
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::symlink_status(path, error));
  }
  static std::size_t entries_in(const std::string& path) {
    std::error_code error;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path, error), {}));
  }

  TempFolder temp;
  const std::string root = temp.path + "/v";
  VolumeSettings settings;
  SystemRandom random;
  Result<void> takes_idmaps;
  std::string warnings;
  std::unique_ptr<Volumes> volumes;
};

}  // namespace berth::agents
