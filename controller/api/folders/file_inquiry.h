// A question about files that an agent answers with one message: listing, stat, changes, uploads but for
// their bytes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "controller/api/folders/file_place.h"

namespace berth::controller::api {

struct FileReply {
  std::optional<Problem> problem;
  v1::FileAnswer answer;  // else; without fields where the agent has nothing to say
};

// Calls `done` once, on any thread. Problems: agent-timeout, agent-answer-invalid, agent-unreachable, and the
// agent's own.
void ask_files(const Services& services, const FilePlace& place, FileOperation operation,
               const v1::FileQuestion& question, std::chrono::milliseconds patience,
               std::function<void(FileReply)> done);

Problem problem_of(const FilesAnswer& refused);
FileReply refused_with(Problem problem);

// Reads a v1::FileAnswer to its end. The channel's handlers hold it. Thread-safe.
class FileAnswerReader : public std::enable_shared_from_this<FileAnswerReader> {
 public:
  using Done = std::function<void(FileReply)>;
  // `done` is called once, unless the channel goes before.
  static void read(std::shared_ptr<KernelChannel> channel, Done done);

 private:
  FileAnswerReader(std::shared_ptr<KernelChannel> channel, Done done)
      : channel_(std::move(channel)), done_(std::move(done)) {}
  void read_on();
  void took(const Result<std::string>& bytes);

  const std::shared_ptr<KernelChannel> channel_;
  const Done done_;
  std::string body_;
};

}  // namespace berth::controller::api
