#include "agents/init/connect.h"

#include <utility>

#include "agents/init/app.h"
#include "agents/kernel/shim/system.h"

namespace berth::init {
namespace {

constexpr std::int64_t kPatience = 5'000'000'000;  // ns

}  // namespace

std::optional<Problem> Connect::begin(Helper& helper, const Request& request, Client& client,
                                      std::unique_ptr<Purpose>& purpose) {
  std::shared_ptr<const App> app;
  if (request.port == 0)
    if (auto problem = helper.apps().find(request.name, app)) return problem;
  auto connect = app ? std::make_unique<Connect>(helper, client, app->place(), app->token())
                     : std::make_unique<Connect>(helper, client, Place{request.port, {}}, "");
  connect->look();
  purpose = std::move(connect);
  return std::nullopt;
}

Connect::Connect(Helper& helper, Client& client, const Place& place, std::string token)
    : helper_(helper),
      client_(client),
      where_(place.port == 0 ? place.path : "port " + std::to_string(place.port)),
      token_(std::move(token)),
      give_up_at_(agents::shim::boottime_now() + kPatience),
      connector_(helper.loop(), *this, place) {
  helper_.look_at_times(*this);
}

Connect::~Connect() { helper_.look_no_more(*this); }

void Connect::look() {
  const Connector::State state = connector_.go_on();
  const bool late = agents::shim::boottime_now() >= give_up_at_;
  if (state == Connector::State::kUnderWay && !late) return;
  helper_.look_no_more(*this);
  if (state == Connector::State::kMade) return pass_out();
  if (state == Connector::State::kRefused)
    client_.fail({"port-not-open", "nobody listens on " + where_ + " of 127.0.0.1 or ::1 in this kernel"});
  else
    client_.fail({"port-busy", "whoever listens on " + where_ + " takes no connection"});
}

void Connect::pass_out() {
  const Descriptor socket = connector_.take();
  inside::Begun begun = helper_.begun();
  begun.token = token_;
  client_.pass(FrameType::kBegun, encode(begun), socket);
  client_.end({});
}

}  // namespace berth::init
