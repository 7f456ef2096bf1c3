#include "bench/place_world.h"

#include <algorithm>
#include <cstring>

namespace berth::bench {

namespace {

constexpr Amount kGiB = 1ll << 30;

// The shape of a session is the last part of its id, so that a placement needs no table to be understood.
SessionId session_id(std::uint64_t number, std::uint32_t shape) {
  SessionId id;
  const std::uint64_t mixed = number * 0x9E3779B97F4A7C15ull;
  std::memcpy(id.bytes.data(), &shape, sizeof shape);
  std::memcpy(id.bytes.data() + 8, &mixed, sizeof mixed);
  return id;
}

std::uint32_t shape_of(const SessionId& id) {
  std::uint32_t shape;
  std::memcpy(&shape, id.bytes.data(), sizeof shape);
  return shape;
}

}  // namespace

PlaceWorld::PlaceWorld(std::uint64_t agents, std::uint64_t seed, placement::Select select)
    : rng_(seed),
      cpu_(cluster_.define_slot("cpu", SlotKind::kCount)),
      mem_(cluster_.define_slot("mem", SlotKind::kBytes)),
      shares_(cluster_.define_slot("cuda.shares", SlotKind::kCount)) {
  placement::GroupPolicy policy;
  policy.head_of_line = placement::HeadOfLine::kGreedy;
  policy.select = select;
  add_shapes();
  policy.mix = class_mix();
  cluster_.define_group("default", policy);
  add_agents(agents);
}

// What fgd and balanced expect of the future: the shapes as often as they are asked for.
std::vector<placement::fragmentation::ClassShare> PlaceWorld::class_mix() const {
  std::vector<placement::fragmentation::ClassShare> mix;
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    const auto shares = static_cast<std::int32_t>(shapes_[i].shares / 1'000);
    const std::int32_t whole = placement::fragmentation::kWholeGpu;
    placement::fragmentation::Ask ask;
    ask.cpu_milli = static_cast<std::int32_t>(shapes_[i].cpu / 1'000);
    ask.gpus = shares > 0 ? std::max(1, shares / whole) : 0;
    ask.gpu_milli = std::min(shares, whole);
    mix.push_back({ask, std::count(mix_.begin(), mix_.end(), static_cast<std::uint32_t>(i))});
  }
  return mix;
}

void PlaceWorld::add_agents(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    placement::AgentSpec agent;
    agent.id = "agent-" + std::to_string(1'000'000 + i);
    agent.group = "default";
    agent.arch = "x86_64";
    const std::uint64_t kind = i % 4;  // half CPU only; 8 whole GPUs; 4 GPUs cut into two
    const Amount cpu = (kind == 2 ? 96 : 64) * kUnit;
    agent.slots = {{cpu_, cpu}, {mem_, (kind == 2 ? 1024 : 256) * kGiB}};
    cpu_capacity_ += cpu;
    const std::uint64_t gpus = kind == 2 ? 8 : kind == 3 ? 4 : 0;
    for (std::uint64_t gpu = 0; gpu < gpus; ++gpu) {
      const Amount capacity = (kind == 3 ? 2 : 1) * kUnit;
      agent.devices.push_back({"gpu" + std::to_string(gpu), 0, {{shares_, capacity}}, {}});
      shares_capacity_ += capacity;
    }
    agent.max_containers = 1'000;
    cluster_.upsert_agent(agent);
  }
}

void PlaceWorld::add_shapes() {
  const auto add = [&](Amount milli_cpu, Amount gib, Amount milli_shares, std::uint32_t kernels, int weight) {
    Shape shape;
    placement::KernelSpec kernel;
    kernel.slots = {{cpu_, milli_cpu * 1000}, {mem_, gib * kGiB}};
    if (milli_shares > 0) kernel.slots.push_back({shares_, milli_shares * 1000});
    kernel.count = kernels;
    if (kernels > 1) shape.mode = placement::Mode::kMultiNode;
    shape.kernels = {kernel};
    shape.cpu = milli_cpu * 1000 * kernels;
    shape.shares = milli_shares * 1000 * kernels;
    mix_.insert(mix_.end(), static_cast<std::size_t>(weight), static_cast<std::uint32_t>(shapes_.size()));
    shapes_.push_back(std::move(shape));
  };
  for (const Amount cpu : {500, 1000, 2000, 4000, 8000, 16000})
    add(cpu, std::max<Amount>(1, cpu / 500), 0, 1, 8);
  for (const Amount shares : {100, 200, 300, 500, 700}) add(1000, 4, shares, 1, 6);
  for (const Amount shares : {1000, 1500, 2000, 4000}) add(4 * shares, shares / 125, shares, 1, 4);
  add(2000, 8, 1000, 4, 1);
  add(8000, 16, 0, 4, 1);
}

void PlaceWorld::ask(std::uint32_t shape) {
  placement::PendingSpec spec;
  spec.id = session_id(++asked_, shape);
  spec.group = "default";
  spec.created = static_cast<Timestamp>(asked_);
  spec.arrival = asked_;
  spec.user = "u";
  spec.mode = shapes_[shape].mode;
  spec.kernels = shapes_[shape].kernels;
  (void)cluster_.add_pending(spec).ok();
}

void PlaceWorld::run_passes() {
  while (placement::pass(cluster_, "default", {1'000, false, false}, *this).more) {}
}

void PlaceWorld::placed(const SessionId& session, std::span<const placement::KernelPlacement>) {
  const std::uint32_t shape = shape_of(session);
  running_.push_back({session, shape});
  cpu_used_ += shapes_[shape].cpu;
  shares_used_ += shapes_[shape].shares;
  ++placed_;
}

double PlaceWorld::full() const {
  const auto part = [](Amount used, Amount capacity) {
    return capacity == 0 ? 1.0 : static_cast<double>(used) / static_cast<double>(capacity);
  };
  return std::min(part(cpu_used_, cpu_capacity_), part(shares_used_, shares_capacity_));
}

std::uint64_t PlaceWorld::fill() {
  const std::uint64_t before = placed_;
  constexpr double kFull = 0.95;
  while (full() < kFull) {
    const bool gpus = static_cast<double>(shares_used_) < kFull * static_cast<double>(shares_capacity_);
    const bool cpus = static_cast<double>(cpu_used_) < kFull * static_cast<double>(cpu_capacity_);
    const std::uint64_t placed_then = placed_;
    for (int i = 0; i < 256;) {
      const std::uint32_t shape = mix_[rng_.below(mix_.size())];
      if (shapes_[shape].shares > 0 ? !gpus : !cpus) continue;  // that part is full
      ask(shape);
      ++i;
    }
    run_passes();
    if (placed_ == placed_then) break;  // what waits would fill the rest, but fits nowhere
  }
  return placed_ - before;
}

std::uint64_t PlaceWorld::churn(std::uint64_t sessions) {
  const std::uint64_t before = placed_;
  while (placed_ - before < sessions) {
    const std::uint64_t placed_then = placed_;
    for (int i = 0; i < 32 && !running_.empty(); ++i) {
      const std::size_t at = rng_.below(running_.size());
      const Running ended = running_[at];
      running_[at] = running_.back();
      running_.pop_back();
      cpu_used_ -= shapes_[ended.shape].cpu;
      shares_used_ -= shapes_[ended.shape].shares;
      cluster_.release(ended.id);
      ask(ended.shape);
    }
    run_passes();
    if (placed_ == placed_then && running_.empty()) break;
  }
  return placed_ - before;
}

void PlaceWorld::queue_up(std::uint64_t sessions) {
  for (std::uint64_t i = 0; i < sessions; ++i) ask(mix_[i % mix_.size()]);
}

}  // namespace berth::bench
