#include "controller/api/http/server.h"

#include <fcntl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include "controller/api/http/connection.h"
#include "events/base/edge_errors.h"
#include "events/base/files/descriptor.h"

namespace berth::controller::api {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

Descriptor spare_descriptor() { return Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

struct Server::Impl {
  Impl(const ServerOptions& options, Api& the_api, IoThreads* the_io)
      : api(the_api),
        shared(std::make_shared<ConnectionShared>(options, the_api)),
        own(the_io == nullptr ? std::make_unique<IoThreads>(options.io_threads) : nullptr),
        io(the_io == nullptr ? *own : *the_io),
        acceptor(io.context()),
        pause(io.context()) {}

  Result<void> open_tls();
  Result<void> listen();
  void accept();
  void accept_failed(const boost::system::error_code& error);

  Api& api;
  std::shared_ptr<ConnectionShared> shared;
  const std::unique_ptr<IoThreads> own;
  IoThreads& io;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  Descriptor spare = spare_descriptor();  // freed where accept() finds no other descriptor
  bool stopped = false;
};

// TLS 1.2 and newer.
Result<void> Server::Impl::open_tls() {
  if (!shared->options.tls) return {};
  const CertificateFiles& files = *shared->options.tls;
  using asio::ssl::context;
  auto tls = std::make_unique<context>(context::tls_server);
  boost::system::error_code error;
  const auto failed = [&](const std::string& file) {
    return make_error("tls-invalid", file + ": " + error.message(),
                      "a certificate with its chain and its key, both in PEM");
  };
  if (SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION) != 1) return failed("TLS");
  // A key with a passphrase fails: nobody is there to be asked.
  tls->set_password_callback([](std::size_t, context::password_purpose) { return std::string(); });
  if (tls->use_certificate_chain_file(files.certificate, error)) return failed(files.certificate);
  if (tls->use_private_key_file(files.key, context::pem, error)) return failed(files.key);
  shared->tls = std::move(tls);
  return {};
}

Result<void> Server::Impl::listen() {
  const ServerOptions& options = shared->options;
  boost::system::error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error)
    return make_error("address-invalid", "'" + options.address + "' is no IP address",
                      "for example 127.0.0.1");
  const tcp::endpoint endpoint(address, options.port);
  const std::string where = options.address + ":" + std::to_string(options.port);
  const auto failed = [&] {
    if (error == asio::error::address_in_use)
      return make_error(kPortInUse, where + " is in use by another process",
                        "stop it, or choose another port with --port");
    return make_error("address-invalid", where + ": " + error.message(),
                      "is it an address of this machine, and a port that you may open?");
  };
  if (acceptor.open(endpoint.protocol(), error)) return failed();
  acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (acceptor.bind(endpoint, error)) return failed();
  if (acceptor.listen(1024, error)) return failed();
  return {};
}

void Server::Impl::accept() {
  acceptor.async_accept(asio::make_strand(io.context()),
                        [this](boost::system::error_code error, tcp::socket socket) {
                          if (error == asio::error::operation_aborted || !acceptor.is_open()) return;
                          if (error) return accept_failed(error);
                          socket.set_option(tcp::no_delay(true), error);
                          serve_connection(std::move(socket), shared);
                          if (!spare) spare = spare_descriptor();
                          accept();
                        });
}

// Out of descriptors, most likely: the queue of the kernel waits. The spare one is for who comes next, and
// the oldest client that signed nothing gives its own to those behind: a question of health is answered.
void Server::Impl::accept_failed(const boost::system::error_code& error) {
  api.metrics().count_rejected("accept-failed");
  const bool is_short =
      error == asio::error::no_descriptors || error == boost::system::errc::too_many_files_open_in_system;
  const bool has_spare = is_short && spare;
  const bool gives_way = is_short && shared->counts.make_room();
  spare = Descriptor();
  pause.expires_after(std::chrono::milliseconds(has_spare || gives_way ? 1 : 100));
  pause.async_wait([this](boost::system::error_code cancelled) {
    if (!cancelled) accept();
  });
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Api& api, IoThreads* io) {
  auto impl = std::make_unique<Impl>(options, api, io);
  if (auto opened = impl->open_tls(); !opened.ok()) return opened.error();
  if (auto listening = impl->listen(); !listening.ok()) return listening.error();
  impl->accept();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::~Server() { stop(); }

std::uint16_t Server::port() const {
  boost::system::error_code error;
  return impl_->acceptor.local_endpoint(error).port();
}

void Server::stop() {
  if (std::exchange(impl_->stopped, true)) return;
  impl_->api.end_streams(impl_->shared->options.goodbye);
  impl_->io.stop();
  boost::system::error_code error;
  impl_->acceptor.close(error);
  impl_->pause.cancel();
  impl_->shared->close_all();
  impl_->io.run_ready();
  impl_->api.stop();
}

}  // namespace berth::controller::api
