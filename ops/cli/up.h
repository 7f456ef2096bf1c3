// `berth up`: controller and agent in one process.
#pragma once

#include <cstdint>
#include <string>

namespace berth {

struct UpOptions {
  std::string data = "/var/lib/berth";  // state, keys, images; berth.endpoint lies in it while it runs
  std::uint16_t port = 7410;            // HTTP on 127.0.0.1
  std::string accelerator;              // "mock:GPUSxSHARES[,mem=8g,sm=80]"; empty: what the machine has
  std::string log;                      // "kafka://host:port"; empty: the embedded log under `data`
  bool keep_kernels = false;            // kernels go on when it stops, and are adopted at the next start
  std::string backend = "oci";          // "oci", "process", "fake"
  std::string name;                     // of the agent; empty: "a1"
  std::string group = "default";        // resource group of the agent
  std::string policies;                 // folder of custom selection policies; empty: none
  bool verbose = false;
};

// Returns when it was stopped: the exit code (0 after a clean stop, or when the same already runs on that
// data folder).
int run_up(const UpOptions& options);

}  // namespace berth
