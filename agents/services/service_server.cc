#include "agents/services/service_server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <thread>
#include <vector>

#include "events/base/text.h"
#include "events/codec/words/codes.h"
#include "events/schema/v1/service.pb.h"
#include "events/tunnel/server.h"

namespace berth::agents {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::map<std::string, std::string> options_of(std::string_view query) {
  std::map<std::string, std::string> options;
  for (const std::string& option : split(query, '&')) {
    const auto equals = option.find('=');
    if (equals != std::string::npos) options[option.substr(0, equals)] = option.substr(equals + 1);
  }
  return options;
}

// "/kernels/ID/ATTEMPT/log" -> the kernel and "log".
struct KernelPath {
  KernelKey kernel;
  std::string last;
};

std::optional<KernelPath> kernel_path_of(std::string_view path) {
  const auto parts = split(path, '/');
  if (parts.size() != 5 || !parts[0].empty() || parts[1] != "kernels") return std::nullopt;
  const auto id = Uuid::parse(parts[2]);
  std::uint32_t attempt = 0;
  const char* const end = parts[3].data() + parts[3].size();
  const auto parsed = std::from_chars(parts[3].data(), end, attempt);
  if (!id || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return KernelPath{{KernelId(*id), attempt}, parts[4]};
}

struct Routes {
  KernelRoutes kernels;
  FolderRoute files;  // may be empty
};

void answer(const Routes& all, boost::asio::io_context& io, tunnel::Question question,
            const std::shared_ptr<tunnel::Stream>& stream) {
  if (all.files && question.method == "POST")
    if (auto asked = file_service_path_in(question.path)) return all.files(std::move(*asked), stream);
  const KernelRoutes& routes = all.kernels;
  const auto mark = question.path.find('?');
  const auto path = kernel_path_of(std::string_view(question.path).substr(0, mark));
  const auto route = path ? routes.find(question.method + " " + path->last) : routes.end();
  if (route == routes.end())
    return refuse(stream, 404,
                  make_error("unknown-service",
                             "this agent serves no '" + question.method + " " + clipped(question.path) + "'",
                             "is it older than the API server? upgrade it"));
  const std::string query = mark == std::string::npos ? "" : question.path.substr(mark + 1);
  route->second({path->kernel, options_of(query), std::move(question.headers), io}, stream);
}

// What is left of it from `at` on, a piece after the other.
void send(const std::shared_ptr<tunnel::Stream>& stream, std::shared_ptr<const std::string> bytes,
          std::size_t at) {
  if (at == bytes->size()) return stream->finish();
  const std::size_t size = std::min(tunnel::kBufferedBytesMax, bytes->size() - at);
  std::string piece = bytes->substr(at, size);
  stream->write(std::move(piece), [stream, bytes = std::move(bytes), at, size](const Result<void>& done) {
    if (done) send(stream, bytes, at + size);
  });
}

}  // namespace

class ServiceServer::Impl {
 public:
  Impl(const Signer& agent, Routes routes)
      : server_(io_, agent,
                [this, routes = std::move(routes)](tunnel::Question question,
                                                   const std::shared_ptr<tunnel::Stream>& stream) {
                  answer(routes, io_, std::move(question), stream);
                }) {}

  Result<std::string> start(const std::string& address) {
    auto bound = server_.start(address);
    if (bound) thread_ = std::thread([this] { io_.run(); });
    return bound;
  }
  void stop() {
    server_.stop();
    work_.reset();
    if (thread_.joinable()) thread_.join();
  }
  tunnel::Counts counts() const { return server_.counts(); }

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  tunnel::Server server_;
  std::thread thread_;
};

void refuse(const std::shared_ptr<tunnel::Stream>& stream, int status, const Error& error,
            std::uint64_t offset) {
  v1::ServiceError told;
  told.set_code(wire(error.code));
  told.set_message(error.message);
  told.set_hint(error.hint);
  told.set_offset(offset);
  stream->answer({status, {}});
  stream->write(told.SerializeAsString(), [](const Result<void>&) {});
  stream->finish();
}

void finish_with(const std::shared_ptr<tunnel::Stream>& stream, std::string bytes) {
  send(stream, std::make_shared<const std::string>(std::move(bytes)), 0);
}

ServiceServer::ServiceServer(const Signer& agent, KernelRoutes routes, FolderRoute files)
    : impl_(std::make_unique<Impl>(agent, Routes{std::move(routes), std::move(files)})) {}
ServiceServer::~ServiceServer() { stop(); }
Result<std::string> ServiceServer::start(const std::string& address) { return impl_->start(address); }
void ServiceServer::stop() { impl_->stop(); }
tunnel::Counts ServiceServer::counts() const { return impl_->counts(); }

}  // namespace berth::agents
