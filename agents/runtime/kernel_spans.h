// KernelSpans: spans of what the agent does for its orders, for an exporter (ADR 0096).
//
//   start kernel     its order taken until it runs; below what the order names, which is the session's span
//     image          until its image is there: fetched and unpacked, or found         (containers alone)
//     prepare        the claim, the layer and the mounts, until the runtime begins    (containers alone)
//     runtime        until the container runs                                         (containers alone)
//   end kernel       its stop taken, or its program over, until nothing of it is left
//
// Watches what goes into the agent's core and what comes out; decides nothing. Whoever asked without the
// `sampled` bit gets none. Ids are derived from the kernel's. All calls on the strand.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/core/agent.h"
#include "events/otlp/span.h"

namespace berth::agents {

class KernelSpans {
 public:
  using Take = std::function<void(Span)>;  // quick

  // `containers`: kernels have images and a runtime.
  KernelSpans(std::string agent, bool containers, Take take)
      : agent_(std::move(agent)), containers_(containers), take_(std::move(take)) {}

  // Before the agent takes it in: `known` are its kernels until then. Times are wall time.
  void on_input(const AgentInput& input, const KernelTable& known, Timestamp now);
  void on_command(const AgentCommand& command, Timestamp now);
  void on_report(const v1::Report& report);

 private:
  struct Followed {
    TraceContext context;
    ImageRequest image;
    std::vector<std::pair<std::string, std::string>> attributes;
    Timestamp ordered = 0;  // 0: it was started by an earlier life, whose span of its start is lost
    Timestamp given = 0, creating = 0, stopped = 0;
    bool runs = false;
  };

  void on_order(const v1::Order& order, const KernelTable& known, Timestamp now);
  void on_event(const KernelEvent& event, Timestamp now);
  void on_image(const ImageDone& done, Timestamp now);
  void follow(const v1::StartKernel& start, const KernelKey& key, Timestamp ordered);
  void drop_unknown(const KernelTable& known);
  void end_start(const KernelKey& key, const Followed& one, Timestamp end, Code failure);
  Span span_of(const KernelKey& key, const Followed& one, const char* name, Timestamp begin,
               Timestamp end) const;
  Span part_of(const KernelKey& key, const Followed& one, const char* name, Timestamp begin,
               Timestamp end) const;

  const std::string agent_;
  const bool containers_;
  const Take take_;
  std::map<KernelKey, Followed> followed_;  // at most the agent's kernels, but for the orders of one tick
};

}  // namespace berth::agents
