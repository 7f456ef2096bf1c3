// Parser of Server-Sent Events: bytes in, events out. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace berth::cli {

struct SseEvent {
  std::string id;     // the stream's last id so far
  std::string event;  // "" = message
  std::string data;   // its lines joined by "\n"
};

class SseParser {
 public:
  static constexpr std::size_t kEventBytesMax = 8u << 20;

  // Calls `on_event` for each whole event. Returns false as soon as on_event does, or if an event is larger
  // than kEventBytesMax. Lines end in \n, \r\n or \r; an event that the stream's end cuts is dropped.
  bool feed(std::string_view bytes, const std::function<bool(const SseEvent&)>& on_event);
  const std::string& last_id() const { return last_id_; }
  bool too_long() const { return too_long_; }
  // For a new connection: drops a half-read event, keeps the last id.
  void restart();

 private:
  bool end_line(const std::function<bool(const SseEvent&)>& on_event);
  std::string line_;
  std::string name_;
  std::string data_;
  std::string last_id_;
  std::string pending_id_;
  bool has_data_ = false;
  bool after_return_ = false;
  bool too_long_ = false;
};

}  // namespace berth::cli
