// The launcher forks every shim and holds every kernel's output pipe open. The agent starts it before any
// library thread exists; it has one thread itself. If a shim dies, the launcher starts another, which adopts
// the kernel; as subreaper it gets the exit status of kernels whose shim died. If its agent dies, the
// launcher stays until its last kernel has ended. Standard library only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agents/kernel/shim/orphans.h"
#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// Requests, one a message on the SOCK_SEQPACKET socket: 'S' KEY (start) or 'A' KEY (adopt). A repeated
// request is harmless: the kernel's lock and records decide (shim.h). There are no answers: the records tell
// the outcome.
class Launcher {
 public:
  Launcher(Folders folders, int socket) : folders_(std::move(folders)), socket_(socket) {}
  int run();

 private:
  struct Entry {
    std::string key;
    int output = -1;
    ProcessId main;  // unknown until the shim has died
    int deaths = 0;
  };

  void take_request();
  void request(char verb, std::string_view key);
  void fork_shim(Entry entry, bool adopt);
  void learn_main(Entry& entry);
  void reap();
  void shim_ended(Entry entry, int status);
  void orphan_ended(const ProcessId& process, int status);
  void write_orphan(const std::string& key, int status);

  Folders folders_;
  int socket_;
  int signals_ = -1;
  std::map<pid_t, Entry> shims_;
  Orphans orphans_;
};

}  // namespace berth::agents::shim
