#include "events/tunnel/server.h"

#include <map>

#include "events/base/edge_errors.h"
#include "events/tunnel/connection.h"
#include "events/tunnel/endpoint.h"

namespace berth::tunnel {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when no descriptor is free

Error stopped() { return make_error(kLost, "the agent's services stop"); }

}  // namespace

// What changes is changed on `strand_` alone; connections have strands of their own.
class Server::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, const Signer& agent, Asked asked, const Limits& limits)
      : io_(io),
        strand_(asio::make_strand(io)),
        tls_(std::make_shared<Tls>(agent, Role::kServer)),
        asked_(std::move(asked)),
        limits_(limits),
        acceptor_(strand_),
        pause_(strand_) {}

  Result<std::string> start(const std::string& address);
  void stop();
  Counts counts() const { return common_->totals.counts(); }

 private:
  using Held = std::weak_ptr<Connection>;
  using Id = std::uint64_t;  // in the order of coming

  void accept();
  void take(Connection::Socket socket);
  ConnectionParts parts_for(Id id, const tcp::endpoint& from);
  void proved(Id id);
  void forget(Id id);
  static void end(const Held& held, const Error& error);

  asio::io_context& io_;
  const Strand strand_;
  const std::shared_ptr<Tls> tls_;
  const Asked asked_;
  const Limits limits_;
  const std::shared_ptr<Common> common_ = std::make_shared<Common>();
  asio::basic_socket_acceptor<tcp, Strand> acceptor_;
  asio::steady_timer pause_;
  Id next_ = 0;
  std::map<Id, Held> unproved_;
  std::map<Id, Held> proved_;
  bool stopping_ = false;
};

Result<std::string> Server::Impl::start(const std::string& address) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint)
    return make_error("address-invalid", "'" + address + "' is no address to serve on",
                      "write IP:PORT, port 0 for any free one");
  error_code error;
  acceptor_.open(endpoint->protocol(), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(*endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::address_in_use)
    return make_error(kPortInUse, address + " is in use", "choose another one, or port 0 for any free one");
  if (error) return make_error("listen-failed", address + ": " + error.message());
  const std::string bound = text_of(acceptor_.local_endpoint());
  asio::post(strand_, [self = shared_from_this()] { self->accept(); });
  return bound;
}

void Server::Impl::stop() {
  common_->gate.shut();
  asio::post(strand_, [self = shared_from_this()] {
    error_code ignored;
    self->stopping_ = true;
    self->pause_.cancel();
    self->acceptor_.close(ignored);
    for (const auto& [id, held] : self->unproved_) end(held, stopped());
    for (const auto& [id, held] : self->proved_) end(held, stopped());
  });
}

void Server::Impl::end(const Held& held, const Error& error) {
  if (const auto connection = held.lock())
    asio::post(connection->strand(), [connection, error] { connection->end(error); });
}

void Server::Impl::accept() {
  if (stopping_) return;
  acceptor_.async_accept(asio::make_strand(io_),
                         [self = shared_from_this()](const error_code& error, Connection::Socket socket) {
                           if (self->stopping_) return;
                           if (!error) {
                             self->take(std::move(socket));
                             return self->accept();
                           }
                           self->pause_.expires_after(kAcceptPause);
                           self->pause_.async_wait([self](const error_code&) { self->accept(); });
                         });
}

void Server::Impl::take(Connection::Socket socket) {
  error_code gone;
  const auto from = socket.remote_endpoint(gone);
  if (gone) return;
  if (unproved_.size() >= limits_.handshakes_max) {
    end(unproved_.begin()->second, make_error(kLost, "others wait to prove their key"));
    unproved_.erase(unproved_.begin());
  }
  const Id id = next_++;
  const auto connection = std::make_shared<Connection>(std::move(socket), parts_for(id, from));
  unproved_.emplace(id, connection);
  asio::post(connection->strand(), [connection] { connection->accept(); });
}

ConnectionParts Server::Impl::parts_for(Id id, const tcp::endpoint& from) {
  const auto self = shared_from_this();
  ConnectionParts parts;
  parts.tls = tls_;
  parts.common = common_;
  parts.limits = limits_;
  parts.peer = "the API server at " + text_of(from);
  parts.asked = [self](Question question, const std::shared_ptr<StreamState>& state) {
    auto stream = std::make_shared<Stream>(state);
    self->common_->gate.through([&] { self->asked_(std::move(question), std::move(stream)); });
  };
  parts.up = [self, id] { asio::post(self->strand_, [self, id] { self->proved(id); }); };
  parts.over = [self, id](const Error&) { asio::post(self->strand_, [self, id] { self->forget(id); }); };
  return parts;
}

void Server::Impl::proved(Id id) {
  auto node = unproved_.extract(id);
  if (node.empty()) return;
  if (proved_.size() >= limits_.connections_max)
    return end(node.mapped(), make_error(kLost, "there are too many connections"));
  proved_.insert(std::move(node));
}

void Server::Impl::forget(Id id) {
  unproved_.erase(id);
  proved_.erase(id);
}

Server::Server(asio::io_context& io, const Signer& agent, Asked asked, Limits limits)
    : impl_(std::make_shared<Impl>(io, agent, std::move(asked), limits)) {}
Server::~Server() { stop(); }
Result<std::string> Server::start(const std::string& address) { return impl_->start(address); }
void Server::stop() { impl_->stop(); }
Counts Server::counts() const { return impl_->counts(); }

}  // namespace berth::tunnel
