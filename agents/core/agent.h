// Agent: compares the kernels that its orders name with the kernels on the machine. Pure: no I/O, no clock,
// no randomness, no threads.
//
// The driver (agents/runtime, the simulator) hands in each input with the time, carries out the commands,
// appends reports and beats, and flushes when its queue is empty, so that many facts share a report. Rules
// kept here: orders P21 (OrderGate), reports P22 (KernelTable), leases P24 (Lease), ends P25. Folders on the
// agent's volumes are made and removed as FolderOrders says. An agent that can start no kernel joins as
// unfit, and joins anew when that changes (Fitness).
//
//   outside --Join--> joining --snapshot with the join's nonce--> joined
//      ^                                                            |
//      +------- no acks, ack "unknown", another election -----------+
//
// Outside and joining, the agent obeys nothing and starts nothing; running kernels go on, and their facts are
// still reported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "agents/core/fitness.h"
#include "agents/core/folder_orders.h"
#include "agents/core/kernel_spec.h"
#include "agents/core/kernel_table.h"
#include "agents/core/lease.h"
#include "agents/core/order_gate.h"
#include "agents/core/snapshot_parts.h"
#include "agents/kernel/backend.h"
#include "agents/kernel/image_store.h"
#include "events/base/lease.h"
#include "events/base/time/heard_time.h"
#include "events/schema/v1/order.pb.h"
#include "events/schema/v1/report.pb.h"

namespace berth::agents {

struct AgentTimes {
  Duration beat_every = kSecond;
  Duration lease = kLease;              // of requeueable kernels, asked for by a join: kLease to kLeaseMax
  Duration ack_patience = kLease;       // without an ack, until it joins anew
  Duration order_late = 2 * kSecond;    // D: after it a missing order or snapshot is asked for
  Duration retell_first = 3 * kSecond;  // until an end is told again, until its Forget
  Duration retell_max = 30 * kSecond;
  Duration unknown_patience = 5 * kSecond;   // with acks "unknown": the join may be on its way
  Duration join_again_first = 30 * kSecond;  // without a snapshot: join with new ids
  Duration join_again_max = 300 * kSecond;
  Duration join_pause = 500 * kMillisecond;  // between two joins, so that two quarrelling leaders cost little
  Duration measure_disk_every = kMinute;
  Duration grace =
      5 * kSecond;  // of stops that no order asked for: kernels not in the snapshot, a clean stop
  FitnessTimes fitness = {};
};

struct AgentProfile {
  v1::AgentJoined announced;  // all but incarnation and nonce; capacity as configured now
  // Devices as announced in an earlier life. A capacity that is lower now is lowered only when no kernel
  // needs the difference (P8).
  std::vector<v1::Device> announced_before;
  bool needs_image = true;          // of the backend
  std::vector<VolumeRoot> volumes;  // that folders in orders lie on
  // Boottime of the end of the lease that kernels of an earlier life have: no join asks for less, or the
  // leader would requeue their sessions while they run.
  Timestamp leased_until = 0;
  bool tries = false;  // joins after a trial, and tries again; false: it is fit, whatever happens
};

// ---- inputs ----
// Answers AgentOutputs::join_wanted; never used before.
struct JoinIds {
  Uuid incarnation;
  Uuid nonce;
};
// Opened, its MAC checked.
struct OrderArrived {
  v1::Order order;
};
// Its MAC checked.
struct AckArrived {
  std::uint64_t epoch = 0;
  Uuid election_nonce;
  v1::Ack ack;
};
// The reader was thrown to another offset.
struct OrdersRewound {};
struct ImageMoved {
  ImageProgress progress;
};
struct ImageDone {
  ImageRequest request;
  Result<StoredImage> result;
};
// Answers a FolderWork.
struct FolderDone {
  Result<void> result;
};
// What the machine's kernels may write together has changed: others have taken some of it, or given back. 0:
// none is offered.
struct DiskMeasured {
  Amount disk = 0;
};
// Answers a TrialCommand: how long the trial's kernel took to run, or why it did not run as it has to.
struct TrialDone {
  Result<Duration> took;
};
// A clean stop: all kernels end, or go on running.
struct Leave {
  bool keep_kernels = false;
};
struct Tick {};
using AgentInput = std::variant<JoinIds, OrderArrived, AckArrived, OrdersRewound, KernelEvent, ImageMoved,
                                ImageDone, FolderDone, DiskMeasured, TrialDone, Leave, Tick>;

// ---- outputs ----
struct StartCommand {
  KernelSpec spec;
  std::string rootfs;
};
struct StopCommand {
  KernelKey key;
  Duration grace = 0;
};
struct ForgetCommand {
  KernelKey key;
};
struct RenewLeases {
  Timestamp until = 0;
};
struct EnsureImage {
  ImageRequest request;
};
// Start a kernel of the agent's own, end it, and answer with TrialDone.
struct TrialCommand {};
using AgentCommand = std::variant<StartCommand, StopCommand, ForgetCommand, RenewLeases, EnsureImage,
                                  FolderWork, TrialCommand>;

enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
struct AgentLogLine {
  LogLevel level;
  std::string text;
};

// Step and flush append. The driver carries out each list in its order.
struct AgentOutputs {
  std::vector<AgentCommand> commands;
  std::vector<v1::Report> reports;
  std::vector<v1::Beat> beats;
  std::vector<AgentLogLine> log;
  bool join_wanted = false;  // answer with JoinIds
};

class Agent {
 public:
  // `recovered`: the result of the backend's recover().
  Agent(AgentProfile profile, AgentTimes times, const std::vector<RecoveredKernel>& recovered);

