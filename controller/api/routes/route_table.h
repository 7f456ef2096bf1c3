// RouteTable: finds the route of a method and a path. Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes);
  // All routes of the API.
  static RouteTable make();

  struct Match {
    const Route* route = nullptr;  // nullptr: no such path, or another method
    std::vector<std::string> path;
    std::string allow;  // the path's methods, "GET, POST"; empty: no such path
  };
  // A path that is written out goes before one with {name} in its place. HEAD is as GET.
  Match find(std::string_view method, const std::vector<std::string>& segments) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  std::vector<Route> routes_;
  std::vector<std::vector<std::string>> patterns_;  // split, as long as routes_
};

}  // namespace berth::controller::api
