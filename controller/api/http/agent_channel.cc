#include "controller/api/http/agent_channel.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <utility>

#include "events/base/hex.h"
#include "events/codec/file_service.h"
#include "events/inside/messages.h"
#include "events/schema/v1/service.pb.h"

namespace berth::controller {
namespace {

constexpr std::size_t kRefusalBytesMax = 16u << 10;
constexpr char kTokenHeader[] = "x-berth-app-token";  // agents/services/app_route.h

// It becomes part of a header, and comes from an agent: nothing else may stand in it.
bool is_token(const std::string& text) {
  return text.size() == inside::kTokenSize && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<AppOpened> opened_by(const tunnel::Answer& answer) {
  AppOpened opened;
  for (const auto& [name, value] : answer.headers) {
    if (name != kTokenHeader) continue;
    if (!is_token(value)) return make_error("agent-answer-invalid", "the agent sends a token that is none");
    opened.token = value;
  }
  return opened;
}

// What comes of the question whether a channel opens. On the tunnels' thread, whose handlers hold it.
class Opening : public std::enable_shared_from_this<Opening> {
 public:
  Opening(AgentTunnels& tunnels, KernelPlace kernel, AppOpenedDone opened)
      : kernel_(std::move(kernel)), opened_(std::move(opened)), deadline_(tunnels.io()) {}

  std::shared_ptr<tunnel::Stream> ask(AgentTunnels& tunnels, const Signer& signer, const std::string& route,
                                      Duration patience) {
    const std::string path =
        "/kernels/" + to_string(kernel_.kernel) + "/" + std::to_string(kernel_.attempt) + "/" + route;
    const std::lock_guard lock(mutex_);  // the answer may come before the stream is known here
    auto stream = tunnels.open(
        signer, kernel_.address, {"POST", path, {}},
        [self = shared_from_this()](const Result<tunnel::Answer>& answer) { self->answered(answer); });
    stream_ = stream;
    boost::asio::post(tunnels.io(), [self = shared_from_this(), patience] { self->wait(patience); });
    return stream;
  }

 private:
  void wait(Duration patience) {
    deadline_.expires_after(std::chrono::nanoseconds(patience));
    deadline_.async_wait([weak = weak_from_this(), patience](const boost::system::error_code& cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self) return;
      self->finish(make_error("agent-timeout",
                              "agent " + self->kernel_.agent + " has not opened the kernel within " +
                                  std::to_string(patience / kSecond) + " s",
                              "`berth agent show " + self->kernel_.agent + "` tells its state"));
    });
  }

  void answered(const Result<tunnel::Answer>& answer) {
    if (!answer) return finish(error_of_tunnel(kernel_.agent, kernel_.address, answer.error()));
    if (answer->status == 200) return finish(opened_by(*answer));
    read_refusal();
  }

  void read_refusal() {
    const auto stream = stream_of();
    if (!stream) return;
    stream->read([self = shared_from_this()](const Result<std::string>& bytes) {
      if (!bytes)
        return self->finish(error_of_tunnel(self->kernel_.agent, self->kernel_.address, bytes.error()));
      self->refusal_ += *bytes;
      const bool whole = bytes->empty() || self->refusal_.size() > kRefusalBytesMax;
      if (whole) return self->finish(refusal_in(self->refusal_));
      self->read_refusal();
    });
  }

  std::shared_ptr<tunnel::Stream> stream_of() {
    const std::lock_guard lock(mutex_);
    return stream_.lock();
  }

  void finish(Result<AppOpened> result) {
    deadline_.cancel();
    if (const auto opened = std::exchange(opened_, nullptr)) opened(std::move(result));
  }

  const KernelPlace kernel_;
  AppOpenedDone opened_;  // empty once it was called
  boost::asio::steady_timer deadline_;
  std::mutex mutex_;
  std::weak_ptr<tunnel::Stream> stream_;  // guarded
  std::string refusal_;
};

// What comes of a question about files. On the tunnels' thread, whose handlers hold it.
class FilesAsked : public std::enable_shared_from_this<FilesAsked> {
 public:
  FilesAsked(FilesQuestion question, FilesAnswered answered)
      : question_(std::move(question)), answered_(std::move(answered)) {}

  std::shared_ptr<tunnel::Stream> ask(AgentTunnels& tunnels, const Signer& signer) {
    const std::lock_guard lock(mutex_);  // the answer may come before the stream is known here
    auto stream = tunnels.open(
        signer, question_.address, {"POST", question_.path, {}},
        [self = shared_from_this()](const Result<tunnel::Answer>& answer) { self->answered(answer); });
    stream_ = stream;
    return stream;
  }

