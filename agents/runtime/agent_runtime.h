// AgentRuntime: runs one agent: drives agents/core on a strand, reads its orders, appends its reports and
// beats, carries out commands with the kernel backend and the image store, serves kernels' logs and ways into
// them, and the files of folders on its volumes.
//
// Used by `berth-agent` and by `berth up`. Threads: the strand, the reader of orders, the server of
// services, those of AgentEgress and FileService, the one that makes and removes folders.
// Public calls are thread-safe, but only the owner calls start() and stop().
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "agents/core/agent.h"
#include "agents/egress/agent_egress.h"
#include "agents/kernel/backend.h"
#include "agents/kernel/image_store.h"
#include "agents/runtime/agent_config.h"
#include "agents/runtime/kernel_spans.h"
#include "agents/runtime/order_reader.h"
#include "agents/runtime/report_writer.h"
#include "agents/runtime/strand.h"
#include "agents/runtime/trial.h"
#include "agents/services/app_route.h"
#include "agents/services/file_route.h"
#include "agents/services/inside_route.h"
#include "agents/services/log_route.h"
#include "agents/services/service_server.h"
#include "agents/volumes/volumes.h"
#include "events/base/clock.h"
#include "events/base/random.h"
#include "events/codec/signing.h"
#include "events/log/event_log.h"

namespace berth::agents {

// The parts of an AgentRuntime. All outlive it.
struct AgentParts {
  EventLog& log;
  const Clock& clock;
  RandomSource& random;
  KernelBackend& backend;
  ImageStore* images = nullptr;                           // null: the backend needs none
  std::function<void(LogLevel, const std::string&)> say;  // called on any thread
  std::function<void(Instant)> pump;  // of a backend without a thread of its own (fake); may be empty
  std::optional<RegistrySettings> registries = {};  // that kernels with egress reach; absent: none does
  Volumes* volumes = nullptr;                       // of folders; null: there are none
  KernelSpans::Take take_span = {};                 // empty: no spans are made
};

struct AgentStatus {
  bool joined = false;  // obeys orders
  std::string unfit;    // why no kernel can start here; empty: kernels can, or it is not known yet
  std::size_t kernels_live = 0;
  std::size_t kernels_known = 0;  // with the ended kernels that wait for their Forget
  std::uint64_t reports_failed = 0;
  std::uint64_t payloads_dropped = 0;
};

class AgentRuntime {
 public:
  // `signer`: writer "agent:<config.name>".
  AgentRuntime(AgentConfig config, Signer signer, AgentParts parts, std::string version);
  ~AgentRuntime();  // stops at once, as kill -9 does; kernels go on

  // Recovers kernels, serves logs, begins to join; does not wait for the cluster. Codes of discovery, the
  // backend's recover(), and ServiceServer.
  Result<void> start();
  // Stops cleanly: ends all kernels if config.end_kernels, tells the cluster, leaves. False if that
  // took longer than the grace and 10 s; the rest is left to the next start.
  bool stop();

  AgentStatus status() const;
  // Whether the cluster has it by then: it joins when a kernel of its own has run, or could not.
  bool await_join(Duration within) const;
  // Whether the strand takes up a task within that time. Not from the strand itself.
  bool answers(Duration within) const;
  const std::string& address() const { return address_; }  // of the services, after start()

 private:
  void read_log(const KernelKey& key, std::int64_t offset, std::size_t max_bytes, LogRead done);
  void find_door(const KernelKey& key, DoorFound done);
  void open_egress(const std::vector<RecoveredKernel>& recovered);
  void halt();
  void post(AgentInput input);
  void step(const AgentInput& input);
  void after_batch();
  void carry_out(AgentOutputs& out);
  void carry_out(AgentCommand& command);
  void ensure(const EnsureImage& wanted);
  void work_on(const FolderWork& work);
  void try_a_kernel();
  void open_services(const std::vector<RecoveredKernel>& recovered);
  void send(const v1::Beat& beat);
  void measure_disk();
  void save_announced();

  AgentConfig config_;
  Signer signer_;
  AgentParts parts_;
  std::string version_;
  std::string address_;
  std::unique_ptr<ServiceServer> services_;  // outlives the strand, whose tasks hold streams
  std::shared_ptr<Strand> strand_ = std::make_shared<Strand>();
  std::unique_ptr<FileService> files_;                                // null: there are no volumes
  std::shared_ptr<Strand> folder_work_ = std::make_shared<Strand>();  // one after the other; blocks on disks
  std::unique_ptr<OrderReader> reader_;
  std::shared_ptr<Strand> disk_watch_ = std::make_shared<Strand>();
  Amount disk_offered_ = 0;   // its own, once it runs
  std::string disk_trouble_;  // the same; as said last

  // The strand's.
  std::unique_ptr<Agent> agent_;
  std::unique_ptr<ReportWriter> reports_;
  std::unique_ptr<AgentEgress> egress_;  // null: no kernel has any
  std::unique_ptr<KernelSpans> spans_;   // null: none are made
  Trial trial_;
  Amount trial_disk_ = 0;  // of the trial, where people's kernels have a bound
  bool may_join_ = false;
  Timestamp tick_at_ = 0;
  std::string saved_announced_;
  std::shared_ptr<std::atomic<int>> beats_in_flight_ = std::make_shared<std::atomic<int>>(0);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  AgentStatus status_;     // guarded
  bool finished_ = false;  // guarded: the agent left, and all reports are in the log
  std::atomic<bool> running_ = false;
};

}  // namespace berth::agents
