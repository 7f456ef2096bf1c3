#include "controller/api/login/passwords.h"

#include "controller/api/login/by_cookie.h"
#include "controller/api/login/sign_in.h"
#include "controller/api/routes/metrics.h"
#include "projections/password_mark.h"

namespace berth::controller::api {

using projections::PasswordMark;

namespace {

Problem too_many_logins(Duration wait) {
  Problem problem = make_problem("too-many-logins", "too many passwords are being tried",
                                 "wait a little; key pairs are not concerned");
  problem.retry_after_s = static_cast<unsigned>((wait + kSecond - 1) / kSecond);
  return problem;
}

}  // namespace

void note_login_failure(const Services& services, const Call& call, const char* by, const std::string& user) {
  services.metrics.count_login_failure(by);
  services.sign_in.options.security_log("login failed: " + std::string(by) + " of user " +
                                        boost::json::serialize(boost::json::value(clipped(user))) + " from " +
                                        services.sign_in.client_of(call.request));
}

void note_login(const Services& services, const Call& call, const std::string& user) {
  services.sign_in.guard.succeeded(network_of(services.sign_in.client_of(call.request)), user,
                                   services.context.clock().now().boottime);
}

void with_password(const Services& services, const CallPtr& call, const Reply& reply, GivenPassword given,
                   Problem wrong, std::function<void(const PasswordMark& mark)> go_on) {
  const std::string client = network_of(services.sign_in.client_of(call->request));
  const Timestamp now = services.context.clock().now().boottime;
  if (const Duration wait = services.sign_in.guard.take(client, given.user, now); wait > 0)
    return reply(problem_reply(too_many_logins(wait), *call));
  const auto known = find_password(services.context, given.user);
  const std::string user = given.user;
  const auto done = [=, wrong = std::move(wrong), go_on = std::move(go_on)](const Result<bool>& same) {
    if (!same) return reply(problem_reply(to_problem(same.error()), *call));
    if (!*same) {
      note_login_failure(services, *call, "password", user);
      return reply(problem_reply(wrong, *call));
    }
    note_login(services, *call, user);
    go_on(known->mark);
  };
  auto hash = known ? std::optional(known->hash) : std::nullopt;
  const PasswordThread::Asker asker{client, services.sign_in.guard.is_known(client, user)};
  if (services.sign_in.passwords.check(asker, std::move(hash), std::move(given.password), done)) return;
  services.sign_in.guard.give_back(client, user);
  reply(problem_reply(too_many_logins(kSecond), *call));
}

void set_password(const Services& services, const CallPtr& call, const Reply& reply, GivenPassword given,
                  PasswordProof proof, std::function<void(const PasswordMark& mark, Offset position)> go_on) {
  const auto hashed = [=, user = given.user](const Result<std::string>& hash) {
    if (!hash) return reply(problem_reply(to_problem(hash.error()), *call));
    v1::Request request = request_of(services, *call);
    request.set_id(std::string(services.context.new_id().view()));  // a key that was used before sets no less
    auto& body = *request.mutable_set_password();
    body.set_user(user);
    body.set_link_hash(proof.link_hash);
    if (proof.replaces) body.set_replaces(std::string(proof.replaces->view()));
    const auto mark = std::make_shared<PasswordMark>();  // of the request that is asked at last
    const auto seal = [=, hash = *hash](v1::Request& asked) {
      *asked.mutable_set_password()->mutable_hash() = services.context.passwords().seal(user, hash);
      *mark = Uuid::from_bytes(asked.id()).value_or(PasswordMark{});
    };
    seal(request);
    const auto answered = [=](const RequestAnswer& answer) {
      if (answer.problem) return reply(problem_reply(*answer.problem, *call));
      go_on(*mark, answer.position);
    };
    services.asker.ask(request, answered, seal);
  };
  const PasswordThread::Asker asker{network_of(services.sign_in.client_of(call->request)), true};
  if (!services.sign_in.passwords.hash(asker, std::move(given.password), hashed))
    reply(problem_reply(too_many_logins(kSecond), *call));
}

}  // namespace berth::controller::api
