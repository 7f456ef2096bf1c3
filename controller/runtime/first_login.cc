#include "controller/runtime/first_login.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "controller/api/auth/enrolment_token.h"
#include "controller/api/auth/login_link.h"
#include "controller/runtime/bootstrap.h"
#include "events/base/files/durable_file.h"
#include "events/base/files/private_files.h"

namespace berth::controller {
namespace {

constexpr Duration kGoodFor = 7 * kDay;

// nullopt: one has a password, or there is none.
std::optional<std::string> first_superadmin_without_password(const projections::State& state) {
  std::vector<std::string> names;
  bool one_has = false;
  state.users.for_each_unordered([&](const projections::UserRow& row) {
    if (row.def.role() != v1::ROLE_SUPERADMIN || row.def.disabled()) return;
    names.push_back(row.def.name());
    one_has = one_has || state.passwords.find(row.def.name()) != nullptr;
  });
  if (one_has || names.empty()) return std::nullopt;
  return *std::min_element(names.begin(), names.end());
}

// The token of the link that lies in the data folder; empty if there is none.
std::string kept_token(const std::string& data) {
  const auto text = read_private_file(login_link_path(data), "login-link", "");
  return text ? api::token_in_link(*text) : std::string();
}

}  // namespace

std::string login_link_path(const std::string& data) { return data + "/login-link"; }

Result<std::string> first_login_link(ApiContext& api, const std::string& origin, const std::string& data,
                                     Duration wait) {
  std::optional<std::string> user;
  std::string token = kept_token(data);
  bool good = false;
  const Timestamp now = api.now();
  api.with_state([&](const StateView& view) {
    user = first_superadmin_without_password(view.state);
    const auto* link = user ? view.state.login_links.find(*user) : nullptr;
    good = link != nullptr && link->def.expires_ns() > now &&
           link->def.token_hash() == as_view(api::hash_of_token(token));
  });
  if (!user) return std::string();
  if (!good) {
    token = api::new_link_token();
    v1::Request request;
    auto& issue = *request.mutable_issue_login_link();
    issue.set_user(*user);
    issue.set_token_hash(std::string(as_view(api::hash_of_token(token))));
    issue.set_expires_ms((now + kGoodFor) / kMillisecond);
    if (auto issued = ask(api, std::move(request), wait); !issued) return issued.error();
  }
  return api::link_of_token(origin, token);
}

Result<void> keep_login_link(const std::string& data, const std::string& link) {
  if (!link.empty()) return write_private_file(login_link_path(data), link + "\n", "login-link");
  remove_durably(login_link_path(data));
  return {};
}

}  // namespace berth::controller
