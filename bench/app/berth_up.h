// BerthUp: a whole Berth as people start it, `berth up` with containers, in a folder and on a port of its
// own; and its command line.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace berth::bench {

class BerthUp {
 public:
  // Returns when its agent takes sessions. Gives up (tools.h) where containers do not work here.
  explicit BerthUp(const std::string& folder);
  // Ends it with all its sessions.
  ~BerthUp();
  BerthUp(const BerthUp&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  // Of processor time that it has used: API server, tunnel and agent, which are one process here.
  double cpu_seconds() const;
  std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string origin() const { return "http://" + host(); }
  const std::string& data() const { return data_; }

  // `berth WORDS...`: what it prints, without the last end of line. Gives up where it fails.
  std::string berth(std::vector<std::string> words) const;
  // A session of python:3.11 that runs, by the key pair in `key_file` (empty: the superadmin's): its id.
  std::string run_session(const std::string& name, const std::string& cpu, const std::string& mem,
                          const std::string& key_file = {}) const;
  // Process id on this machine of the session's first kernel.
  pid_t kernel_pid(const std::string& session) const;
  // A program in a session that has to do with what `words` say; it goes on until it is ended.
  pid_t start_berth(std::vector<std::string> words) const;

 private:
  std::vector<std::string> command(std::vector<std::string> words) const;

  std::string data_;
  std::uint16_t port_;
  pid_t pid_ = 0;
};

// A program that was built with this one.
std::string built(const std::string& name);
// Asks it to end, and waits until it has.
void end_process(pid_t pid);

}  // namespace berth::bench
