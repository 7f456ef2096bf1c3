// Connect: makes a connection inside the kernel and passes it out, or says why there is none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/init/connector.h"
#include "agents/init/helper.h"

namespace berth::init {

class Connect final : public Purpose, public Watcher, public Looker {
 public:
  // Codes: no-such-app, app-ended. Told later: port-not-open (nobody listens), port-busy (whoever listens
  // takes no connection for 5 s).
  static std::optional<Problem> begin(Helper& helper, const Request& request, Client& client,
                                      std::unique_ptr<Purpose>& purpose);
  // `token`: of the app that listens there.
  Connect(Helper& helper, Client& client, const Place& place, std::string token);
  ~Connect() override;

  void typed(std::string_view) override {}
  void typed_end() override {}
  void resized(const Size&) override {}
  void has_room() override {}
  void ready(int, std::uint32_t) override { look(); }
  void look() override;

 private:
  void pass_out();

  Helper& helper_;
  Client& client_;
  std::string where_;  // for people
  std::string token_;
  std::int64_t give_up_at_;  // CLOCK_BOOTTIME, ns
  Connector connector_;
};

}  // namespace berth::init
