#include "events/tunnel/client.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "events/tunnel/connection.h"
#include "events/tunnel/endpoint.h"

namespace berth::tunnel {
namespace {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;

constexpr Duration kFirstPause = 50 * kMillisecond;

}  // namespace

// What changes is changed on `strand_` alone, which is its connections' strand, too.
class Client::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(Strand strand, const Signer& agent, std::string address, const Limits& limits)
      : strand_(std::move(strand)),
        tls_(std::make_shared<Tls>(agent, Role::kClient)),
        address_(std::move(address)),
        peer_(agent.writer() + " at '" + address_ + "'"),
        limits_(limits) {}
  ~Impl();

  std::shared_ptr<Stream> open(Question question, Stream::Answered answered);
  void cut(const Error& why);
  void stop();
  Counts counts() const { return common_->totals.counts(); }

 private:
  struct Waiting {
    std::shared_ptr<StreamState> stream;
    Question question;
  };

  void ask(const std::shared_ptr<StreamState>& stream, Question question);
  void connect();
  void open_waiting();
  void retire();
  void over(std::uint64_t number, const Error& error);
  void failed(const Error& error);
  void tell_waiting(const Error& error);
  void end_all(const Error& error);

  const Strand strand_;
  const std::shared_ptr<Tls> tls_;
  const std::string address_;
  const std::string peer_;
  const Limits limits_;
  const std::shared_ptr<Common> common_ = std::make_shared<Common>();
  std::vector<Waiting> waiting_;                    // for the connection to be up
  std::shared_ptr<Connection> connection_;          // null: none, and none is tried
  std::uint64_t number_ = 0;                        // of connection_, counted
  std::vector<std::weak_ptr<Connection>> retired_;  // until their streams have ended
  std::optional<Error> stopped_by_;
  std::atomic<bool> cut_ = false;  // handlers are called though this stops
  // After attempts that failed.
  Duration pause_ = 0;
  SteadyClock::time_point pause_end_;
  Error last_;
};

Client::Impl::~Impl() { tell_waiting(make_error(kLost, "the connection was given up")); }

std::shared_ptr<Stream> Client::Impl::open(Question question, Stream::Answered answered) {
  auto state = std::make_shared<StreamState>(strand_, common_);
  state->wait_for_answer(std::move(answered));
  asio::post(strand_, [self = shared_from_this(), state, question = std::move(question)]() mutable {
    self->ask(state, std::move(question));
  });
  return std::make_shared<Stream>(std::move(state));
}

void Client::Impl::ask(const std::shared_ptr<StreamState>& stream, Question question) {
  if (stopped_by_) return stream->end(*stopped_by_);
  if (const auto fits = check(question); !fits) return stream->end(fits.error());
  Session* session = connection_ ? connection_->session() : nullptr;
  if (session != nullptr && !session->takes_questions()) {
    retire();
    session = nullptr;
  }
  if ((session != nullptr ? session->streams() : waiting_.size()) >= limits_.streams_max)
    return stream->end(make_error(kTooManyStreams,
                                  std::to_string(limits_.streams_max) + " streams to " + peer_ + " are open",
                                  "close terminals or transfers that nobody needs"));
  if (session != nullptr) return session->open(stream, question);
  if (!connection_ && SteadyClock::now() < pause_end_) return stream->end(last_);
  waiting_.push_back({stream, std::move(question)});
  if (!connection_) connect();
}

// It goes on with the streams that it has; the next gets a connection of its own.
void Client::Impl::retire() {
  std::erase_if(retired_, [](const std::weak_ptr<Connection>& one) { return one.expired(); });
  retired_.push_back(connection_);
  connection_ = nullptr;
}

void Client::Impl::connect() {
  const auto endpoint = endpoint_of(address_);
  if (!endpoint || endpoint->port() == 0)
    return failed(make_error(kLost, "'" + address_ + "' of " + peer_ + " is no IP address with a port"));
  ConnectionParts parts;
  parts.tls = tls_;
  parts.common = common_;
  parts.limits = limits_;
  parts.peer = peer_;
  // Not at once: this comes from within the session.
  parts.unasked = [weak = weak_from_this()](const std::shared_ptr<StreamState>& stream, Question question) {
    const auto self = weak.lock();
    if (!self) return stream->end(make_error(kLost, "the connection was given up"));
    asio::post(self->strand_, [self, stream, question = std::move(question)]() mutable {
      if (!stream->over()) self->ask(stream, std::move(question));
    });
  };
  parts.up = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->open_waiting();
  };
  parts.over = [weak = weak_from_this(), number = ++number_](const Error& error) {
    if (const auto self = weak.lock()) self->over(number, error);
  };
  connection_ = std::make_shared<Connection>(Connection::Socket(strand_), std::move(parts));
  connection_->connect(*endpoint);
}

void Client::Impl::open_waiting() {
  pause_ = 0;
  for (const auto& [stream, question] : std::exchange(waiting_, {}))
    if (!stream->over()) connection_->session()->open(stream, question);
}

void Client::Impl::over(std::uint64_t number, const Error& error) {
  if (number == number_) failed(error);
}

void Client::Impl::failed(const Error& error) {
  connection_ = nullptr;
  if (waiting_.empty()) return;  // it was up, and its session has told its streams
  pause_ = std::min(std::max(2 * pause_, kFirstPause), limits_.pause_max);
  pause_end_ = SteadyClock::now() + std::chrono::nanoseconds(pause_);
  last_ = error;
  tell_waiting(error);
}

void Client::Impl::tell_waiting(const Error& error) {
  for (const auto& [stream, question] : std::exchange(waiting_, {})) stream->end(error);
}

void Client::Impl::cut(const Error& why) {
  if (cut_.exchange(true)) return;
  asio::post(strand_, [self = shared_from_this(), why] { self->end_all(why); });
}

void Client::Impl::stop() {
  if (cut_) return;
  common_->gate.shut();
  asio::post(strand_,
             [self = shared_from_this()] { self->end_all(make_error(kLost, "this API server stops")); });
}

void Client::Impl::end_all(const Error& error) {
  stopped_by_ = error;
  retired_.push_back(connection_);
  for (const auto& one : std::exchange(retired_, {}))
    if (const auto connection = one.lock()) connection->end(error);
}

Client::Client(Strand strand, const Signer& agent, std::string address, Limits limits)
    : impl_(std::make_shared<Impl>(std::move(strand), agent, std::move(address), limits)) {}
Client::~Client() { stop(); }
std::shared_ptr<Stream> Client::open(Question question, Stream::Answered answered) {
  return impl_->open(std::move(question), std::move(answered));
}
void Client::cut(const Error& why) { impl_->cut(why); }
void Client::stop() { impl_->stop(); }
Counts Client::counts() const { return impl_->counts(); }

}  // namespace berth::tunnel
