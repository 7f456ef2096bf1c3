#include "controller/api/inside/opening.h"

#include "controller/api/routes/asker.h"

namespace berth::controller::api {

void record_opening(const Services& services, const CallPtr& call, Opening opening,
                    std::function<void(std::optional<Error>)> done) {
  v1::Request request = request_of(services, *call);
  // The call is a GET: sent again, its id is the same, and what it opens is not.
  request.set_id(std::string(services.context.new_id().view()));
  auto& open = *request.mutable_open_kernel();
  open.set_session_id(std::string(opening.session.view()));
  open.set_kernel_id(std::string(opening.kernel.view()));
  open.set_kind(opening.kind);
  open.set_name(std::move(opening.name));
  services.asker.ask(std::move(request), [done = std::move(done)](const RequestAnswer& answer) {
    if (!answer.problem) return done(std::nullopt);
    done(make_error(answer.problem->code, answer.problem->detail, answer.problem->hint));
  });
}

}  // namespace berth::controller::api
