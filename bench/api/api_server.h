// ApiServer: the HTTP API of a bench cell, of the parts of which `berth up` is made, and clients' requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/e2e/e2e_cell.h"
#include "controller/api/http/server.h"
#include "controller/runtime/api_node.h"

namespace berth::bench {

class ApiServer {
 public:
  // The cell is not brought up yet, and outlives it.
  explicit ApiServer(Cell& cell);
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  // The cell is up.
  void start();

  std::uint16_t port() const { return server_->port(); }
  // A GET as a user of the cell sends it, signed now: good for 15 minutes.
  std::string get(const std::string& user, const std::string& target) const;
  // A guess at the password of a user that there is not: it costs as much as any.
  std::string login(const std::string& user) const;
  // The target of a route of this server alone that answers nothing but a body of that length.
  static std::string static_target(std::size_t bytes) { return "/v1/static/" + std::to_string(bytes); }

 private:
  class Node;
  Cell& cell_;
  std::unique_ptr<Node> node_;
  std::unique_ptr<controller::api::Api> api_;
  std::unique_ptr<controller::api::Server> server_;
};

}  // namespace berth::bench
