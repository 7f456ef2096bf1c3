// The launcher forks every shim and holds every kernel's output pipe and door open. The agent starts it
// before any library thread exists; it has one thread itself. If a shim dies, the launcher starts another,
// which adopts the kernel; as subreaper it gets the exit status of kernels whose shim died, and what of them
// hides behind another session and environment: that ends with the last of these kernels. If its agent dies,
// the launcher stays until its last child has ended: also when the launcher of a new agent was faster and its
// shim has adopted a kernel that is our child, nobody else can see how that ends. Standard library only.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "agents/kernel/shim/records.h"
#include "events/base/files/descriptor.h"

namespace berth::agents::shim {

// Requests, one a message on the SOCK_SEQPACKET socket: 'S' KEY (start) or 'A' KEY (adopt). With a start may
// come a descriptor, the mount of the kernel's file system (SCM_RIGHTS). A repeated
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
    int deaths = 0;
    Descriptor door;  // none: another launcher made it
    Descriptor disk;  // until its first shim has it
  };

  // The agent, if it lives, starts another launcher.
  void leave_agent();
  void take_request();
  void request(char verb, std::string_view key, Descriptor disk);
  Descriptor door_of(const std::string& key) const;
  void fork_shim(Entry entry, bool adopt);
  void reap();
  void shim_ended(Entry entry, int status);
  void orphan_ended(const ProcessId& id, int status);
  void end_strangers();

  Folders folders_;
  int socket_;
  int signals_ = -1;
  std::map<pid_t, Entry> shims_;
  std::set<std::string> bereft_;  // kernels whose shim died; their processes are our children, or were
  bool strangers_ = false;        // a child of ours may be neither a shim nor of a kernel that lives
};

}  // namespace berth::agents::shim
