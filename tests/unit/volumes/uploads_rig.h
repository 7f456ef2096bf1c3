// What tests of uploads share: a folder on a volume, and the questions of an upload.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "agents/volumes/uploads.h"
#include "events/base/files/sha256.h"
#include "events/base/hash.h"
#include "tests/unit/volumes/volume_rig.h"

namespace berth::agents {

inline std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.value();
}

class UploadsTest : public VolumeTest {
 protected:
  UploadsTest() { open_all(); }
  void open_all() {
    open();
    EXPECT_TRUE(volumes->make(id(), folder_id(1)));
    auto opened = volumes->open_folder(id(), folder_id(1));
    EXPECT_TRUE(opened);
    folder = std::move(*opened);
  }
  Uploads uploads() const { return Uploads(folder); }
  static v1::FileQuestion whole(const std::string& text, const std::string& path = "file", char n = 'u') {
    v1::FileQuestion question;
    question.set_path(path);
    question.set_upload(std::string(16, n));
    question.set_bytes(text.size());
    question.set_sha256(sha256(text));
    return question;
  }
  static v1::FileQuestion chunk_at(std::uint64_t offset, const std::string& chunk, char n = 'u') {
    v1::FileQuestion question;
    question.set_upload(std::string(16, n));
    question.set_offset(offset);
    question.set_bytes(chunk.size());
    question.set_sha256(sha256(chunk));
    return question;
  }
  Result<std::uint64_t> add(const v1::FileQuestion& question, std::string_view bytes) const {
    auto chunk = uploads().begin_chunk(question);
    if (!chunk) return chunk.error();
    for (const std::string_view piece : {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)})
      if (auto added = chunk->add(piece); !added) return added.error();
    return chunk->end();
  }
  // As if nothing had come for so long.
  void make_old(std::initializer_list<const char*> ends, Duration age, char n = 'u') const {
    timespec then{};
    clock_gettime(CLOCK_REALTIME, &then);
    then.tv_sec -= age / kSecond;
    const timespec times[] = {then, then};
    for (const char* end : ends) ASSERT_EQ(utimensat(AT_FDCWD, staged(end, n).c_str(), times, 0), 0);
  }
  std::string staged(const char* end, char n = 'u') const {
    return root + "/staging/" + folder.name() + "." + to_hex(std::string(16, n)) + end;
  }
  std::string at(const std::string& path) const { return folder_path(1) + "/" + path; }
  template <class Value> static std::string code(const Result<Value>& result) {
    return result ? "" : result.error().code.word();
  }

  OpenFolder folder;
};

}  // namespace berth::agents
