// ConnectRelay: one connection to where an app of a kernel listens, or to one of the kernel's ports, carried
// by a client's WebSocket: bytes as they are, both ways. The client may end its side; the app's end is the
// stream's.
#pragma once

#include <memory>

#include "controller/api/inside/stream_relay.h"
#include "controller/api/routes/metrics.h"

namespace berth::controller::api {

class ConnectRelay final : public StreamRelay {
 public:
  struct Wanted {
    Way way;
    std::string app;      // as it is recorded: its name, or the number of a port
    std::string address;  // as ApiContext::open_app() takes it
  };
  ConnectRelay(const Services& services, Wanted wanted);

  void begin() override;
  bool changes() const override { return true; }

 private:
  void take_message(const Message& message) override;
  std::shared_ptr<KernelChannel> open_channel(Opened opened) override;
  void take_bytes(const std::string& bytes) override;
  void take_end() override { end(std::nullopt, kCloseDone); }

  const std::string app_, address_;
  const AppStreamCount counted_;
  bool input_ended_ = false;  // guarded by the stream's lock
};

}  // namespace berth::controller::api