 private:
  void answered(const Result<tunnel::Answer>& answer) {
    if (!answer) return refused(error_of_tunnel(question_.agent, question_.address, answer.error()));
    if (answer->status != 200) return read_refusal();
    FilesAnswer out;
    for (const auto& [name, value] : answer->headers)
      if (name == kFileEntryHeader) out.entry = from_hex(value).value_or("");
    finish(std::move(out));
  }

  void read_refusal() {
    const auto stream = stream_of();
    if (!stream) return;
    stream->read([self = shared_from_this()](const Result<std::string>& bytes) {
      if (!bytes)
        return self->refused(error_of_tunnel(self->question_.agent, self->question_.address, bytes.error()));
      self->refusal_ += *bytes;
      const bool whole = bytes->empty() || self->refusal_.size() > kRefusalBytesMax;
      if (!whole) return self->read_refusal();
      v1::ServiceError error;
      FilesAnswer out;
      if (error.ParseFromString(self->refusal_)) out.offset = error.offset();
      out.refused = refusal_in(self->refusal_);
      self->finish(std::move(out));
    });
  }

  std::shared_ptr<tunnel::Stream> stream_of() {
    const std::lock_guard lock(mutex_);
    return stream_.lock();
  }

  void refused(Error error) {
    FilesAnswer out;
    out.refused = std::move(error);
    finish(std::move(out));
  }

  void finish(FilesAnswer answer) {
    if (const auto answered = std::exchange(answered_, nullptr)) answered(std::move(answer));
  }

  const FilesQuestion question_;
  FilesAnswered answered_;  // empty once it was called
  std::mutex mutex_;
  std::weak_ptr<tunnel::Stream> stream_;  // guarded
  std::string refusal_;
};

class AgentChannel final : public KernelChannel {
 public:
  AgentChannel(KernelPlace kernel, std::shared_ptr<tunnel::Stream> stream)
      : kernel_(std::move(kernel)), stream_(std::move(stream)) {}

  void read(std::function<void(Result<std::string>)> done) override {
    stream_->read([kernel = kernel_, done = std::move(done)](Result<std::string> bytes) {
      done(bytes ? std::move(bytes) : error_of_tunnel(kernel.agent, kernel.address, bytes.error()));
    });
  }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    stream_->write(std::move(bytes), [kernel = kernel_, done = std::move(done)](const Result<void>& written) {
      done(written ? written : error_of_tunnel(kernel.agent, kernel.address, written.error()));
    });
  }
  void finish() override { stream_->finish(); }

 private:
  const KernelPlace kernel_;
  const std::shared_ptr<tunnel::Stream> stream_;
};

static_assert(KernelChannel::kWriteBytesMax <= tunnel::kBufferedBytesMax);

}  // namespace

std::shared_ptr<KernelChannel> open_agent_channel(AgentTunnels& tunnels, const Signer& signer,
                                                  const KernelPlace& kernel, const std::string& route,
                                                  Duration patience, AppOpenedDone opened) {
  auto stream =
      std::make_shared<Opening>(tunnels, kernel, std::move(opened))->ask(tunnels, signer, route, patience);
  return std::make_shared<AgentChannel>(kernel, std::move(stream));
}

std::shared_ptr<KernelChannel> ask_agent_files(AgentTunnels& tunnels, const Signer& signer,
                                               const FilesQuestion& question, FilesAnswered answered) {
  auto stream = std::make_shared<FilesAsked>(question, std::move(answered))->ask(tunnels, signer);
  return std::make_shared<AgentChannel>(KernelPlace{question.agent, question.address, {}, 0},
                                        std::move(stream));
}

Error error_of_tunnel(const std::string& agent, const std::string& address, const Error& error) {
  if (error.code == tunnel::kTimeout)
    return make_error("agent-timeout", error.message, "`berth agent show " + agent + "` tells its state");
  return make_error("agent-unreachable",
                    "agent " + agent + " does not answer at '" + address + "': " + error.message,
                    "is the agent running? `berth agent ls` shows its state");
}

Error refusal_in(const std::string& body) {
  v1::ServiceError error;
  if (!error.ParseFromString(body) || error.code().empty())
    return make_error("agent-answer-invalid", "the agent's answer is a refusal without a reason");
  return make_error(error.code(), error.message(), error.hint());
}

}  // namespace berth::controller
