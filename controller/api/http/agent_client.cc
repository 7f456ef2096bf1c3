#include "controller/api/http/agent_client.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "events/codec/framing.h"
#include "events/schema/v1/service.pb.h"

namespace berth::controller {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Error unreachable(const AgentLogQuery& query, const std::string& why) {
  return make_error("agent-unreachable",
                    "agent " + query.agent + " does not answer at '" + query.address + "': " + why,
                    "is the agent running? `berth agent ls` shows its state");
}

Error invalid(const std::string& why) {
  return make_error("agent-answer-invalid", "the agent's answer " + why);
}

// An IP address and port; names are not looked up.
std::optional<tcp::endpoint> endpoint_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto ip = asio::ip::make_address(host, error);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (error || parsed.ec != std::errc() || parsed.ptr != end || port == 0) return std::nullopt;
  return tcp::endpoint(ip, port);
}

Result<AgentLogPage> read_answer(const std::string& payload, const Signer& signer, const std::string& nonce) {
  const auto envelope = open_signed(signer, Channel::kService, payload);
  if (!envelope) return envelope.error();
  v1::Service answer;
  if (!answer.ParseFromArray(envelope->body.data(), static_cast<int>(envelope->body.size())))
    return invalid("does not parse");
  if (answer.nonce() != nonce) return invalid("is to another question");
  if (answer.has_error())
    return make_error(answer.error().code(), answer.error().message(), answer.error().hint());
  if (!answer.has_log_given() || answer.log_given().next() < answer.log_given().bytes().size())
    return invalid("holds no page");
  auto& given = *answer.mutable_log_given();
  AgentLogPage page;
  page.offset = given.next() - given.bytes().size();
  page.next = given.next();
  page.end = given.ended();
  page.bytes = std::move(*given.mutable_bytes());
  return page;
}

v1::Service question_of(const AgentLogQuery& query, Timestamp now, const Uuid& nonce) {
  v1::Service question;
  question.set_nonce(std::string(nonce.view()));
  question.set_sent_ms(now / kMillisecond);
  auto& wanted = *question.mutable_log_wanted();
  wanted.set_kernel_id(std::string(query.kernel.view()));
  wanted.set_attempt(query.attempt);
  wanted.set_offset(query.offset);
  wanted.set_max_bytes(std::min(query.limit, kLogPageBytesMax));
  return question;
}

// One question on a connection of its own. All of it happens on the client's thread.
class Question : public std::enable_shared_from_this<Question> {
  // Goes on with `next` unless the operation failed or the question is over.
  template <class Next> auto step(Next next) {
    return [self = shared_from_this(), next](const error_code& error, std::size_t = 0) {
      if (!self->done_) return;
      if (error) return self->finish(unreachable(self->query_, error.message()));
      next();
    };
  }

 public:
  Question(asio::io_context& io, AgentLogQuery query, Signer signer, AgentClient::Done done)
      : query_(std::move(query)),
        signer_(std::move(signer)),
        done_(std::move(done)),
        socket_(io),
        deadline_(io) {}

  void ask(const v1::Service& question, Duration patience) {
    nonce_ = question.nonce();
    bytes_ = frame_of(signer_.sign(Channel::kService, question.SerializeAsString()));
    const auto endpoint = endpoint_of(query_.address);
    if (!endpoint) return finish(unreachable(query_, "it is no IP address with a port"));
    deadline_.expires_after(std::chrono::nanoseconds(patience));
    deadline_.async_wait([self = shared_from_this(), patience](const error_code& cancelled) {
      if (!cancelled && self->done_) self->finish(self->too_late(patience));
    });
    socket_.async_connect(*endpoint, step([this] { write(); }));
  }

 private:
  void write() {
    asio::async_write(socket_, asio::buffer(bytes_), step([this] { read_header(); }));
  }
  void read_header() {
    asio::async_read(socket_, asio::buffer(header_), step([this] { read_payload(); }));
  }
  void read_payload() {
    const auto length = frame_length(header_, kAnswerBytesMax);
    if (!length) return finish(invalid("is empty or too long"));
    bytes_.assign(*length, '\0');
    asio::async_read(socket_, asio::buffer(bytes_),
                     step([this] { finish(read_answer(bytes_, signer_, nonce_)); }));
  }

  Error too_late(Duration patience) const {
    return make_error("agent-timeout",
                      "agent " + query_.agent + " at " + query_.address + " has not answered within " +
                          std::to_string(patience / kMillisecond) + " ms",
                      "is it stopped, or its machine overloaded? `berth agent show " + query_.agent + "`");
  }

  void finish(Result<AgentLogPage> result) {
    error_code ignored;
    socket_.close(ignored);
    deadline_.cancel();
    std::exchange(done_, nullptr)(std::move(result));
  }

  const AgentLogQuery query_;
  const Signer signer_;
  AgentClient::Done done_;  // empty once it was called
  tcp::socket socket_;
  asio::steady_timer deadline_;
  std::string nonce_;
  std::string bytes_;  // of the question, then of the answer
  FrameHeader header_{};
};

}  // namespace

struct AgentClient::Impl {
  Impl(const Clock& the_clock, RandomSource& the_random, AgentClientLimits the_limits)
      : clock(the_clock), random(the_random), limits(the_limits), thread([this] { io.run(); }) {}

  void fetch_log(AgentLogQuery query, Signer signer, Done done);

  const Clock& clock;
  RandomSource& random;
  const AgentClientLimits limits;
  std::map<std::string, std::size_t> in_flight;  // of each agent; the thread's alone
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread thread;
};

void AgentClient::Impl::fetch_log(AgentLogQuery query, Signer signer, Done done) {
  const std::string agent = query.agent;
  if (in_flight[agent] >= limits.in_flight_per_agent_max)
    return done(make_error(
        "agent-busy",
        std::to_string(limits.in_flight_per_agent_max) + " questions to agent " + agent + " are under way",
        "ask again in a second"));
  ++in_flight[agent];
  const auto question = question_of(query, clock.now().wall, random.uuid());
  std::make_shared<Question>(io, std::move(query), std::move(signer),
                             [this, agent, done = std::move(done)](Result<AgentLogPage> result) {
                               if (--in_flight[agent] == 0) in_flight.erase(agent);
                               done(std::move(result));
                             })
      ->ask(question, limits.patience);
}

AgentClient::AgentClient(const Clock& clock, RandomSource& random, AgentClientLimits limits)
    : impl_(std::make_unique<Impl>(clock, random, limits)) {}

AgentClient::~AgentClient() { stop(); }

void AgentClient::fetch_log(AgentLogQuery query, Signer signer, Done done) {
  asio::post(impl_->io, [impl = impl_.get(), query = std::move(query), signer = std::move(signer),
                         done = std::move(done)]() mutable {
    impl->fetch_log(std::move(query), std::move(signer), std::move(done));
  });
}

void AgentClient::stop() {
  impl_->io.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace berth::controller
