// berth-bench NAME [options]: one benchmark. The last line of stdout is its report (report.h).
#include <iostream>
#include <string>
#include <vector>

#include "bench/api/api.h"
#include "bench/app/app.h"
#include "bench/append.h"
#include "bench/audit.h"
#include "bench/console.h"
#include "bench/e2e/e2e.h"
#include "bench/kernels.h"
#include "bench/openb.h"
#include "bench/past.h"
#include "bench/place.h"
#include "bench/replay.h"
#include "bench/why.h"

namespace {

struct Bench {
  const char* name;
  const char* what;
  int (*run)(const std::vector<std::string>& args);
};

constexpr Bench kBenches[] = {
    {"api", "the HTTP API: answers a second against static ones, and 1,000 watchers beside placements",
     berth::bench::run_api},
    {"app",
     "what people do in a session, against two byte relays and a plain copy: HTTP, a WebSocket, terminals, "
     "uploads",
     berth::bench::run_app},
    {"append", "durable appends of 200-byte events, against RocksDB or librdkafka alone",
     berth::bench::run_append},
    {"audit", "walking a journal as `berth audit verify` does, against reading and hashing its bytes alone",
     berth::bench::run_audit},
    {"console", "the web console in Chromium: first paint, event to pixel, scrolling, heap",
     berth::bench::run_console},
    {"e2e", "a request appended, its placement read back: saturated, at a rate, alone",
     berth::bench::run_e2e},
    {"life", "kernels whose program ends at once, by the backends, against fork and exec and runc",
     berth::bench::run_life},
    {"openb", "GPU fragmentation on the openb trace: the published policies and ours",
     berth::bench::run_openb},
    {"past", "moments of the past over a long journal, and what keeping them costs", berth::bench::run_past},
    {"place", "the decision engine alone: filling a cluster, and churn at 95 % full",
     berth::bench::run_place},
    {"replay", "fold a journal into memory and into RocksDB; restart from a checkpoint",
     berth::bench::run_replay},
    {"start", "a container's start by the backend, against runc with the same bundle",
     berth::bench::run_start},
    {"why", "why a session waits and what would let it start, with 100,000 that wait", berth::bench::run_why},
};

int usage(int code) {
  std::cerr << "Usage: berth-bench NAME [options]; berth-bench NAME --help\n\n";
  for (const auto& bench : kBenches) std::cerr << "  " << bench.name << "  " << bench.what << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return usage(2);
  const std::string name = argv[1];
  for (const auto& bench : kBenches)
    if (name == bench.name) return bench.run(std::vector<std::string>(argv + 2, argv + argc));
  return usage(name == "--help" || name == "-h" ? 0 : 2);
}
