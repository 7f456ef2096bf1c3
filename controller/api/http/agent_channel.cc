#include "controller/api/http/agent_channel.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <utility>

#include "events/base/hex.h"
#include "events/codec/file_service.h"
#include "events/codec/words/codes.h"
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

Result<AppOpened> opened_by(const tunnel::Headers& headers) {
  AppOpened opened;
  for (const auto& [name, value] : headers) {
    if (name != kTokenHeader) continue;
    if (!is_token(value)) return make_error("agent-answer-invalid", "the agent sends a token that is none");
    opened.token = value;
  }
  return opened;
}

// How an agent's answer begins: with its headers, or with why it refuses.
struct Beginning {
  std::optional<Error> refused;
  std::uint64_t offset = 0;  // of a refusal that names one
  tunnel::Headers headers;
};

// A question to an agent until its answer begins. On the tunnels' strand, whose handlers hold it.
class Question : public std::enable_shared_from_this<Question> {
 public:
  using Begun = std::function<void(Beginning)>;

  Question(AgentTunnels& tunnels, std::string agent, std::string address, Begun begun)
      : tunnels_(tunnels),
        agent_(std::move(agent)),
        address_(std::move(address)),
        begun_(std::move(begun)),
        deadline_(tunnels.strand()) {}

  std::shared_ptr<tunnel::Stream> ask(const Signer& signer, const std::string& path) {
    const std::lock_guard lock(mutex_);  // the answer may come before the stream is known here
    auto stream = tunnels_.open(
        signer, address_, {"POST", path, {}},
        [self = shared_from_this()](const Result<tunnel::Answer>& answer) { self->answered(answer); });
    stream_ = stream;
    return stream;
  }

  void give_up_after(Duration patience) {
    boost::asio::post(tunnels_.strand(), [self = shared_from_this(), patience] { self->wait(patience); });
  }

 private:
  void wait(Duration patience) {
    if (!begun_) return;
    deadline_.expires_after(std::chrono::nanoseconds(patience));
    deadline_.async_wait([weak = weak_from_this(), patience](const boost::system::error_code& cancelled) {
      const auto self = weak.lock();
      if (cancelled || !self) return;
      self->refused(make_error("agent-timeout",
                               "agent " + self->agent_ + " has not opened the kernel within " +
                                   std::to_string(patience / kSecond) + " s",
                               "`berth agent show " + self->agent_ + "` tells its state"));
    });
  }

  void answered(const Result<tunnel::Answer>& answer) {
    if (!answer) return refused(error_of_tunnel(agent_, address_, answer.error()));
    if (answer->status == 200) return begin({{}, 0, answer->headers});
    read_refusal();
  }

  void read_refusal() {
    const auto stream = stream_of();
    if (!stream) return;
    stream->read([self = shared_from_this()](const Result<std::string>& bytes) {
      if (!bytes) return self->refused(error_of_tunnel(self->agent_, self->address_, bytes.error()));
      self->refusal_ += *bytes;
      const bool whole = bytes->empty() || self->refusal_.size() > kRefusalBytesMax;
      if (!whole) return self->read_refusal();
      v1::ServiceError error;
      self->begin(
          {refusal_in(self->refusal_), error.ParseFromString(self->refusal_) ? error.offset() : 0, {}});
    });
  }

  std::shared_ptr<tunnel::Stream> stream_of() {
    const std::lock_guard lock(mutex_);
    return stream_.lock();
  }

  void refused(Error error) { begin({std::move(error), 0, {}}); }

  void begin(Beginning beginning) {
    deadline_.cancel();
    if (const auto begun = std::exchange(begun_, nullptr)) begun(std::move(beginning));
  }

  AgentTunnels& tunnels_;
  const std::string agent_, address_;
  Begun begun_;  // empty once it was called
  boost::asio::steady_timer deadline_;
  std::mutex mutex_;
  std::weak_ptr<tunnel::Stream> stream_;  // guarded
  std::string refusal_;
};

class AgentChannel final : public KernelChannel {
 public:
  AgentChannel(KernelPlace kernel, bool to_app, std::shared_ptr<tunnel::Stream> stream)
      : end_(std::make_shared<const End>(End{std::move(kernel), to_app})), stream_(std::move(stream)) {}

  void read(std::function<void(Result<std::string>)> done) override {
    stream_->read([end = end_, done = std::move(done)](Result<std::string> bytes) {
      done(bytes ? std::move(bytes) : error_of(*end, bytes.error()));
    });
  }
  void write(std::string bytes, std::function<void(Result<void>)> done) override {
    stream_->write(std::move(bytes), [end = end_, done = std::move(done)](const Result<void>& written) {
      done(written ? written : error_of(*end, written.error()));
    });
  }
  void finish() override { stream_->finish(); }

 private:
  // Where the channel leads: for errors, of which one may come when this object is gone.
  struct End {
    KernelPlace kernel;
    bool is_app;
  };

  // The agent gives up the stream of an app that cuts its connection; of an agent that is gone, the tunnel is
  // lost.
  static Error error_of(const End& end, const Error& error) {
    if (end.is_app && error.code == tunnel::kReset)
      return make_error("connection-cut", "the connection to the app was cut",
                        "the app or its agent ended it; open it again");
    return error_of_tunnel(end.kernel.agent, end.kernel.address, error);
  }

  const std::shared_ptr<const End> end_;
  const std::shared_ptr<tunnel::Stream> stream_;
};

static_assert(KernelChannel::kWriteBytesMax <= tunnel::kBufferedBytesMax);

}  // namespace

std::shared_ptr<KernelChannel> open_agent_channel(AgentTunnels& tunnels, const Signer& signer,
                                                  const KernelPlace& kernel, const std::string& route,
                                                  Duration patience, AppOpenedDone opened) {
  const auto question = std::make_shared<Question>(
      tunnels, kernel.agent, kernel.address, [opened = std::move(opened)](Beginning beginning) {
        opened(beginning.refused ? *std::move(beginning.refused) : opened_by(beginning.headers));
      });
  auto stream = question->ask(
      signer, "/kernels/" + to_string(kernel.kernel) + "/" + std::to_string(kernel.attempt) + "/" + route);
  question->give_up_after(patience);
  return std::make_shared<AgentChannel>(kernel, route.starts_with("app?"), std::move(stream));
}

std::shared_ptr<KernelChannel> ask_agent_files(AgentTunnels& tunnels, const Signer& signer,
                                               const FilesQuestion& asked, FilesAnswered answered) {
  const auto question = std::make_shared<Question>(tunnels, asked.agent, asked.address,
                                                   [answered = std::move(answered)](Beginning beginning) {
                                                     FilesAnswer out;
                                                     for (const auto& [name, value] : beginning.headers)
                                                       if (name == kFileEntryHeader)
                                                         out.entry = from_hex(value).value_or("");
                                                     out.refused = std::move(beginning.refused);
                                                     out.offset = beginning.offset;
                                                     answered(out);
                                                   });
  return std::make_shared<AgentChannel>(KernelPlace{asked.agent, asked.address, {}, 0}, false,
                                        question->ask(signer, asked.path));
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
  if (!error.ParseFromString(body) || error.code() == v1::CODE_UNSPECIFIED)
    return make_error("agent-answer-invalid", "the agent's answer is a refusal without a reason");
  return make_error(code_of(error.code()), error.message(), error.hint());
}

}  // namespace berth::controller
