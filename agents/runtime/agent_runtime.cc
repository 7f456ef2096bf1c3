#include "agents/runtime/agent_runtime.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <utility>

#include "agents/runtime/announced_file.h"
#include "events/base/slots/slot_name.h"

namespace berth::agents {
namespace {

constexpr Duration kTickEvery = 100 * kMillisecond;
constexpr Amount kOfferedDiskMin = Amount{16} << 30;  // of an agent that is not told what to offer
constexpr int kBeatsInFlightMax = 8;                  // while the log is stuck older beats are worth nothing
constexpr auto kStopMargin = std::chrono::seconds(10);

// What the agent offers of the slot `disk`. An operator who bounds each kernel alone, as before there was
// such a slot, has nothing changed. Where no bound can be kept, nobody is promised one; where there is room
// for a few kernels alone, they share it as before unless the operator says how much it is.
Result<Amount> offered_disk(const AgentConfig& config, KernelBackend& backend) {
  if (config.disk == 0 && config.disk_per_kernel > 0) return Amount{0};
  auto capacity = backend.disk_capacity();
  if (!capacity) return capacity;
  const Amount offered = config.disk > 0 ? std::min(config.disk, *capacity) : *capacity;
  return offered < (config.disk > 0 ? kDiskMin : kOfferedDiskMin) ? Amount{0} : offered;
}

// Whether the cluster should hear of it: each change costs a join. Less is told sooner than more.
bool is_other_disk(Amount told, Amount now) {
  constexpr Amount kLittle = Amount{1} << 30;
  if ((told == 0) != (now == 0)) return true;
  return now < told - std::max(told / 32, kLittle) || now > told + std::max(told / 8, kLittle);
}

// Says what memory is offered, and warns where other programs have far more of it than was kept for them.
// Beside kernels of an earlier life nobody knows what is theirs.
void say_memory(const AgentConfig& config, bool has_kernels, const AgentParts& parts) {
  const auto machine = offered_machine(config);
  if (!machine) return;
  parts.say(LogLevel::kInfo, describe_memory(machine->whole, machine->usable));
  const Memory& memory = machine->whole.memory;
  const Amount used = memory.used >> 20 << 20, kept = (memory.total - machine->usable.mem) >> 20 << 20;
  if (has_kernels || used <= kept * 2) return;
  parts.say(LogLevel::kWarning,
            "other programs of this machine have " + format_amount_human(SlotKind::kBytes, used) +
                " of its memory now, and " + format_amount_human(SlotKind::kBytes, kept) +
                " are kept for them: when kernels take what they were promised, it runs out. Keep more by "
                "--reserve-mem");
}

void add_volumes(const Volumes& volumes, v1::AgentJoined& announced, AgentProfile& profile) {
  for (const Volume& volume : volumes.list()) {
    auto& told = *announced.add_volumes();
    told.set_id(std::string(volume.id.view()));
    told.set_name(volume.name);
    profile.volumes.push_back({volume.id, volume.root, volume.shared_ids});
  }
}

void add_disk(v1::AgentJoined& announced, Amount disk) {
  auto& slot = *announced.add_slots();
  slot.set_slot(std::string(kDiskSlot));
  slot.set_amount(disk);
}

std::string announced_path(const AgentConfig& config) { return config.data + "/announced"; }

}  // namespace

AgentRuntime::AgentRuntime(AgentConfig config, Signer signer, AgentParts parts, std::string version)
    : config_(std::move(config)),
      signer_(std::move(signer)),
      parts_(std::move(parts)),
      version_(std::move(version)),
      trial_(parts_.backend) {
  BERTH_CHECK(signer_.writer() == "agent:" + config_.name, "an agent signs as itself");
}

AgentRuntime::~AgentRuntime() { halt(); }

Result<void> AgentRuntime::start() {
  auto announced = announce(config_, version_);
  if (!announced) return announced.error();
  announced->set_backend(parts_.backend.name());
  std::error_code error;
  std::filesystem::create_directories(config_.data, error);
  if (error)
    return make_error("data-folder-failed", config_.data + ": " + error.message(),
                      "choose another folder with --data");

  const std::weak_ptr<Strand> weak = strand_;
  auto recovered = parts_.backend.recover([this, weak](const KernelEvent& event) {
    if (const auto strand = weak.lock())
      strand->post([this, event] {
        if (Trial::is_one(event.key)) return trial_.on(event, parts_.clock.now().boottime);
        if (egress_) egress_->follow(event);
        step(event);
      });
  });
  if (!recovered) return recovered.error();
  trial_.clean(*recovered);
  if (!recovered->empty())
    parts_.say(LogLevel::kInfo, "found " + std::to_string(recovered->size()) + " kernels of an earlier life");

  say_memory(config_, !recovered->empty(), parts_);
  measure_disk();
  if (disk_offered_ > 0) {
    add_disk(*announced, disk_offered_);
    trial_disk_ = kDiskMin;
  }

  open_services(*recovered);
  auto address = services_->start(config_.services);
  if (!address) return address.error();
  address_ = *address;
  announced->set_address(address_);

  AgentProfile profile;
  if (parts_.volumes != nullptr) add_volumes(*parts_.volumes, *announced, profile);
  profile.announced = std::move(*announced);
  profile.announced_before = read_announced(announced_path(config_), signer_.cluster());
  profile.needs_image = parts_.backend.needs_image();
  profile.tries = true;
  profile.leased_until = parts_.backend.leased_until();
  if (parts_.take_span)
    spans_ = std::make_unique<KernelSpans>(config_.name, profile.needs_image, parts_.take_span);
  agent_ = std::make_unique<Agent>(std::move(profile), config_.times, *recovered);
  reports_ = std::make_unique<ReportWriter>(parts_.log, signer_, config_.name, weak);

  OrderReader::Sink sink;
  sink.ready = [this] {
    strand_->post([this] {
      may_join_ = true;
      step(Tick{});
    });
  };
  sink.order = [this](OrderArrived order) { post(std::move(order)); };
  sink.ack = [this](AckArrived ack) { post(std::move(ack)); };
  sink.rewound = [this] { post(OrdersRewound{}); };
  sink.warn = [this](const std::string& text) { parts_.say(LogLevel::kWarning, text); };
  reader_ = std::make_unique<OrderReader>(parts_.log, signer_, config_.name, std::move(sink));
  running_ = true;
  strand_->start([this] { after_batch(); }, kTickEvery / 2);
  if (parts_.volumes != nullptr) folder_work_->start([] {}, kHour);
  reader_->start();
  disk_watch_->start([this] { measure_disk(); }, config_.times.measure_disk_every);
  return {};
}

// What is free where kernels write changes while others write there: what is gone is promised to nobody. The
// first time, before there is an agent, it says nothing of a change.
void AgentRuntime::measure_disk() {
  const auto offered = offered_disk(config_, parts_.backend);
  const std::string trouble = offered ? "" : to_string(offered.error());
  if (!trouble.empty() && trouble != disk_trouble_)
    parts_.say(LogLevel::kWarning, "offers no disk to its kernels: " + trouble);
  disk_trouble_ = trouble;
  const Amount disk = offered ? *offered : 0;
  if (!is_other_disk(disk_offered_, disk)) return;
  const Amount before = std::exchange(disk_offered_, disk);
  if (!running_) return;
  parts_.say(LogLevel::kInfo, "offers " + format_amount_human(SlotKind::kBytes, disk) +
                                  " of disk instead of " + format_amount_human(SlotKind::kBytes, before) +
                                  ": what is free there has changed");
  post(DiskMeasured{disk});
}

void AgentRuntime::open_services(const std::vector<RecoveredKernel>& recovered) {
  KernelRoutes routes;
  routes["GET log"] = log_route([this](const KernelKey& key, std::int64_t offset, std::size_t max,
                                       LogRead done) { read_log(key, offset, max, std::move(done)); });
  const FindDoor find = [this](const KernelKey& key, DoorFound done) { find_door(key, std::move(done)); };
  const bool has_networks = parts_.backend.has_networks();
  routes["POST inside"] = inside_route(find, kChannelsOpenMax, has_networks);
  routes["POST app"] = app_route(find, has_networks);
  if (has_networks && parts_.registries) open_egress(recovered);
  if (parts_.volumes != nullptr) files_ = std::make_unique<FileService>(*parts_.volumes);
  services_ =
      std::make_unique<ServiceServer>(signer_, std::move(routes), files_ ? files_->route() : FolderRoute());
}

bool AgentRuntime::stop() {
  if (!running_) return true;
  strand_->post([this] { trial_.abandon(); });
  post(Leave{.keep_kernels = !config_.end_kernels});
  bool clean = false;
  {
    std::unique_lock lock(mutex_);
    const auto limit = std::chrono::nanoseconds(config_.times.grace) + kStopMargin;
    clean = changed_.wait_for(lock, limit, [this] { return finished_; });
  }
  halt();
  return clean;
}

void AgentRuntime::halt() {
  running_ = false;
  disk_watch_->stop();
  if (services_) services_->stop();
  if (files_) files_->stop();
  folder_work_->stop();
  if (reader_) reader_->stop();
  strand_->stop();
  if (egress_) egress_->stop();
}

// A kernel that an earlier life has started has its way out again.
void AgentRuntime::open_egress(const std::vector<RecoveredKernel>& recovered) {
  egress_ = std::make_unique<AgentEgress>(
      std::move(*parts_.registries),
      AgentEgress::Parts{[this](const KernelKey& key) { return parts_.backend.door(key); },
                         [this](const std::string& text) { parts_.say(LogLevel::kInfo, text); },
                         [this](const std::string& text) { parts_.say(LogLevel::kWarning, text); }});
  for (const RecoveredKernel& kernel : recovered) {
    egress_->begin(kernel.key, kernel.egress);
    egress_->follow(kernel);
  }
}

bool AgentRuntime::answers(Duration within) const {
  auto taken_up = std::make_shared<std::promise<void>>();
  auto future = taken_up->get_future();
  strand_->post([taken_up] { taken_up->set_value(); });
  return future.wait_for(std::chrono::nanoseconds(within)) == std::future_status::ready;
}

AgentStatus AgentRuntime::status() const {
  const std::lock_guard lock(mutex_);
  AgentStatus status = status_;
  status.payloads_dropped = reader_ ? reader_->dropped() : 0;
  return status;
}

bool AgentRuntime::await_join(Duration within) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(within), [this] { return status_.joined; });
}

