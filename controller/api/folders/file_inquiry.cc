#include "controller/api/folders/file_inquiry.h"

#include <mutex>
#include <utility>

namespace berth::controller::api {
namespace {

constexpr std::size_t kAnswerBytesMax = 2u << 20;  // a page of entries

// Its handlers hold it.
class FileInquiry : public std::enable_shared_from_this<FileInquiry> {
 public:
  explicit FileInquiry(std::function<void(FileReply)> done) : done_(std::move(done)) {}

  void ask(const Services& services, const FilesQuestion& question, std::chrono::milliseconds patience) {
    const auto self = shared_from_this();
    services.quick.post_after(patience, [weak = weak_from_this(), patience, agent = question.agent] {
      if (const auto late = weak.lock())
        late->finish(refused_with(make_problem(
            "agent-timeout",
            "agent " + agent + " has not answered within " + std::to_string(patience.count() / 1'000) + " s",
            "is its disk slow? Ask again")));
    });
    const std::lock_guard lock(mutex_);
    channel_ =
        services.context.ask_files(question, [self](const FilesAnswer& answer) { self->answered(answer); });
    channel_->finish();
  }

 private:
  void answered(const FilesAnswer& answer) {
    if (answer.refused) return finish(refused_with(problem_of(answer)));
    std::shared_ptr<KernelChannel> channel;
    {
      const std::lock_guard lock(mutex_);
      channel = channel_;
    }
    if (channel == nullptr) return;
    FileAnswerReader::read(channel,
                           [self = shared_from_this()](FileReply reply) { self->finish(std::move(reply)); });
  }

  void finish(FileReply reply) {
    std::function<void(FileReply)> done;
    std::shared_ptr<KernelChannel> channel;  // goes without the lock
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
      channel = std::exchange(channel_, nullptr);
    }
    if (done) done(std::move(reply));
  }

  std::mutex mutex_;
  std::function<void(FileReply)> done_;     // guarded; empty once it was called
  std::shared_ptr<KernelChannel> channel_;  // guarded
};

}  // namespace

FileReply refused_with(Problem problem) {
  FileReply reply;
  reply.problem = std::move(problem);
  return reply;
}

Problem problem_of(const FilesAnswer& refused) {
  Problem problem = to_problem(*refused.refused);
  if (problem.code == "offset-differs") problem.offset = refused.offset;
  return problem;
}

void ask_files(const Services& services, const FilePlace& place, FileOperation operation,
               const v1::FileQuestion& question, std::chrono::milliseconds patience,
               std::function<void(FileReply)> done) {
  std::make_shared<FileInquiry>(std::move(done))
      ->ask(services, question_of(place, operation, question), patience);
}

void FileAnswerReader::read(std::shared_ptr<KernelChannel> channel, Done done) {
  std::shared_ptr<FileAnswerReader>(new FileAnswerReader(std::move(channel), std::move(done)))->read_on();
}

void FileAnswerReader::read_on() {
  channel_->read([self = shared_from_this()](const Result<std::string>& bytes) { self->took(bytes); });
}

void FileAnswerReader::took(const Result<std::string>& bytes) {
  if (!bytes.ok()) return done_(refused_with(to_problem(bytes.error())));
  body_ += *bytes;
  if (body_.size() > kAnswerBytesMax)
    return done_(
        refused_with(make_problem("agent-answer-invalid", "the agent's answer about files is too long")));
  if (!bytes->empty()) return read_on();
  FileReply reply;
  if (!reply.answer.ParseFromString(body_))
    return done_(
        refused_with(make_problem("agent-answer-invalid", "the agent's answer about files is garbled")));
  done_(std::move(reply));
}

}  // namespace berth::controller::api
