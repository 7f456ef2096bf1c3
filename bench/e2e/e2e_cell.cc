#include "bench/e2e/e2e_cell.h"

#include <cstring>

#include "bench/tools.h"
#include "events/base/random.h"
#include "events/codec/key_pair_seal.h"
#include "events/log/orders_partition.h"
#include "events/schema/v1/report.pb.h"
#include "events/schema/v1/request.pb.h"

namespace berth::bench {
namespace {

constexpr std::int64_t kSessionMem = 256ll << 20;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr std::uint32_t kUsersOfRequest = 100;

// The number comes back out of the id; the rest is as uniform as an id of a hash.
Uuid numbered_id(std::uint64_t number, std::uint64_t salt) {
  Uuid id;
  const std::uint64_t rest = Rng(number * 2 + salt).next();
  std::memcpy(id.bytes.data(), &number, 8);
  std::memcpy(id.bytes.data() + 8, &rest, 8);
  return id;
}

void add_slot(google::protobuf::RepeatedPtrField<v1::SlotAmount>* slots, const char* slot,
              std::int64_t amount) {
  auto* added = slots->Add();
  added->set_slot(slot);
  added->set_amount(amount);
}

void add_type(v1::Define& define, const char* name, SlotKind kind) {
  auto* type = define.add_slot_types();
  type->set_name(name);
  type->set_kind(static_cast<std::uint32_t>(kind));
}

}  // namespace

Cell::Cell(const CellOptions& options, EventLog& log)
    : options_(options),
      log_(log),
      cluster_(random_.uuid()),
      user_(cluster_, "api:bench", 1, derive_key(secret_, "api:bench", 1)),
      store_(must(projections::RocksStore::open(options.folder + "/state")).store),
      requests_(options.sessions),
      sent_at_(options.sessions),
      read_at_(options.sessions) {
  sealing_.add({1, std::string(kSealKeyBytes, 's')});
  for (std::uint32_t i = 0; i < options.agents; ++i) {
    const std::string name = "a" + std::to_string(i);
    agents_.push_back({name, random_.uuid(),
                       Signer(cluster_, "agent:" + name, 1, derive_key(secret_, "agent:" + name, 1))});
  }
  controller::CellNodeConfig config;
  config.controller.cluster = cluster_;
  config.controller.secret = secret_;
  config.controller.name = "bench";
  config.controller.layout = log.layout();
  config.controller.stand_at_once = true;
  config.voids_file = options.folder + "/state/voids";
  if (options.past)
    past_ = std::make_unique<controller::PastKeeper>(options.folder + "/state/past", cluster_, *store_);
  node_ = std::make_unique<controller::CellNode>(
      config, log_, past_ ? past_->store() : static_cast<projections::Store&>(*store_), clock_, random_);
  if (past_) desk_ = &past_->start(*node_, log_, JournalSigner(cluster_, secret_));
  node_->set_on_fatal([](const std::string& why) { give_up(make_error("internal-error", why)); });
  node_->set_follower(
      [this](Offset, const std::shared_ptr<const v1::Record>& record) {
        if (!record) give_up(make_error("internal-error", "a record is void"));
        on_record(*record);
      },
      [this](Offset) {
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
      },
      [](Offset, Offset) { give_up(make_error("internal-error", "the journal lost records")); });
}

Cell::~Cell() {
  stopping_ = true;
  if (beats_.joinable()) beats_.join();
  if (past_) past_->stop_desk();
  node_->stop();
  if (past_) past_->stop();
}

template <class Test> void Cell::await(const char* what, Test test) {
  std::unique_lock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!changed_.wait_for(lock, std::chrono::milliseconds(5), test))  // not all that is awaited is a record
    if (std::chrono::steady_clock::now() > end)
      give_up(make_error("internal-error", std::string("waited in vain for ") + what));
}

void Cell::bring_up() {
  must(node_->start());
  await("a leader", [this] { return node_->deciding(); });
  define();
  const auto count = [this](projections::AgentState state) {
    return node_->read([&](const projections::Projection& projection) {
      std::size_t found = 0;
      projection.state().agents.for_each_unordered(
          [&](const projections::AgentRow& row) { found += row.state == state ? 1 : 0; });
      return found;
    });
  };
  await("enrolment", [&] { return count(projections::AgentState::kEnrolled) == agents_.size(); });
  for (auto& agent : agents_) join(agent);
  await("joins", [&] { return count(projections::AgentState::kAlive) == agents_.size(); });
  beats_ = std::thread([this] { run_beats(); });
}