void AgentRuntime::read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes, LogRead done) {
  strand_->post([this, key, offset, max_bytes, done = std::move(done)] {
    done(parts_.backend.read_log(key, offset, max_bytes));
  });
}

void AgentRuntime::find_door(const KernelKey& key, DoorFound done) {
  strand_->post([this, key, done = std::move(done)] {
    if (agent_->kernels().records().contains(key)) return done(parts_.backend.door(key));
    done(make_error("unknown-kernel", "this agent has no such kernel", "it has ended, or runs elsewhere"));
  });
}

void AgentRuntime::post(AgentInput input) {
  strand_->post([this, input = std::move(input)] { step(input); });
}

void AgentRuntime::step(const AgentInput& input) {
  const Instant now = parts_.clock.now();
  if (spans_) spans_->on_input(input, agent_->kernels(), now.wall);
  AgentOutputs out;
  agent_->step(input, now, out);
  carry_out(out);
}

void AgentRuntime::after_batch() {
  const Instant now = parts_.clock.now();
  if (parts_.pump) parts_.pump(now);
  if (now.boottime >= tick_at_) {
    tick_at_ = now.boottime + kTickEvery;
    trial_.tick(now.boottime);
    step(Tick{});
  }
  reports_->tick(now.boottime);
  AgentOutputs out;
  if (!reports_->full()) agent_->flush(now, out);
  carry_out(out);
  {
    const std::lock_guard lock(mutex_);
    status_ = {agent_->joined(),       agent_->fitness().unfit(),
               agent_->kernels_live(), agent_->kernels().records().size(),
               reports_->failures(),   0};
    finished_ = agent_->left() && reports_->idle() && !trial_.live();
  }
  changed_.notify_all();
}

