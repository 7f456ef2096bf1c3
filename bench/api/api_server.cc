#include "bench/api/api_server.h"

#include <climits>

#include "bench/tools.h"
#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"
#include "events/base/files/descriptor_limit.h"

namespace berth::bench {
namespace {

namespace api = controller::api;

controller::ApiNodeConfig config_of(const Cell& cell, const LogLayout& layout) {
  return {cell.cluster(),
          cell.secret(),
          EnvironmentSeal(cell.cluster(), cell.sealing()),
          KeyPairSeal(cell.cluster(), cell.sealing()),
          PasswordSeal(cell.cluster(), cell.sealing()),
          controller::api::AppPassSeal(cell.cluster(), cell.sealing()),
          "bench",
          "local:",
          "bench",
          layout};
}

void answer_static(const api::Services&, const api::CallPtr& call, const api::Reply& reply) {
  api::HttpReply out;
  out.body.assign(std::stoul(call->path[0]), 'x');
  reply(std::move(out));
}

api::RouteTable with_static_route() {
  auto routes = api::RouteTable::make().routes();
  routes.push_back({"GET",
                    "/v1/static/{bytes}",
                    "getStatic",
                    answer_static,
                    {projections::Noun::kSession, projections::Verb::kSee},
                    {}});
  return api::RouteTable(std::move(routes));
}

}  // namespace

// The cell hears of records as it does without an API.
class ApiServer::Node final : public controller::ApiNode, controller::JournalListener {
 public:
  explicit Node(Cell& cell)
      : ApiNode(config_of(cell, cell.log().layout()), cell.node(), cell.log(), cell.store(), cell.clock(),
                cell.random()),
        cell_(cell) {}

  void set_journal_listener(controller::JournalListener* listener) override {
    ApiNode::set_journal_listener(nullptr);
    listener_ = listener;
    if (listener != nullptr) ApiNode::set_journal_listener(this);
  }
  void on_applied(const controller::JournalRecord& record) override {
    cell_.on_record(*record.record);
    listener_->on_applied(record);
  }
  void on_position(Offset position) override { listener_->on_position(position); }

 private:
  Cell& cell_;
  controller::JournalListener* listener_ = nullptr;
};

ApiServer::ApiServer(Cell& cell) : cell_(cell), node_(std::make_unique<Node>(cell)) {
  raise_descriptor_limit();
}

ApiServer::~ApiServer() {
  if (server_) server_->stop();
  node_->stop();
}

void ApiServer::start() {
  api::ApiOptions options;
  options.routes = with_static_route();
  options.rate = {0, 0, 0, 0};  // a few keys ask for everybody, from one address
  options.sign_in.guard.free_by_user = options.sign_in.guard.free_by_address = UINT_MAX;
  api_ = std::make_unique<api::Api>(*node_, options);
  api_->start();
  api::ServerOptions at;
  at.port = 0;
  server_ = must(api::Server::start(at, *api_));
}

std::string ApiServer::get(const std::string& user, const std::string& target) const {
  const Timestamp now = cell_.clock().now().wall;
  const std::string date = format_time(now - now % kSecond), host = "127.0.0.1:" + std::to_string(port()),
                    empty = api::sha256_hex("");
  const api::SignedRequest parts{"GET", target, date, host, "", api::kApiVersion, "", empty};
  return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nX-Berth-Date: " + date +
         "\r\nX-Berth-Version: " + std::string(api::kApiVersion) +
         "\r\nAuthorization: " + api::authorization_header(user, api::sign(Cell::key_secret(user), parts)) +
         "\r\n\r\n";
}

std::string ApiServer::login(const std::string& user) const {
  const std::string body = R"({"user":")" + user + R"(","password":"not the password"})";
  return "POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port()) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace berth::bench
