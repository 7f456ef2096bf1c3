// Interrupts: while one lives, Ctrl-C (and SIGTERM, SIGHUP) is noted instead of ending the process, so that
// what is half done can be undone. The second time it ends the process. One at a time.
#pragma once

namespace berth::cli {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  bool caught() const;
  // Readable once one was caught.
  int descriptor() const;
};

}  // namespace berth::cli