void Cell::ask(v1::Request request) {
  request.set_id(std::string(random_.uuid().view()));
  request.set_actor("controller");
  request.set_sent_ms(clock_.now().wall / kMillisecond);
  request.mutable_owner()->set_user("admin");
  // One partition: definitions and enrolments in order.
  log_.append({Stream::kRequests, 0}, request.id(),
              user_.sign(Channel::kRequest, request.SerializeAsString()), {});
}

void Cell::define() {
  v1::Request request;
  auto& define = *request.mutable_define();
  add_type(define, "cpu", SlotKind::kCount);
  add_type(define, "mem", SlotKind::kBytes);
  auto* group = define.add_groups();
  group->set_name("default");
  group->set_order("fifo");
  group->set_head_of_line("strict");
  group->set_select("concentrated");
  define.add_domains()->set_name("default");
  auto* project = define.add_projects();
  project->set_domain("default");
  project->set_name("default");
  auto* user = define.add_users();
  user->set_name("admin");
  user->set_domain("default");
  user->set_role(v1::ROLE_SUPERADMIN);
  add_key(define, "admin");
  auto* image = define.add_images();
  image->set_reference("python:3.11");
  image->set_source("oci:/images/python:3.11");
  image->set_architecture("x86_64");
  ask(std::move(request));
  define_users();
  for (const auto& agent : agents_) {
    v1::Request enroll;
    enroll.mutable_enroll_agent()->set_agent(agent.name);
    enroll.mutable_enroll_agent()->set_generation(1);
    ask(std::move(enroll));
  }
}

void Cell::add_key(v1::Define& define, const std::string& user) const {
  auto* key = define.add_key_pairs();
  key->set_id(user);
  key->set_user(user);
  key->set_active(true);
  KeyPairSeal(cluster_, sealing_).seal(*key, key_secret(user));
}

// Each with a project of the same name.
void Cell::define_users() {
  v1::Request request;
  for (std::uint32_t i = 0; i < options_.users; ++i) {
    auto& define = *request.mutable_define();
    const std::string name = user_of(i);
    auto* project = define.add_projects();
    project->set_domain("default");
    project->set_name(name);
    auto* user = define.add_users();
    user->set_name(name);
    user->set_domain("default");
    user->add_projects(name);
    user->set_role(v1::ROLE_USER);
    add_key(define, name);
    if ((i + 1) % kUsersOfRequest == 0 || i + 1 == options_.users) ask(std::exchange(request, {}));
  }
}

std::string Cell::user_of(std::uint64_t session) const {
  return options_.users == 0 ? "admin" : "u" + std::to_string(session % options_.users);
}

SessionId Cell::id_of(std::uint64_t session) const {
  return SessionId(numbered_id(session + 1, options_.seed));
}

std::uint64_t Cell::session_of(std::string_view id) {
  std::uint64_t number = 0;
  std::memcpy(&number, id.data(), 8);
  return number - 1;
}

void Cell::join(Agent& agent) {
  const auto room = static_cast<std::int64_t>(options_.sessions / options_.agents + 16);
  v1::Report report;
  report.set_agent(agent.name);
  report.set_incarnation(std::string(agent.incarnation.view()));
  report.set_sent_ms(clock_.now().wall / kMillisecond);
  report.mutable_join()->set_nonce(std::string(random_.uuid().view()));
  auto& profile = *report.mutable_join()->mutable_agent();
  profile.set_agent(agent.name);
  profile.set_group("default");
  profile.set_architecture("x86_64");
  add_slot(profile.mutable_slots(), "cpu", room * kUnit);
  add_slot(profile.mutable_slots(), "mem", room * kSessionMem);
  profile.set_backend("oci");
  log_.append(reports_partition(log_.layout(), agent.name), agent.name,
              agent.signer.sign(Channel::kReport, report.SerializeAsString()), {});
}

void Cell::beat(Agent& agent) {
  const Instant now = clock_.now();
  v1::Beat beat;
  beat.set_agent(agent.name);
  beat.set_incarnation(std::string(agent.incarnation.view()));
  beat.set_counter(++agent.beats);
  beat.set_boottime_ns(now.boottime);
  beat.set_wall_ms(now.wall / kMillisecond);
  log_.append({Stream::kHealth, 0}, agent.name, agent.signer.sign(Channel::kBeat, beat.SerializeAsString()),
              {});
}

