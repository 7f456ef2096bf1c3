#include "controller/api/inside/connect_relay.h"

namespace berth::controller::api {

ConnectRelay::ConnectRelay(const Services& services, Wanted wanted)
    : StreamRelay(services, std::move(wanted.way), State::kRecording),
      app_(std::move(wanted.app)),
      address_(std::move(wanted.address)),
      counted_(services.metrics) {}

void ConnectRelay::begin() {
  later<ConnectRelay>([](ConnectRelay& self) { self.record(v1::WAY_KIND_APP, self.app_); })();
}

std::shared_ptr<KernelChannel> ConnectRelay::open_channel(Opened opened) {
  // The app's token is the proxy's alone.
  return services().context.open_app(way().kernel, address_,
                                     [opened = std::move(opened)](const Result<AppOpened>& app) {
                                       opened(app.ok() ? Result<void>() : Result<void>(app.error()));
                                     });
}

void ConnectRelay::take_message(const Message& message) {
  use();
  if (message.text) {
    const auto told = read_told(message.bytes);
    if (!told.ok()) return end(told.error());
    if (!std::holds_alternative<EndOfInput>(*told))
      return end(wrong_message("what has no terminal has no size"));
    if (std::exchange(input_ended_, true)) return end(wrong_message("the input has ended already"));
    return finish();
  }
  if (!takes_size_of(message)) return;
  if (input_ended_) return end(wrong_message("input came after its end"));
  send(message.bytes);
}

void ConnectRelay::take_bytes(const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kInputBytesMax)
    tell({false, bytes.substr(at, kInputBytesMax)});
}

}  // namespace berth::controller::api
