#include "controller/api/inside/inquiry.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "events/inside/frames.h"

namespace berth::controller::api {
namespace {

using inside::Answer;
using inside::Request;

constexpr std::size_t kEntriesMax = 256;  // a helper has at most 64 shells and 32 apps

// Its handlers hold it.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
 public:
  using Done = std::function<void(Result<std::vector<Answer>>)>;
  Inquiry(Request::What what, Done done) : what_(what), done_(std::move(done)) {}

  void ask(const Services& services, const KernelPlace& kernel, const Request& request,
           std::chrono::milliseconds patience) {
    const auto self = shared_from_this();
    services.quick.post_after(patience, [weak = weak_from_this(), patience] {
      if (const auto late = weak.lock())
        late->finish(make_error(
            "agent-timeout",
            "the kernel's helper has not answered within " + std::to_string(patience.count() / 1'000) + " s",
            "try again; a kernel that has no CPU left answers late"));
    });
    const std::lock_guard lock(mutex_);
    channel_ = services.context.open_channel(kernel, [self](const Result<void>& opened) {
      if (!opened.ok()) return self->finish(opened.error());
      self->read();
    });
    std::string frames;
    append_request(frames, request);                                 // it is small
    channel_->write(std::move(frames), [](const Result<void>&) {});  // a failure is read, too
  }

 private:
  void read() {
    const std::lock_guard lock(mutex_);
    if (channel_ == nullptr) return;
    channel_->read([self = shared_from_this()](const Result<std::string>& bytes) { self->took(bytes); });
  }

  void took(const Result<std::string>& bytes) {
    if (!bytes.ok()) return finish(bytes.error());
    if (bytes->empty())
      return finish(make_error("agent-unreachable", "the agent ended its answer too early"));
    frames_.append(*bytes);
    while (const auto frame = frames_.next()) {
      auto answer = answer_in(*frame);
      if (!answer) return finish(garbled());
      if (std::holds_alternative<inside::Ended>(*answer)) return finish(std::move(entries_));
      if (const auto* problem = std::get_if<inside::Problem>(&*answer))
        return finish(make_error(Code::told(problem->code), problem->message));
      if (std::holds_alternative<inside::Begun>(*answer)) continue;
      if (!is_asked_for(*answer)) return finish(garbled());
      entries_.push_back(std::move(*answer));
      if (entries_.size() > kEntriesMax) return finish(garbled());
    }
    if (frames_.broken()) return finish(garbled());
    read();
  }

  bool is_asked_for(const Answer& answer) const {
    if (what_ == Request::What::kShells) return std::holds_alternative<inside::ShellEntry>(answer);
    if (what_ == Request::What::kLosses)
      return std::holds_alternative<inside::LossSum>(answer) ||
             std::holds_alternative<inside::LossEntry>(answer);
    return what_ == Request::What::kApps && std::holds_alternative<inside::AppEntry>(answer);
  }

  static Error garbled() {
    return make_error("agent-answer-invalid", "what comes out of the kernel is no answer to what was asked",
                      "a program in the kernel may have taken the helper's place; end the session");
  }

  void finish(Result<std::vector<Answer>> result) {
    Done done;
    std::shared_ptr<KernelChannel> channel;  // goes without the lock
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
      channel = std::exchange(channel_, nullptr);
    }
    if (done) done(std::move(result));
  }

  const Request::What what_;
  std::mutex mutex_;
  Done done_;                               // guarded; empty once it was called
  std::shared_ptr<KernelChannel> channel_;  // guarded
  inside::FrameReader frames_;              // the channel's handlers' alone
  std::vector<Answer> entries_;
};

}  // namespace

void inquire(const Services& services, const KernelPlace& kernel, const Request& request,
             std::chrono::milliseconds patience, std::function<void(Result<std::vector<Answer>>)> done) {
  if (const auto wrong = inside::check(request)) return done(make_error("invalid-name", wrong->message));
  std::make_shared<Inquiry>(request.what, std::move(done))->ask(services, kernel, request, patience);
}

}  // namespace berth::controller::api
