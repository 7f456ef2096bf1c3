#include "controller/api/past/past_call.h"

#include <atomic>

#include "controller/api/map/time_text.h"
#include "controller/api/past/moment.h"
#include "projections/shared_today.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kPatience{20};

// Of two that answer, the first.
class Once {
 public:
  explicit Once(Reply reply) : reply_(std::move(reply)) {}
  bool take() { return !taken_.exchange(true); }
  const Reply& reply() const { return reply_; }

 private:
  Reply reply_;
  std::atomic<bool> taken_ = false;
};

Problem still_loading(std::optional<int> percent) {
  Problem problem =
      make_problem("past-loading",
                   "this moment lies far from a checkpoint: its state is being rebuilt" +
                       (percent ? ", " + std::to_string(*percent) + " % are done" : std::string()),
                   "ask again");
  problem.retry_after_s = 2;
  return problem;
}

// States before the history that is kept would lack what had ended by then.
std::optional<Problem> pruned_moment(const Services& services, const projections::PastState& state) {
  Timestamp before = 0;
  services.context.with_state([&](const StateView& view) { before = view.state.kept().pruned_before; });
  if (state.point.time >= before) return std::nullopt;
  return make_problem("past-pruned", "history from before " + format_time(before) + " was pruned by rule",
                      "GET /v1/past says from when on");
}

// Every answer from the past says of when it is.
HttpReply with_moment(HttpReply out, const projections::PastPoint& point) {
  if (out.status != 200) return out;
  out.set("Berth-At", moment_text(point));
  std::string& body = out.body;
  while (!body.empty() && body.back() == '\n') body.pop_back();
  if (body.size() > 2 && body.front() == '{' && body.back() == '}') {
    body.back() = ',';
    body += "\"at\":" + json::serialize(point_to_json(point)) + "}";
  }
  body += '\n';
  return out;
}

}  // namespace

std::string past_token(Offset position, const std::string& token) {
  return std::string(kPastToken) + std::to_string(position) + "/" + token;
}

std::string page_token_of(const StateView& view, std::string token) {
  return view.past == nullptr ? token : past_token(view.past->position, token);
}

void with_past(const Services& services, const CallPtr& call, const Reply& reply,
               const projections::PastMoment& moment,
               std::function<void(const projections::PastPtr&)> go_on) {
  const auto once = std::make_shared<Once>(reply);
  services.quick.post_after(kPatience, [services, call, once, moment] {
    if (once->take())
      once->reply()(problem_reply(still_loading(services.context.past_percent(moment)), *call));
  });
  services.context.past_state(
      moment, [services, call, once, go_on = std::move(go_on)](const Result<projections::PastPtr>& state) {
        services.turns.go_on(call->caller.actor(), Turns::Work::kScan, [services, call, once, go_on, state] {
          if (!once->take()) return;
          if (!state.ok()) return once->reply()(problem_reply(to_problem(state.error()), *call));
          if (const auto pruned = pruned_moment(services, **state))
            return once->reply()(problem_reply(*pruned, *call));
          go_on(*state);
        });
      });
}

projections::Actor actor_today(const Services& services, const Call& call) {
  projections::Actor actor;
  services.context.with_state([&](const StateView& view) {
    actor = actor_of(view.state, call.caller);
    actor.shared_today =
        std::make_shared<const projections::SharedToday>(projections::shared_today(view.state, actor));
  });
  return actor;
}

void answer_in_past(const Services& services, const CallPtr& call, const Reply& reply) {
  call->caller.today = std::make_shared<const projections::Actor>(actor_today(services, *call));
  with_past(services, call, reply, *call->moment, [services, call, reply](const projections::PastPtr& state) {
    call->past = std::make_shared<PastCall>(services.context, services.past_views, state);
    const Services then = services.with(call->past->context);
    const Reply marked = [reply, point = state->point](HttpReply out) {
      reply(with_moment(std::move(out), point));
    };
    try {
      call->route->handler(then, call, marked);
    } catch (const std::exception& error) {
      reply(problem_reply(make_problem("internal-error", std::string("the API failed: ") + error.what()),
                          *call));
    }
  });
}

}  // namespace berth::controller::api
