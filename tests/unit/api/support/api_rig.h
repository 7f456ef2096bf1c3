// ApiRig: the API over a FakeCell, and a client that signs.
#pragma once

#include <boost/json.hpp>
#include <future>
#include <string>

#include "controller/api/api.h"
#include "tests/unit/api/support/fake_cell.h"

namespace berth::testing {

namespace api = controller::api;

// Definitions, agent a1 of 4 cpus, 8 GiB and one card of two fGPU.
Events small_cluster();

// Cheap passwords, and no event of a key pair's last use.
api::ApiOptions quiet_options();

// Key pairs: "admin-key" is a superadmin's, "alice-key" and "bob-key" are users'. All secrets are "secret of
// KEY".
class ApiRig {
 public:
  explicit ApiRig(const Events& history = small_cluster(), api::ApiOptions options = quiet_options());

  struct Ask {
    std::string method = "GET";
    std::string target = "/";
    std::string body = "";
    std::string key = "admin-key";
    std::string idempotency_key = "";
    std::string accept = "";
    std::string last_event_id = "";
  };
  // Signed as it should be; to be bent before send().
  api::HttpRequest request(const Ask& ask) const;
  // Waits for the reply, at most 30 s.
  api::HttpReply send(api::HttpRequest request);
  api::HttpReply ask(const Ask& ask) { return send(request(ask)); }
  std::future<api::HttpReply> send_later(api::HttpRequest request);

  // The body of a GET, which is to be answered by 200.
  boost::json::value get(const std::string& target, const std::string& key = "admin-key");
  // The code of a GET's problem; "" if it is none.
  std::string code(const std::string& target, const std::string& key = "admin-key") {
    return code_of(ask({.target = target, .key = key}));
  }

  static boost::json::value json_of(const api::HttpReply& reply);
  // The code of a problem; "" if it is none.
  static std::string code_of(const api::HttpReply& reply);
  static std::string header_of(const api::HttpReply& reply, const std::string& name);

  FakeCell cell;
  api::Api api;
};

std::string secret_of(const std::string& key);
void sign_request(api::HttpRequest& request, const std::string& key, const std::string& secret);

}  // namespace berth::testing
