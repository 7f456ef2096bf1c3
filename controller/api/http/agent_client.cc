#include "controller/api/http/agent_client.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

#include "controller/api/http/agent_channel.h"
#include "events/codec/log_page.h"

namespace berth::controller {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kAnswerBytesMax = kLogPageBytesMax + (64u << 10);  // a page, or the text of an error

Error too_late(const AgentLogQuery& query, Duration patience) {
  return make_error("agent-timeout",
                    "agent " + query.agent + " at " + query.address + " has not answered within " +
                        std::to_string(patience / kMillisecond) + " ms",
                    "is it stopped, or its machine overloaded? `berth agent show " + query.agent + "`");
}

Error of_tunnel(const AgentLogQuery& query, const Error& error) {
  return error_of_tunnel(query.agent, query.address, error);
}

Error invalid(const std::string& why) {
  return make_error("agent-answer-invalid", "the agent's answer " + why);
}

const std::string* find(const tunnel::Headers& headers, const char* name) {
  for (const auto& [found, value] : headers)
    if (found == name) return &value;
  return nullptr;
}

Result<AgentLogPage> page_of(const tunnel::Headers& headers, std::string bytes) {
  const std::string* const next = find(headers, kLogNextHeader);
  const std::string* const ended = find(headers, kLogEndedHeader);
  AgentLogPage page;
  if (next == nullptr || ended == nullptr ||
      std::from_chars(next->data(), next->data() + next->size(), page.next).ec != std::errc() ||
      page.next < bytes.size())
    return invalid("holds no page");
  page.offset = page.next - bytes.size();
  page.end = *ended == "true";
  page.bytes = std::move(bytes);
  return page;
}

// One question on a stream of its own. All of it on the tunnels' strand; its handlers hold it.
class LogQuestion : public std::enable_shared_from_this<LogQuestion> {
 public:
  LogQuestion(const AgentTunnels::Strand& strand, AgentLogQuery query, AgentClient::Done done)
      : query_(std::move(query)), done_(std::move(done)), deadline_(strand) {}

  void ask(AgentTunnels& tunnels, const Signer& signer, Duration patience) {
    deadline_.expires_after(std::chrono::nanoseconds(patience));
    deadline_.async_wait([weak = weak_from_this(), patience](const boost::system::error_code& cancelled) {
      const auto self = weak.lock();
      if (!cancelled && self) self->finish(too_late(self->query_, patience));
    });
    const std::string path = "/kernels/" + to_string(query_.kernel) + "/" + std::to_string(query_.attempt) +
                             "/log?offset=" + std::to_string(query_.offset) +
                             "&limit=" + std::to_string(std::min(query_.limit, kLogPageBytesMax));
    stream_ = tunnels.open(signer, query_.address, {"GET", path, {}},
                           [self = shared_from_this()](Result<tunnel::Answer> answer) {
                             if (!answer) return self->finish(of_tunnel(self->query_, answer.error()));
                             self->answer_ = std::move(*answer);
                             self->read();
                           });
    stream_->finish();
  }

 private:
  void read() {
    if (!stream_) return;
    stream_->read([self = shared_from_this()](const Result<std::string>& bytes) {
      if (!bytes) return self->finish(of_tunnel(self->query_, bytes.error()));
      if (bytes->empty()) return self->finish(self->result());
      self->body_ += *bytes;
      if (self->body_.size() > kAnswerBytesMax) return self->finish(invalid("is too long"));
      self->read();
    });
  }

  Result<AgentLogPage> result() {
    if (answer_.status != 200) return refusal_in(body_);
    return page_of(answer_.headers, std::move(body_));
  }

  void finish(Result<AgentLogPage> result) {
    if (!done_) return;
    deadline_.cancel();
    stream_ = nullptr;
    std::exchange(done_, nullptr)(std::move(result));
  }

  const AgentLogQuery query_;
  AgentClient::Done done_;  // empty once it was called
  asio::steady_timer deadline_;
  std::shared_ptr<tunnel::Stream> stream_;
  tunnel::Answer answer_;
  std::string body_;
};

}  // namespace

struct AgentClient::InFlight {
  std::map<std::string, std::size_t> of;  // the tunnels' strand's alone
};

AgentClient::AgentClient(AgentTunnels& tunnels, AgentClientLimits limits)
    : tunnels_(tunnels), limits_(limits), in_flight_(std::make_shared<InFlight>()) {}

void AgentClient::fetch_log(AgentLogQuery query, Signer signer, Done done) {
  asio::post(tunnels_.strand(), [&tunnels = tunnels_, limits = limits_, in_flight = in_flight_,
                                 query = std::move(query), signer = std::move(signer),
                                 done = std::move(done)]() mutable {
    const std::string agent = query.agent;
    if (in_flight->of[agent] >= limits.in_flight_per_agent_max)
      return done(make_error(
          "agent-busy",
          std::to_string(limits.in_flight_per_agent_max) + " questions to agent " + agent + " are under way",
          "ask again in a second"));
    ++in_flight->of[agent];
    auto finished = [in_flight, agent, done = std::move(done)](Result<AgentLogPage> page) {
      if (--in_flight->of[agent] == 0) in_flight->of.erase(agent);
      done(std::move(page));
    };
    std::make_shared<LogQuestion>(tunnels.strand(), std::move(query), std::move(finished))
        ->ask(tunnels, signer, limits.patience);
  });
}

}  // namespace berth::controller
