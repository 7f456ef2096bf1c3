// AgentEgress: the way out of an agent's kernels, as the agent sees it: it is told of kernels that begin, run
// and end, keeps the way of those with egress open while they run, and finds out which registries they may
// reach.
//
// The calls: from one thread at a time. Threads: that of its EgressServer, and one that searches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "agents/egress/egress_server.h"
#include "agents/egress/registry_search.h"

namespace berth::agents {

class AgentEgress {
 public:
  struct Parts {
    std::function<std::string(const KernelKey&)> door;  // KernelBackend::door()
    std::function<void(const std::string&)> tell;       // any thread
    std::function<void(const std::string&)> warn;       // any thread
  };

  AgentEgress(RegistrySettings settings, Parts parts);
  ~AgentEgress();

  // The kernel is started, or was found by recover().
  void begin(const KernelKey& kernel, Egress egress);
  void follow(const KernelEvent& event);
  // Ends all ways. Idempotent.
  void stop();

 private:
  void search();

  const RegistrySettings settings_;
  const Parts parts_;
  NameLookup names_;
  EgressServer server_;
  std::set<KernelKey> kernels_;  // with egress
  std::mutex mutex_;             // guards stopped_
  std::condition_variable woken_;
  std::atomic<bool> stopped_ = false;
  std::thread searcher_;
};

}  // namespace berth::agents
