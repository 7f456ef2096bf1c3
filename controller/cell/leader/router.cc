#include "controller/cell/leader/router.h"

#include "events/base/slots/slot_name.h"
#include "events/base/trace_context.h"
#include "events/log/event_log.h"
#include "events/log/orders_partition.h"
#include "projections/automatic_folder.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::FolderRow;
using projections::KernelRow;
using projections::KernelState;
using projections::SessionRow;
using projections::State;

// Of an order with a snapshot or a part of one, less what stands around its kernels.
constexpr std::size_t kSnapshotBytesMax = kPayloadBytesMax - (16u << 10);
constexpr std::size_t kFieldBytes = 6;  // tag and length of a message, more than enough

const SessionRow* session_of(const State& state, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  return id ? state.sessions.find(SessionId(*id)) : nullptr;
}

const FolderRow* folder_of(const State& state, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  return id ? state.folders.find(FolderId(*id)) : nullptr;
}

// A folder that is gone has no volume: the kernel's start fails, and says so.
void fill_mount(const State& state, const v1::Mount& mount, v1::KernelMount* filled) {
  filled->set_folder(mount.folder());
  if (const FolderRow* folder = folder_of(state, mount.folder()))
    filled->set_volume(std::string(folder->volume.view()));
  filled->set_target(mount.target());
  filled->set_read_only(mount.read_only());
}

// An agent that lacks the volume starts the kernel without it.
void fill_automatic_mount(const State& state, const SessionRow& session, const KernelRow& kernel,
                          v1::StartKernel* start) {
  const FolderRow* folder = projections::automatic_folder_of(state, session);
  const AgentRow* agent = folder == nullptr ? nullptr : state.agents.find(kernel.agent);
  if (agent == nullptr || !agent->has(folder->volume)) return;
  auto* filled = start->add_mounts();
  filled->set_folder(std::string(folder->id.view()));
  filled->set_volume(std::string(folder->volume.view()));
  filled->set_target(projections::kAutomaticFolder);
  filled->set_automatic(true);
}

// What is to be done with the folder now, if anything, and if the agent is who does it.
void add_folder(const State& state, const std::string& agent, const FolderRow& folder,
                google::protobuf::RepeatedPtrField<v1::FolderOrder>* orders) {
  const AgentRow* row = state.agents.find(agent);
  const projections::VolumeRow* volume = state.volumes.find(folder.volume);
  const bool is_its = row != nullptr && volume != nullptr && volume->agent == agent && row->has(volume->id);
  if (!is_its || !folder.is_to_do()) return;
  v1::FolderOrder* order = orders->Add();
  order->set_folder(std::string(folder.id.view()));
  order->set_volume(std::string(folder.volume.view()));
  order->set_purge(folder.state == projections::FolderState::kPurging);
}

void add_folders_of(const State& state, const std::string& agent, const VolumeId& volume,
                    google::protobuf::RepeatedPtrField<v1::FolderOrder>* orders) {
  for (const FolderId& id : state.folders_to_do(volume))
    add_folder(state, agent, *state.folders.find(id), orders);
}

// What a kernel may write: what it holds of the slot, else the bound of its group. 0: its agent's own bound.
Amount disk_bound(const v1::RoleSpec& role, const v1::ResourceGroupDefined& group) {
  for (const auto& slot : role.slots())
    if (slot.slot() == kDiskSlot && slot.amount() > 0) return slot.amount();
  return group.disk();
}

// What a kernel does belongs below its session's span. A session that no request asked for has no trace.
std::string kernel_trace(const SessionRow& session) {
  if (session.request.is_nil()) return {};
  TraceContext context = trace_of_session(session.trace, session.request);
  context.parent = derived_span(session.id, "session");
  return to_traceparent(context);
}

void fill_start(const State& state, const SessionRow& session, const KernelRow& kernel,
                v1::StartKernel* start) {
  const auto& spec = session.spec->spec;
  const auto& role = kernel.role_spec();
  start->set_kernel_id(std::string(kernel.id.view()));
  start->set_attempt(kernel.attempt);
  start->set_session_id(std::string(session.id.view()));
  start->set_session_name(session.name);
  *start->mutable_spec() = spec;
  start->set_role(role.role());
  start->set_index(kernel.index);
  *start->mutable_slots() = role.slots();
  if (const auto* group = state.groups.find(spec.group())) {
    start->set_disk(disk_bound(role, group->def));
    if (group->def.egress() == "registries") start->set_egress(v1::EGRESS_REGISTRIES);
  }
  for (const auto& share : kernel.devices) {
    auto* device = start->add_devices();
    device->set_device(share.device);
    device->set_slot(share.slot);
    device->set_amount(share.amount);
  }
  start->set_image(role.image().empty() ? spec.image() : role.image());
  if (const auto* image = state.images.find(start->image())) {
    start->set_image_source(image->def.source());
    start->set_image_digest(image->def.digest());
  }
  for (const auto& r : spec.roles())
    for (std::uint32_t i = 1; i <= r.count(); ++i) start->add_hosts(r.role() + std::to_string(i));
  for (const auto& mount : spec.mounts()) fill_mount(state, mount, start->add_mounts());
  fill_automatic_mount(state, session, kernel, start);
  start->set_trace(kernel_trace(session));
}