// Every agent once a second, a tenth of them every 100 ms.
void Cell::run_beats() {
  for (std::size_t turn = 0; !stopping_; ++turn) {
    for (std::size_t i = turn % 10; i < agents_.size(); i += 10) beat(agents_[i]);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

std::string Cell::make_request(std::uint64_t session) const {
  v1::Request request;
  request.set_id(std::string(numbered_id(session + 1, options_.seed ^ 0x5eed).view()));
  const std::string user = user_of(session);
  request.set_actor("user:" + user);
  request.set_sent_ms(clock_.now().wall / kMillisecond);
  request.mutable_owner()->set_domain("default");
  request.mutable_owner()->set_project(options_.users == 0 ? "default" : user);
  request.mutable_owner()->set_user(user);
  auto* body = request.mutable_request_session();
  body->set_name("train-" + std::to_string(session));
  body->add_session_ids(std::string(id_of(session).view()));
  auto* spec = body->mutable_spec();
  spec->set_type(v1::BATCH);
  spec->set_image("python:3.11");
  spec->set_group("default");
  for (const char* word : {"python3", "train.py"}) spec->add_command(word);
  auto* role = spec->add_roles();
  role->set_role("main");
  role->set_count(1);
  add_slot(role->mutable_slots(), "cpu", kUnit);
  add_slot(role->mutable_slots(), "mem", kSessionMem);
  return user_.sign(Channel::kRequest, request.SerializeAsString());
}

void Cell::prepare(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) requests_[i] = make_request(i);
}

void Cell::send(std::uint64_t session, std::int64_t at) {
  sent_at_[session] = at;
  const auto partition = static_cast<std::uint32_t>(session % log_.layout().requests);
  log_.append({Stream::kRequests, partition}, requests_[session].substr(0, 16), requests_[session], {});
}

void Cell::send_at_rate(std::uint64_t from, std::uint64_t to, std::uint64_t per_second) {
  const std::int64_t start = now_ns();
  const auto due_of = [&](std::uint64_t n) {
    return start + static_cast<std::int64_t>((n - from) * 1'000'000'000ull / per_second);
  };
  for (std::uint64_t i = from; i < to;) {
    for (const std::int64_t now = now_ns(); i < to && due_of(i) <= now; ++i) send(i, due_of(i));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Cell::saturate(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    if (scheduled() + kWindow <= i) wait_scheduled(i - kWindow + 1);
    send(i, now_ns());
  }
  wait_scheduled(to);
}

void Cell::on_record(const v1::Record& record) {
  const std::int64_t now = now_ns();
  std::uint64_t seen = 0;
  for (const auto& event : record.events()) {
    if (event.has_request_refused())
      give_up(make_error("internal-error", "a request was refused: " + event.request_refused().message()));
    if (event.has_agent_lost())
      give_up(make_error("internal-error", "agent " + event.agent_lost().agent() + " was lost"));
    if (!event.has_session_scheduled()) continue;
    read_at_[session_of(event.session_scheduled().session_id())] = now;
    ++seen;
    if (options_.runs) report_running(event.session_scheduled());
  }
  scheduled_ += seen;
}

void Cell::report_running(const v1::SessionScheduled& scheduled) {
  for (const auto& place : scheduled.placements()) {
    const Agent& agent = agents_[std::stoul(place.agent().substr(1))];
    const Timestamp now = clock_.now().wall;
    v1::Report report;
    report.set_agent(agent.name);
    report.set_incarnation(std::string(agent.incarnation.view()));
    report.set_sent_ms(now / kMillisecond);
    auto* fact = report.add_facts();
    fact->set_kernel_id(place.kernel_id());
    fact->set_attempt(scheduled.attempt());
    fact->set_state(v1::RUNNING);
    fact->set_started_ns(now);
    fact->set_pid(4242);
    log_.append(reports_partition(log_.layout(), agent.name), agent.name,
                agent.signer.sign(Channel::kReport, report.SerializeAsString()), {});
  }
}

void Cell::wait_scheduled(std::uint64_t count) {
  await("placements", [&] { return scheduled_ >= count; });
}

std::vector<std::int64_t> Cell::latencies(std::uint64_t from, std::uint64_t to) const {
  std::vector<std::int64_t> out;
  for (std::uint64_t i = from; i < to; ++i) out.push_back(read_at_[i] - sent_at_[i]);
  return out;
}

}  // namespace berth::bench
