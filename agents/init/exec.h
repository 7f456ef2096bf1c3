// Exec: a program that runs as long as its channel is open. Whoever does not read what it prints stops it.
#pragma once

#include <cstdint>
#include <optional>

#include "agents/init/helper.h"

namespace berth::init {

class Exec final : public Purpose, public Watcher, public Parent {
 public:
  Exec(Helper& helper, Client& client, Child child, bool has_terminal);
  // A program that still runs gets SIGHUP, and nobody its output.
  ~Exec() override;

  void typed(std::string_view bytes) override;
  void typed_end() override;
  void resized(const Size& size) override;
  void has_room() override { go_on(); }
  void ready(int fd, std::uint32_t events) override;
  void child_ended(int wait_status) override;

 private:
  struct Output {
    int fd = -1;  // -1: at its end
    FrameType type{};
    bool dry = false;  // nothing more was in it
  };
  void go_on();
  void copy(Output& output);
  void close(Output& output);
  void write_typed();
  void close_input();
  void watch();

  Helper& helper_;
  Client& client_;
  Child child_;
  bool has_terminal_;
  Output outputs_[2];
  std::string untaken_;  // typed, and not yet taken by the program
  bool input_ends_ = false;
  std::optional<int> wait_status_;
  std::size_t left_;  // bytes that are still passed on after the program's end
};

}  // namespace berth::init
