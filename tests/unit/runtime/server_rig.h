// Server: a whole controller with its HTTP API, in this process.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "controller/api/auth/key_file.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"
#include "controller/runtime/controller_process.h"
#include "tests/support/sealing.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {

namespace api = controller::api;

// A controller with its HTTP API, on a log that outlives it and a folder of its own.
class Server {
 public:
  Server(EventLog& log, const std::string& name, char secret = 's', SealingRing ring = test_sealing_ring())
      : log_(log), name_(name) {
    make(secret, std::move(ring));
  }

  // The same on the same folder; not started.
  void make_again(SealingRing ring) {
    process_.reset();
    make('s', std::move(ring));
  }
  controller::ControllerProcess& process() { return *process_; }
  std::string key_path() const { return api::admin_key_path(folder_.path().string()); }
  api::KeyPair key() const {
    const auto key = api::read_key_file(key_path());
    return key ? *key : api::KeyPair{};
  }
  bool start() { return process_->start().ok(); }
  bool start_and_define() { return start() && process_->define_defaults(kMinute).ok(); }
  bool holds(const std::function<bool(const projections::State&)>& test) {
    bool result = false;
    process_->api().with_state([&](const controller::StateView& view) { result = test(view.state); });
    return result;
  }
  bool await(const std::function<bool(const projections::State&)>& test) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds(test) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return holds(test);
  }

  // The status of the reply to a request that this key signs, and all behind it.
  std::pair<unsigned, std::string> ask(const api::KeyPair& key, const std::string& method,
                                       const std::string& target, const std::string& body = "") {
    const std::string host = process_->endpoint().substr(std::string_view("http://").size());
    const std::string date = format_time(process_->api().clock().now().wall);
    const std::string hash = api::sha256_hex(body), type = body.empty() ? "" : "application/json";
    const std::string signature =
        api::sign(key.secret_key, {method, target, date, host, type, api::kApiVersion, "", hash});
    const auto colon = host.find(':');
    boost::asio::ip::tcp::iostream server(host.substr(0, colon), host.substr(colon + 1));
    server.expires_after(std::chrono::seconds(60));
    server << method << " " << target << " HTTP/1.1\r\nHost: " << host << "\r\nX-Berth-Date: " << date
           << "\r\nX-Berth-Version: " << api::kApiVersion << "\r\nX-Berth-Content-SHA256: " << hash
           << "\r\nAuthorization: " << api::authorization_header(key.access_key, signature);
    if (!type.empty()) server << "\r\nContent-Type: " << type << "\r\nContent-Length: " << body.size();
    server << "\r\nConnection: close\r\n\r\n" << body << std::flush;
    std::string version;
    unsigned status = 0;
    server >> version >> status;
    return {status, std::string(std::istreambuf_iterator<char>(server), {})};
  }

 private:
  static controller::ControllerProcessConfig config(const std::string& data, const std::string& name) {
    controller::ControllerProcessConfig out;
    out.data = data;
    out.name = name;
    out.listening.port = 0;
    return out;
  }

  void make(char secret, SealingRing ring) {
    process_.emplace(config(folder_.path().string(), name_),
                     controller::ClusterIdentity{test_cluster(), std::string(32, secret), std::move(ring)},
                     log_, log_);
  }

  EventLog& log_;
  const std::string name_;
  const TempDir folder_;
  std::optional<controller::ControllerProcess> process_;
};

}  // namespace berth::testing
