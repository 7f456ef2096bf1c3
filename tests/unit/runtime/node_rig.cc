#include "tests/unit/runtime/node_rig.h"

#include <chrono>

#include "controller/runtime/bootstrap.h"
#include "projections/tables/request_table.h"
#include "tests/support/sealing.h"
#include "tests/support/spec.h"

namespace berth::testing {
namespace {

constexpr auto kLong = std::chrono::seconds(60);
const std::string kSecret(32, 's');
constexpr char kActor[] = "user:admin";

}  // namespace

NodeRig::NodeRig(EventLog& log, const std::filesystem::path& folder, controller::CellNodeConfig config) {
  auto opened = projections::RocksStore::open(folder / "state");
  if (!opened) std::abort();
  store_ = std::make_unique<FragileStore>(std::move(opened->store));
  config.controller.cluster = test_cluster();
  config.controller.secret = kSecret;
  if (config.controller.name.empty()) config.controller.name = "c1";
  config.controller.layout = log.layout();
  config.voids_file = folder / "state" / "voids";
  config.truncation_file = folder / "state" / "truncation";
  node_ = std::make_unique<controller::CellNode>(config, log, *store_, clock_, random_);
  controller::ApiNodeConfig api{test_cluster(),
                                kSecret,
                                {},
                                KeyPairSeal(test_cluster(), test_sealing_ring()),
                                PasswordSeal(test_cluster(), test_sealing_ring()),
                                controller::api::AppPassSeal(test_cluster(), test_sealing_ring()),
                                config.controller.name,
                                "memory:",
                                "test",
                                log.layout()};
  api_ = std::make_unique<controller::ApiNode>(api, *node_, log, *store_, clock_, random_);
  api_->set_journal_listener(this);
}

JournalSigner NodeRig::journal_signer() { return {test_cluster(), kSecret}; }

NodeRig::~NodeRig() {
  node_->stop();
  api_->set_journal_listener(nullptr);
}

void NodeRig::on_position(Offset) {
  const std::lock_guard lock(mutex_);
  ++moves_;
  moved_.notify_all();
}

bool NodeRig::await(const std::function<bool()>& done) {
  const auto until = std::chrono::steady_clock::now() + kLong;
  const auto look_again = std::chrono::milliseconds(50);  // what is awaited may come of time alone
  std::unique_lock lock(mutex_);
  for (;;) {
    const std::uint64_t seen = moves_;
    lock.unlock();
    if (done()) return true;
    lock.lock();
    moved_.wait_for(lock, look_again, [&] { return moves_ != seen; });
    if (std::chrono::steady_clock::now() > until) return false;
  }
}

bool NodeRig::await_state(const std::function<bool(const controller::StateView&)>& done) {
  return await([&] {
    bool reached = false;
    api_->with_state([&](const controller::StateView& view) { reached = done(view); });
    return reached;
  });
}

std::string NodeRig::answer_to(v1::Request request, const std::string& actor) {
  const Uuid id = api_->new_id();
  request.set_id(std::string(id.view()));
  request.set_actor(actor);
  controller::stamp_times(*api_, request);
  request.mutable_owner()->set_user("admin");
  if (actor == kActor) *request.mutable_owner() = owner("admin");
  if (const auto asked = api_->submit(request, {}); !asked) return asked.error().code.word();
  const auto key = projections::RequestRow::make_key(actor, id);
  std::string code = "silent";
  await_state([&](const controller::StateView& view) {
    const auto* row = view.state.requests.find(key);
    if (row != nullptr) code = row->answer == projections::AnswerKind::kAccepted ? "" : row->code.word();
    return row != nullptr;
  });
  return code;
}

void NodeRig::ask_for_session(const std::string& name) {
  v1::Request request;
  const Uuid id = api_->new_id();
  request.set_id(std::string(id.view()));
  request.set_actor(kActor);
  controller::stamp_times(*api_, request);
  *request.mutable_owner() = owner("admin");
  request.mutable_request_session()->set_name(name);
  request.mutable_request_session()->add_session_ids(std::string(session_id(name).view()));
  *request.mutable_request_session()->mutable_spec() = Spec();
  (void)api_->submit(request, {});
}

std::string NodeRig::failing(const std::string& check) {
  for (const auto& one : api_->ready())
    if (one.name == check && !one.ok) return one.detail;
  return "";
}

bool NodeRig::define() {
  return controller::await_journal(*api_, kMinute).ok() &&
         controller::define_defaults(*api_, std::nullopt, kMinute).ok();
}

}  // namespace berth::testing
