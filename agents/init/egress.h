// Egress: the way out of a kernel that has one. It listens on a port of 127.0.0.1 and passes each connection
// that a program makes out to the agent, which speaks with that program. Nothing is read here.
//
// It listens as long as its channel is open. Without one a program's connection is refused, and does not
// hang.
#pragma once

#include <cstdint>
#include <memory>

#include "agents/init/helper.h"

namespace berth::init {

class Egress final : public Purpose, public Watcher, public Looker {
 public:
  // Code port-taken.
  static std::optional<Problem> begin(Helper& helper, const Request& request, Client& client,
                                      std::unique_ptr<Purpose>& purpose);
  Egress(Helper& helper, Client& client, Descriptor listener);
  ~Egress() override;

  void typed(std::string_view) override {}
  void typed_end() override {}
  void resized(const Size&) override {}
  void has_room() override { look(); }
  void ready(int, std::uint32_t) override { pass_all(); }
  void look() override;

 private:
  void pass_all();
  void pause();

  Helper& helper_;
  Client& client_;
  Descriptor listener_;
  Descriptor waiting_;  // accepted, and not passed on yet
};

}  // namespace berth::init