void AgentRuntime::carry_out(AgentOutputs& out) {
  for (const AgentLogLine& line : out.log) parts_.say(line.level, line.text);
  for (AgentCommand& command : out.commands) carry_out(command);
  for (const v1::Report& report : out.reports) {
    if (report.has_join()) save_announced();
    if (spans_) spans_->on_report(report);
    reports_->write(report);
  }
  for (const v1::Beat& beat : out.beats) send(beat);
  if (!out.reports.empty() || !out.beats.empty()) parts_.log.flush();
  if (out.join_wanted && may_join_) step(JoinIds{parts_.random.uuid(), parts_.random.uuid()});
}

void AgentRuntime::carry_out(AgentCommand& command) {
  KernelBackend& backend = parts_.backend;
  if (spans_) spans_->on_command(command, parts_.clock.now().wall);
  if (auto* start = std::get_if<StartCommand>(&command)) {
    if (egress_) egress_->begin(start->spec.key, start->spec.egress);
    backend.start(std::move(start->spec), std::move(start->rootfs));
  } else if (const auto* stop = std::get_if<StopCommand>(&command)) {
    backend.stop(stop->key, stop->grace);
  } else if (const auto* forget = std::get_if<ForgetCommand>(&command)) {
    backend.forget(forget->key);
  } else if (const auto* renew = std::get_if<RenewLeases>(&command)) {
    backend.renew_leases(renew->until);
  } else if (const auto* work = std::get_if<FolderWork>(&command)) {
    work_on(*work);
  } else if (std::holds_alternative<TrialCommand>(command)) {
    try_a_kernel();
  } else {
    ensure(std::get<EnsureImage>(command));
  }
}