  void step(const AgentInput& input, Instant now, AgentOutputs& out);
  // Turns the facts since the last flush into reports of bounded size, with the newest state of each kernel.
  void flush(Instant now, AgentOutputs& out);

  bool joined() const { return gate_.open(); }  // obeys orders
  bool left() const { return left_; }           // the last report was made
  const Uuid& incarnation() const { return incarnation_; }
  const v1::AgentJoined& announced() const { return announced_; }
  std::size_t kernels_live() const { return kernels_.live(); }
  const Fitness& fitness() const { return fitness_; }
  const KernelTable& kernels() const { return kernels_; }

 private:
  using ImageKey = std::string;

  // agent.cc: membership
  void on(const JoinIds& ids, Instant now, AgentOutputs& out);
  void on(const AckArrived& arrived, Instant now, AgentOutputs& out);
  void on(const OrdersRewound&, Instant now, AgentOutputs& out);
  void on(const DiskMeasured& measured, Instant now, AgentOutputs& out);
  void on(const TrialDone& done, Instant now, AgentOutputs& out);
  void on(const Leave& leave, Instant now, AgentOutputs& out);
  void on(const Tick&, Instant now, AgentOutputs& out);
  void join_anew(const char* why, AgentOutputs& out);
  void beat(Instant now, AgentOutputs& out);
  v1::Report report(Instant now) const;
  std::int64_t lease_to_ask(Timestamp boottime) const;
  void tell_kernels(v1::Join& join, Instant now);
  void finish_leaving(Instant now, AgentOutputs& out);

  // agent_orders.cc
  void on(const OrderArrived& arrived, Instant now, AgentOutputs& out);
  void judge(const v1::Order& order, Instant now, AgentOutputs& out);
  void obey(const v1::Order& order, bool stops_only, Instant now, AgentOutputs& out);
  void obey_stop(const v1::StopKernel& stop, const OrderPosition& position, Instant now, AgentOutputs& out);
  void obey_forget(const v1::ForgetKernel& forget, Instant now, AgentOutputs& out);
  void obey_snapshot(const v1::Snapshot& snapshot, const OrderPosition& position, Instant now,
                     AgentOutputs& out);
  void obey_folders(const google::protobuf::RepeatedPtrField<v1::FolderOrder>& orders, AgentOutputs& out);
  void on(const FolderDone& done, Instant now, AgentOutputs& out);
  void obey_desired(const v1::DesiredKernel& desired, const KernelKey& key, Instant now, AgentOutputs& out);
  void drop_unwanted(KernelRecord& record, const OrderPosition& position, AgentOutputs& out);
  void lower_capacity(AgentOutputs& out);
  void warn_over_commitment(const char* what, AgentOutputs& out);

  // agent_kernels.cc
  void on(const KernelEvent& event, Instant now, AgentOutputs& out);
  void on(const ImageMoved& moved, Instant now, AgentOutputs& out);
  void on(const ImageDone& done, Instant now, AgentOutputs& out);
  void begin(const v1::StartKernel& order, Instant now, AgentOutputs& out);
  void count(KernelRecord& record, const KernelHolding& holding);
  void describe(KernelRecord& record, const v1::StartKernel& order);
  void fetch_image(KernelRecord& record, Instant now, AgentOutputs& out);
  void give(KernelRecord& record, const v1::StartKernel& order, Instant now, AgentOutputs& out);
  void give_deferred(Instant now, AgentOutputs& out);
  void refuse_deferred(Instant now);
  bool any_of_unknown_amounts() const;
  void stop(KernelRecord& record, Duration grace, Instant now, AgentOutputs& out);
  void end_unstarted(KernelRecord& record, v1::KernelEnd end, Error why, Instant now);
  void take_event(KernelRecord& record, const KernelEvent& event);
  void forget(const KernelKey& key, AgentOutputs& out);

  AgentProfile profile_;
  AgentTimes times_;
  v1::AgentJoined announced_;
  OrderGate gate_;
  SnapshotParts parts_;
  Lease lease_;
  Fitness fitness_;
  KernelTable kernels_;
  FolderOrders folders_;
  Allocation allocation_;
  std::map<ImageKey, std::set<KernelKey>> pulls_;  // kernels that wait for an image
  std::set<KernelKey> deferred_;                   // kernels that wait for a lease or for room

  Uuid incarnation_;         // nil: outside, wants to join
  Timestamp joined_at_ = 0;  // boottime of the join's sending
  Timestamp join_again_at_ = 0;
  Duration join_again_pause_ = 0;
  Timestamp beat_at_ = 0;
  HeardTime heard_time_;                                   // by acks
  std::map<std::uint64_t, OrderPosition> beat_positions_;  // the order position in each beat in flight
  bool leaving_ = false;
  bool keep_kernels_ = false;
  bool left_ = false;
};

}  // namespace berth::agents
