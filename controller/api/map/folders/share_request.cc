#include "controller/api/map/folders/share_request.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kShareIdMax = 129;  // characters of "DOMAIN/NAME"

}  // namespace

ShareWith read_share_with(ObjectReader& in, const std::string& domain) {
  const auto user = in.text("user", kShareIdMax), project = in.text("project", kShareIdMax);
  if (user.has_value() == project.has_value())
    in.fail("invalid-spec", "user", "either a user or a project is to be named");
  if (user) return {v1::SCOPE_KIND_USER, *user};
  const std::string name = project.value_or("");
  return {v1::SCOPE_KIND_PROJECT, name.find('/') == std::string::npos ? domain + "/" + name : name};
}

}  // namespace berth::controller::api
