// FakeFiles: an agent's answers to questions about files, of which a test decides each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "controller/api/http/workers.h"
#include "events/codec/file_service.h"

namespace berth::testing {

struct FakeFileAnswer {
  std::optional<Error> refused;
  std::uint64_t offset = 0;     // of offset-differs
  v1::FileEntry entry;          // of a read
  std::string body;             // of a read, or a v1::FileAnswer
  bool breaks = false;          // the channel is lost behind the body
  bool at_once = false;         // answered before the question's body has come
  std::size_t piece = 100'000;  // bytes of the body at a time
};

// All handlers are called on one thread.
class FakeFiles {
 public:
  struct Asked {
    controller::FilesQuestion question;
    FileServicePath what;
    std::string body;  // as far as it came
  };
  // Answers a question, whose body is there unless `at_once`. Set before the first question.
  std::function<FakeFileAnswer(const Asked&)> answer = [](const Asked&) { return FakeFileAnswer(); };
  // In the order in which they came.
  std::vector<Asked> asked();
  // How many channels the API holds.
  int open() const;
  // Whether it holds none any more, soon: a handler that has replied gives its channel back a moment later.
  bool await_closed() const;

  std::shared_ptr<controller::KernelChannel> open_files(const controller::FilesQuestion& question,
                                                        controller::FilesAnswered answered);
  // Waits for the handler that runs; none is called any more.
  void stop() { thread_.stop(); }

 private:
  class Channel;
  friend class Channel;
  struct Shared {
    std::mutex mutex;
    std::vector<Asked> asked;
    int open = 0;
  };
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  controller::api::Workers thread_{1};
};

// A v1::FileAnswer as a body.
FakeFileAnswer answer_with(const v1::FileAnswer& answer);
v1::FileEntry file_entry(const std::string& name, std::uint64_t bytes, const std::string& tag = "t1");

}  // namespace berth::testing
