// The launcher: started by the agent before any library thread exists, single-threaded, it forks every shim
// and holds every kernel's output pipe open. When a shim dies it starts another that adopts the kernel; as
// subreaper it sees the exit status of kernels whose shim died. When its agent dies it stays until its last
// kernel has ended. Standard library only.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// Requests, one a message on the SOCK_SEQPACKET socket: 'S' KEY (start) or 'A' KEY (adopt). Both are harmless
// when repeated: the kernel's lock and records decide (shim.h). There are no answers: what happened is in the
// records.
class Launcher {
 public:
  Launcher(Folders folders, int socket) : folders_(std::move(folders)), socket_(socket) {}
  int run();

 private:
  struct Entry {
    std::string key;
    int output = -1;
    std::int64_t main_pid = 0;  // known once its shim has died
    int deaths = 0;
  };

  void take_request();
  void request(char verb, std::string_view key);
  void fork_shim(Entry entry, bool adopt);
  void learn_main(Entry& entry);
  void reap();
  void shim_ended(Entry entry, int status);
  void orphan_ended(pid_t pid, int status);
  void write_orphan(const std::string& key, int status);

  Folders folders_;
  int socket_;
  int signals_ = -1;
  std::map<pid_t, Entry> shims_;
  std::map<pid_t, int> orphans_;  // ended before we knew of whom; bounded
};

}  // namespace berth::agents::shim
