// `berth up`: controller and agent in one process.
#pragma once

#include <string>
#include <vector>

#include "controller/runtime/listening.h"

namespace berth {

struct UpOptions {
  std::string data = "/var/lib/berth";  // state, keys, images; berth.endpoint while Berth runs
  controller::Listening listening;
  std::string accelerator;         // "mock:GPUSxSHARES[,mem=8g,sm=80]"; empty: the machine's own
  std::string log;                 // "kafka://host:port"; empty: the embedded log under `data`
  std::string kafka_config;        // file of librdkafka's properties; empty: none
  bool allow_one_replica = false;  // of Kafka's topics
  bool end_kernels = false;        // kernels end at a stop; else they go on, and the next start adopts them
  std::string backend = "oci";     // "oci", "process", "fake"
  std::string process_uid;         // "UID[:GID]" of process kernels; empty: this user, who is not root
  std::string runtime;             // of containers: runc, crun or a path; empty: what is there
  std::string reserve_mem;         // memory kept for the machine itself, "2g"; empty: by its size
  std::string disk;                // what its kernels may write together, "200g"; empty: as discovered
  std::string disk_per_kernel;     // what a container may write, "10g"; empty: as its session asks
  std::string egress_allow;        // what kernels with egress reach, "NAME:PORT,..."; empty: as settings say
  std::vector<std::string>
      volumes;                    // "NAME=PATH"; empty: `local` in `data`, where containers are the backend
  bool shared_ids = false;        // volumes whose file system takes no id maps are used all the same
  std::string name;               // of the agent; empty: "a1"
  std::string group = "default";  // resource group of the agent
  std::string policies;           // folder of custom selection policies; empty: none
  std::string build_image;        // built in the background ("jupyter"), for containers alone; empty: none
  std::string image_builder;      // the program that does
  bool verbose = false;
  bool quiet = false;              // no lines of sessions that start, end or are refused
  std::string log_format;          // "json", "text"; empty or "auto": text on a terminal
  bool accept_truncation = false;  // start although the log lost records (P26); of this start alone
};

// Runs until stopped. Returns the exit code: 0 after a clean stop, or if the same already runs on the data
// folder.
int run_up(const UpOptions& options);

}  // namespace berth
