// BuilderProcess: a builder of images that runs: its lines as they come, and its end. It gets no input, is a
// process group of its own, and is ended with the process that started it. One thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::cli {

// What is longer is handed out in pieces of this size.
inline constexpr std::size_t kBuilderLineBytesMax = 4096;

class BuilderProcess {
 public:
  enum class Stream { kOut, kErr };
  // Without the line's end. False: no more lines are wanted.
  using OnLine = std::function<bool(Stream, const std::string& line)>;

  BuilderProcess() = default;
  // Ends a builder that runs.
  ~BuilderProcess();
  BuilderProcess(const BuilderProcess&) = delete;
  BuilderProcess& operator=(const BuilderProcess&) = delete;

  // words[0] is the program. Codes: builder-not-runnable.
  Result<void> start(const std::vector<std::string>& words);

  enum class Stopped { kEnded, kAsked };
  // Hands out lines until the builder has ended and all of its output was read (kEnded), or no more are
  // wanted, or one of `stops`, descriptors, is readable or closed (kAsked).
  Stopped follow(const std::vector<int>& stops, const OnLine& on_line);

  // Asks all processes of the group to end (SIGTERM), and after `patience_ms` kills them.
  void end(int patience_ms);

  // "exit code 3", "signal 9"; after kEnded or end().
  std::string how_it_ended() const;
  // Exit code 0.
  bool succeeded() const;

 private:
  struct Pipe {
    int fd = -1;
    std::string line;  // begun, not ended
  };

  bool hand_out(Stream stream, const OnLine& on_line);
  bool read_some(Stream stream, const OnLine& on_line);
  bool read_rest(const OnLine& on_line);
  bool reap(bool wait);
  void close_pipes();

  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  std::array<Pipe, 2> pipes_;  // by Stream
};

}  // namespace berth::cli