void AgentRuntime::ensure(const EnsureImage& wanted) {
  if (parts_.images == nullptr)
    return post(ImageDone{wanted.request, make_error("image-pull-failed", "this agent has no image store")});
  const std::weak_ptr<Strand> weak = strand_;
  parts_.images->ensure(
      wanted.request,
      [this, weak](const ImageProgress& progress) {
        if (const auto strand = weak.lock()) strand->post([this, progress] { step(ImageMoved{progress}); });
      },
      [this, weak, request = wanted.request](Result<StoredImage> result) {
        if (const auto strand = weak.lock())
          strand->post([this, done = ImageDone{request, std::move(result)}] { step(done); });
      });
}

void AgentRuntime::try_a_kernel() {
  const std::weak_ptr<Strand> weak = strand_;
  trial_.begin(trial_disk_, parts_.clock.now().boottime, [this, weak](Result<Duration> took) {
    // Not at once: the core is in the middle of its step.
    if (const auto strand = weak.lock())
      strand->post([this, done = TrialDone{std::move(took)}] { step(done); });
  });
}

void AgentRuntime::work_on(const FolderWork& work) {
  if (parts_.volumes == nullptr)
    return post(FolderDone{make_error("unknown-volume", "this agent has no volumes")});
  folder_work_->post([this, work] {
    Volumes& volumes = *parts_.volumes;
    auto done =
        work.purge ? volumes.remove(work.volume, work.folder) : volumes.make(work.volume, work.folder);
    if (!done)
      parts_.say(LogLevel::kWarning, "folder " + to_string(work.folder) + ": " + to_string(done.error()));
    post(FolderDone{std::move(done)});
  });
}

void AgentRuntime::send(const v1::Beat& beat) {
  if (beats_in_flight_->load() >= kBeatsInFlightMax) return;
  ++*beats_in_flight_;
  parts_.log.append({Stream::kHealth, 0}, config_.name,
                    signer_.sign(Channel::kBeat, beat.SerializeAsString()),
                    [count = beats_in_flight_](const AppendResult&) { --*count; });
}

void AgentRuntime::save_announced() {
  std::string bytes = agent_->announced().SerializeAsString();
  if (bytes == saved_announced_) return;
  const auto written = write_announced(announced_path(config_), signer_.cluster(), agent_->announced());
  if (!written) parts_.say(LogLevel::kWarning, to_string(written.error()));
  saved_announced_ = std::move(bytes);
}

}  // namespace berth::agents
