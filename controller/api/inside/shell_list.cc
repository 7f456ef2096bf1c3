#include "controller/api/inside/shell_list.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "controller/api/map/json_values.h"
#include "events/inside/answers.h"
#include "events/inside/frames.h"
#include "events/inside/messages.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using inside::Request;
using inside::ShellEntry;

constexpr std::chrono::milliseconds kPatience{5'000};
constexpr std::size_t kShellsMax = 256;  // a helper has at most 64

// One question to a kernel's helper, with an answer that ends. Its handlers hold it.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
 public:
  using Done = std::function<void(Result<std::vector<ShellEntry>>)>;
  explicit Inquiry(Done done) : done_(std::move(done)) {}

  void ask(const Services& services, const KernelPlace& kernel, const Request& request) {
    const auto self = shared_from_this();
    services.quick.post_after(kPatience, [weak = weak_from_this()] {
      if (const auto late = weak.lock())
        late->finish(make_error("agent-timeout", "the kernel's helper has not answered within 5 s",
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
      const auto answer = answer_in(*frame);
      if (!answer) return finish(garbled_list());
      if (std::holds_alternative<inside::Ended>(*answer)) return finish(std::move(shells_));
      if (const auto* problem = std::get_if<inside::Problem>(&*answer))
        return finish(make_error(problem->code, problem->message));
      const auto* shell = std::get_if<ShellEntry>(&*answer);
      if (shell == nullptr && !std::holds_alternative<inside::Begun>(*answer)) return finish(garbled_list());
      if (shell != nullptr) shells_.push_back(*shell);
      if (shells_.size() > kShellsMax) return finish(garbled_list());
    }
    if (frames_.broken()) return finish(garbled_list());
    read();
  }

  static Error garbled_list() {
    return make_error("agent-answer-invalid", "what comes out of the kernel is no list of shells",
                      "a program in the kernel may have taken the helper's place; end the session");
  }

  void finish(Result<std::vector<ShellEntry>> result) {
    Done done;
    std::shared_ptr<KernelChannel> channel;  // goes without the lock
    {
      const std::lock_guard lock(mutex_);
      done = std::exchange(done_, nullptr);
      channel = std::exchange(channel_, nullptr);
    }
    if (done) done(std::move(result));
  }

  std::mutex mutex_;
  Done done_;                               // guarded; empty once it was called
  std::shared_ptr<KernelChannel> channel_;  // guarded
  inside::FrameReader frames_;              // the channel's handlers' alone
  std::vector<ShellEntry> shells_;
};

void inquire(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
             const Request& request, std::function<json::value(std::vector<ShellEntry>)> make) {
  if (const auto wrong = inside::check(request))
    return reply(problem_reply(make_problem("invalid-name", wrong->message), *call));
  std::make_shared<Inquiry>([call, reply, make = std::move(make)](Result<std::vector<ShellEntry>> shells) {
    if (!shells.ok()) return reply(problem_reply(to_problem(shells.error()), *call));
    reply(json_reply(200, make(std::move(*shells))));
  })->ask(services, kernel, request);
}

}  // namespace

void list_shells(const Services& services, const CallPtr& call, const Reply& reply,
                 const KernelPlace& kernel) {
  Request request;
  request.what = Request::What::kShells;
  inquire(services, call, reply, kernel, request, [](const std::vector<ShellEntry>& shells) {
    json::array items;
    for (const ShellEntry& shell : shells)
      items.push_back({{"name", shell.name},
                       {"command", shell.command},
                       {"started_at", time_or_null(std::max<Timestamp>(shell.started_at, 0))},
                       {"clients", shell.clients}});
    return json::object{{"items", std::move(items)}};
  });
}

void end_shell(const Services& services, const CallPtr& call, const Reply& reply, const KernelPlace& kernel,
               const std::string& shell) {
  Request request;
  request.what = Request::What::kShellEnd;
  request.name = shell;
  inquire(services, call, reply, kernel, request, [shell](const std::vector<ShellEntry>&) {
    return json::object{{"name", shell}};
  });
}

}  // namespace berth::controller::api
