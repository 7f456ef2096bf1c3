#include "tests/unit/api/support/api_rig.h"

#include <gtest/gtest.h>

#include <atomic>

#include "controller/api/auth/signature.h"
#include "controller/api/map/time_text.h"

namespace berth::testing {
namespace {

v1::Event key_pair(const std::string& id, const std::string& user) {
  return with_secret(key_pair_defined(id, user), secret_of(id));
}

Events keys() {
  v1::Event off = key_pair("off-key", "alice");
  off.mutable_key_pair_defined()->set_active(false);
  v1::Event admin = user_defined("admin");
  admin.mutable_user_defined()->set_role(v1::ROLE_SUPERADMIN);
  return {admin,
          user_defined("bob"),
          key_pair("admin-key", "admin"),
          key_pair("alice-key", "alice"),
          key_pair("bob-key", "bob"),
          off};
}

}  // namespace

std::string secret_of(const std::string& key) { return "secret of " + key; }

Events small_cluster() {
  return definitions() + keys() +
         Events{agent_enrolled("a1"), agent_joined("a1", 4, 8 * kGiga, {gpu("gpu0", 2 * kUnit)})};
}

api::ApiOptions quiet_options() {
  api::ApiOptions options;
  options.sign_in.password_cost = {8u << 10, 1};
  options.sign_in.use_every = 36'500 * kDay;  // longer than since 1970
  return options;
}

ApiRig::ApiRig(const Events& history, api::ApiOptions options)
    : cell(history), api(cell, std::move(options)) {
  api.start();
}

void sign_request(api::HttpRequest& request, const std::string& key, const std::string& secret) {
  const api::SignedRequest parts{
      request.method,  request.target,          request.date,     request.host, request.content_type,
      request.version, request.idempotency_key, request.body_hash};
  request.authorization = api::authorization_header(key, api::sign(secret, parts));
}

api::HttpRequest ApiRig::request(const Ask& ask) const {
  api::HttpRequest out;
  out.method = ask.method;
  out.target = ask.target;
  out.host = "127.0.0.1:7410";
  out.body = ask.body;
  if (!ask.body.empty()) out.content_type = "application/json";
  static std::atomic<Duration> asked{0};  // no two requests at one time: equal ones would be one
  out.date = format_time(cell.test_clock.now().wall + asked++);
  out.version = std::string(api::kApiVersion);
  out.body_hash = api::sha256_hex(ask.body);
  out.idempotency_key = ask.idempotency_key;
  out.accept = ask.accept;
  out.last_event_id = ask.last_event_id;
  sign_request(out, ask.key, secret_of(ask.key));
  return out;
}

std::future<api::HttpReply> ApiRig::send_later(api::HttpRequest request) {
  auto promise = std::make_shared<std::promise<api::HttpReply>>();
  api.handle(std::move(request), [promise](api::HttpReply reply) { promise->set_value(std::move(reply)); });
  return promise->get_future();
}

api::HttpReply ApiRig::send(api::HttpRequest request) {
  auto reply = send_later(std::move(request));
  if (reply.wait_for(std::chrono::seconds(30)) == std::future_status::ready) return reply.get();
  ADD_FAILURE() << "no reply";
  return {};
}

boost::json::value ApiRig::json_of(const api::HttpReply& reply) {
  boost::system::error_code error;
  auto value = boost::json::parse(reply.body, error);
  EXPECT_FALSE(error) << reply.body;
  return value;
}

boost::json::value ApiRig::get(const std::string& target, const std::string& key) {
  const auto reply = ask({.target = target, .key = key});
  EXPECT_EQ(reply.status, 200u) << target << ": " << reply.body;
  return json_of(reply);
}

std::string ApiRig::code_of(const api::HttpReply& reply) {
  if (reply.content_type != "application/problem+json") return "";
  const auto value = json_of(reply);
  return value.is_object() ? std::string(value.at("code").as_string()) : "";
}

std::string ApiRig::header_of(const api::HttpReply& reply, const std::string& name) {
  for (const auto& [key, value] : reply.headers)
    if (key == name) return value;
  return {};
}

}  // namespace berth::testing