void add_stop(const KernelRow& kernel, v1::Order* order) {
  auto* stop = order->add_stop();
  stop->set_kernel_id(std::string(kernel.id.view()));
  stop->set_attempt(kernel.attempt);
  stop->set_grace_ms(kStopGrace / kMillisecond);
}

// Stops what the session still has on that agent.
void stop_session(const State& state, const SessionRow& session, const std::string& agent, v1::Order* order) {
  for (const KernelId& id : session.kernel_ids) {
    const KernelRow* kernel = state.kernels.find(id);
    if (kernel != nullptr && kernel->holds_slots() && kernel->agent == agent) add_stop(*kernel, order);
  }
}

void fill_starts(const State& state, const v1::SessionScheduled& scheduled, const std::string& agent,
                 v1::Order* order) {
  const SessionRow* session = session_of(state, scheduled.session_id());
  if (session == nullptr) return;
  for (const auto& placement : scheduled.placements()) {
    if (placement.agent() != agent) continue;
    const auto id = Uuid::from_bytes(placement.kernel_id());
    const KernelRow* kernel = state.kernels.find(KernelId(*id));
    if (kernel != nullptr && kernel->attempt == scheduled.attempt())
      fill_start(state, *session, *kernel, order->add_start());
  }
}

// Its agent forgets the kernel; agents that still run something of the session stop that. A kernel whose
// session went back to the queue in the same record has no row any more: then all of them are told to forget.
void fill_end(const State& state, const v1::KernelTerminated& ended, const std::string& agent,
              v1::Order* order) {
  const auto id = Uuid::from_bytes(ended.kernel_id());
  const KernelRow* kernel = id ? state.kernels.find(KernelId(*id)) : nullptr;
  if (kernel != nullptr && kernel->attempt != ended.attempt()) kernel = nullptr;
  if (kernel == nullptr || kernel->agent == agent) {
    auto* forget = order->add_forget();
    forget->set_kernel_id(ended.kernel_id());
    forget->set_attempt(ended.attempt());
  }
  const SessionRow* session = kernel != nullptr ? state.sessions.find(kernel->session) : nullptr;
  if (session != nullptr) stop_session(state, *session, agent, order);
}

// A folder that its agent has made or removed by now is no longer to be done.
void fill_folders(const State& state, const v1::Event& event, const std::string& agent, v1::Order* order) {
  if (event.has_volume_agent_named()) {
    if (const auto volume = Uuid::from_bytes(event.volume_agent_named().volume()))
      add_folders_of(state, agent, VolumeId(*volume), order->mutable_folders());
    return;
  }
  const FolderRow* folder = folder_of(
      state, event.has_folder_created() ? event.folder_created().folder() : event.folder_purging().folder());
  if (folder != nullptr) add_folder(state, agent, *folder, order->mutable_folders());
}

// The order as it is if it fits a payload, else orders with a part of its snapshot each, in the order of the
// kernels' ids. The first part has the folders: far fewer than would fill it (kFoldersToDoMax).
std::vector<v1::Order> in_parts(v1::Order order) {
  if (order.ByteSizeLong() <= kSnapshotBytesMax) return {std::move(order)};
  v1::Snapshot whole;
  whole.Swap(order.mutable_snapshot());
  order.clear_snapshot();
  std::vector<v1::Order> parts;
  v1::Snapshot* part = nullptr;
  std::size_t bytes = 0;
  for (auto& kernel : *whole.mutable_kernels()) {
    const std::size_t more = kernel.ByteSizeLong() + kFieldBytes;
    if (part == nullptr || bytes + more > kSnapshotBytesMax) {
      const std::string after = part == nullptr ? "" : part->kernels().rbegin()->start().kernel_id();
      if (part != nullptr) part->set_up_to(after);
      part = parts.emplace_back(order).mutable_snapshot();
      part->set_join_nonce(whole.join_nonce());
      part->set_after(after);
      part->mutable_folders()->Swap(whole.mutable_folders());  // of the first; then it is empty
      bytes = part->ByteSizeLong();
    }
    bytes += more;
    part->add_kernels()->Swap(&kernel);
  }
  return parts;
}

}  // namespace

