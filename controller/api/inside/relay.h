// InsideRelay: one stream that speaks with a kernel's helper: programs, shells, copies and starts of apps.
// The client's first message says what is wanted; then its messages become frames of the channel, and the
// frames of the helper messages. What comes out of a kernel is hostile: each frame is checked.
#pragma once

#include <memory>

#include "controller/api/inside/stream_relay.h"
#include "events/codec/image_labels.h"
#include "events/inside/frames.h"

namespace berth::controller::api {

class InsideRelay final : public StreamRelay {
 public:
  struct Wanted {
    v1::WayKind kind = v1::WAY_KIND_EXEC;
    Way way;
    ImageApp app;  // of kApp: what the image declares
  };
  InsideRelay(const Services& services, Wanted wanted);

  void begin() override;
  bool changes() const override { return changes_; }

 private:
  void take_message(const Message& message) override;
  std::shared_ptr<KernelChannel> open_channel(Opened opened) override;
  void take_bytes(const std::string& bytes) override;
  void take_end() override;
  bool outlasts_stall() const override;
  void forget() override { frames_ = {}; }

  // REQUIRES, of all below: the caller holds the lock.
  void ask(const Message& message);
  void take_input(const Message& message);
  void take_told(const std::string& text);
  void take_frame(const inside::Frame& frame);
  void take_answer(const inside::Answer& answer);

  const v1::WayKind kind_;
  const ImageApp app_;
  std::atomic<bool> changes_;  // of a copy, its first message says it
  inside::Request request_;
  bool begun_ = false;
  bool input_ended_ = false;
  inside::FrameReader frames_;
};

}  // namespace berth::controller::api