void Router::fill_event(const State& state, const v1::Event& event, const std::string& agent,
                        v1::Order* order) const {
  if (event.has_session_scheduled()) {
    fill_starts(state, event.session_scheduled(), agent, order);
  } else if (event.has_session_terminating()) {
    if (const SessionRow* session = session_of(state, event.session_terminating().session_id()))
      stop_session(state, *session, agent, order);
  } else if (event.has_session_requeued()) {  // preempted: what it runs has to end first
    if (const SessionRow* session = session_of(state, event.session_requeued().session_id()))
      stop_session(state, *session, agent, order);
  } else if (event.has_kernel_terminated()) {
    fill_end(state, event.kernel_terminated(), agent, order);
  } else if (event.has_folder_created() || event.has_folder_purging() || event.has_volume_agent_named()) {
    fill_folders(state, event, agent, order);
  }
}

void Router::fill_snapshot(const State& state, const AgentRow& agent, v1::Snapshot* snapshot) {
  snapshot->set_join_nonce(std::string(agent.nonce.view()));
  for (const KernelId& id : state.kernels_on(agent.name)) {
    const KernelRow* kernel = state.kernels.find(id);
    const SessionRow* session = state.sessions.find(kernel->session);
    auto* desired = snapshot->add_kernels();
    fill_start(state, *session, *kernel, desired->mutable_start());
    seal_environment(state, agent, desired->mutable_start());
    desired->set_stopping(session->is_leaving());
    desired->set_started(kernel->state >= KernelState::kCreating);
    desired->set_state(static_cast<std::uint32_t>(kernel->state));
  }
  for (const auto& volume : agent.volumes)
    add_folders_of(state, agent.name, volume.id, snapshot->mutable_folders());
}

std::vector<std::pair<projections::Position, Append>> Router::orders(
    const State& state, const v1::Record& record, const std::vector<projections::OrderNote>& notes) {
  std::vector<std::pair<projections::Position, Append>> out;
  for (const auto& note : notes) {
    const AgentRow* agent = state.agents.find(note.agent);
    if (agent == nullptr || note.snapshot) continue;
    v1::Order order;
    order.set_agent(agent->name);
    order.set_epoch(record.header().epoch());
    order.set_election_nonce(std::string(nonce_.view()));
    order.set_incarnation(std::string(agent->incarnation.view()));
    projections::to_proto(note.position, order.mutable_position());
    projections::to_proto(note.previous, order.mutable_previous());
    fill_event(state, record.events(note.event), note.agent, &order);
    for (auto& start : *order.mutable_start()) seal_environment(state, *agent, &start);
    out.emplace_back(note.position, signed_order(*agent, order));
  }
  return out;
}

std::vector<std::pair<projections::Position, Append>> Router::snapshot(const State& state,
                                                                       const std::string& name) {
  const AgentRow* agent = state.agents.find(name);
  const auto* cursor = state.order_cursors.find(name);
  if (agent == nullptr || cursor == nullptr) return {};
  v1::Order order;
  order.set_agent(name);
  order.set_epoch(state.epoch().epoch);
  order.set_election_nonce(std::string(nonce_.view()));
  order.set_incarnation(std::string(agent->incarnation.view()));
  projections::to_proto(cursor->last, order.mutable_position());
  projections::to_proto(cursor->last, order.mutable_previous());
  fill_snapshot(state, *agent, order.mutable_snapshot());
  std::vector<std::pair<projections::Position, Append>> out;
  for (const auto& part : in_parts(std::move(order)))
    out.emplace_back(cursor->last, signed_order(*agent, part));
  return out;
}

// No order holds a secret that others than its agent can read (P29).
void Router::seal_environment(const State& state, const AgentRow& agent, v1::StartKernel* start) {
  const SessionRow* session = session_of(state, start->session_id());
  if (session == nullptr || !session->environment) return;
  *start->mutable_environment() = config_.environments.seal_for_agent(
      *session->environment, session->actor, session->request.view(), agent.name,
      verifier_.key_of("agent:" + agent.name, agent.generation), *start);
}

Append Router::signed_order(const AgentRow& agent, const v1::Order& order) {
  const std::string writer = "agent:" + agent.name;
  const Signer signer(config_.cluster, writer, agent.generation, verifier_.key_of(writer, agent.generation));
  Append append;
  append.partition = orders_partition(config_.layout, agent.name);
  append.key = agent.name;
  append.payload = signer.sign(Channel::kOrder, order.SerializeAsString());
  return append;
}

}  // namespace berth::controller
