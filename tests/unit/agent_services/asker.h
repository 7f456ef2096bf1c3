// An API server's end of a stream into a kernel, on an io_context that the test itself runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/inside/answers.h"
#include "events/schema/v1/service.pb.h"
#include "tests/support/record_codes.h"
#include "tests/unit/tunnel/rig.h"

namespace berth::agents {

inline std::string frame(inside::FrameType type, std::string_view payload = {}) {
  std::string bytes;
  append_frame(bytes, type, payload);
  return bytes;
}

inline std::string frames_of(const inside::Request& request) {
  std::string frames;
  append_request(frames, request);
  return frames;
}

class Asker {
 public:
  Asker(tunnel::asio::io_context& io, tunnel::Client& client, const std::string& path) : io_(io) {
    stream_ = client.open({"POST", path, {}}, [this, here = here()](const Result<tunnel::Answer>& answer) {
      if (here.expired()) return;
      status = answer ? answer->status : -1;
      if (!answer) error = answer.error().code.word();
      if (reads) read();
    });
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // Written one after the other, however slowly they leave.
  Asker& say(std::string_view bytes) {
    unsaid_ += bytes;
    write();
    return *this;
  }
  Asker& ask(const inside::Request& request) { return say(frames_of(request)); }
  Asker& type(std::string_view bytes) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), inside::kFrameMax)))
      say(frame(inside::FrameType::kIn, bytes.substr(0, inside::kFrameMax)));
    return *this;
  }
  Asker& type_end() { return say(frame(inside::FrameType::kInEnd)); }
  Asker& finish() {
    finishes_ = true;
    write();
    return *this;
  }
  void reset() { stream_->reset(); }
  void read_on() {
    reads = true;
    if (status != 0) read();
  }
  std::size_t unsaid() const { return unsaid_.size(); }

  template <class Done> bool await(Done done) { return tunnel::run_until(io_, std::move(done)); }
  bool await_begun() {
    return await([this] { return begun || over; }) && begun;
  }
  bool await_out(const std::string& text) {
    return await([&] { return over || out.find(text) != std::string::npos; }) && !over;
  }
  // The exit code; -1 if there is none.
  int await_end() {
    await([this] { return over; });
    return ended ? ended->code : -1;
  }
  // The code of the refusal, of the problem, or of the stream's own error: "400 size-wrong", "size-wrong".
  std::string await_problem() {
    await([this] { return over; });
    v1::ServiceError refused;
    if (status > 200 && refused.ParseFromString(body_))
      return std::to_string(status) + " " + word_of(refused.code());
    return problem ? problem->code : error.empty() ? "(none)" : error;
  }

  bool reads = true;
  bool keeps_out = true;
  int status = 0;
  bool over = false;  // the answer's body has ended, or `error` has ended it
  bool garbled = false;
  std::string error;
  std::optional<inside::Begun> begun;
  std::string out, err;
  std::uint64_t out_bytes = 0;  // also of what `keeps_out` dropped
  std::vector<inside::ShellEntry> shells;
  std::vector<inside::AppEntry> apps;
  std::optional<inside::LossSum> loss_sum;
  std::vector<inside::LossEntry> losses;
  std::optional<inside::Ended> ended;
  std::optional<inside::Problem> problem;
  std::size_t piece_max = 64 << 10;  // bytes of a write

 private:
  void read() {
    if (std::exchange(reading_, true)) return;
    stream_->read([this, here = here()](const Result<std::string>& bytes) {
      if (here.expired()) return;
      reading_ = false;
      if (!bytes) error = bytes.error().code.word();
      over = !bytes || bytes->empty();
      if (over) return;
      take(*bytes);
      if (reads) read();
    });
  }
  void take(const std::string& bytes) {
    if (status != 200) {
      body_ += bytes;
      return;
    }
    reader_.append(bytes);
    while (const auto got = reader_.next()) {
      const auto answer = answer_in(*got);
      garbled = garbled || !answer || ended || problem;
      if (answer) std::visit([this](const auto& value) { take(value); }, *answer);
    }
    garbled = garbled || reader_.broken();
  }
  void take(const inside::Begun& value) { begun = value; }
  void take(const inside::Out& value) {
    out_bytes += value.bytes.size();
    if (keeps_out) out += value.bytes;
  }
  void take(const inside::Err& value) { err += value.bytes; }
  void take(const inside::Lost&) {}
  void take(const inside::ShellEntry& value) { shells.push_back(value); }
  void take(const inside::AppEntry& value) { apps.push_back(value); }
  void take(const inside::LossSum& value) { loss_sum = value; }
  void take(const inside::LossEntry& value) { losses.push_back(value); }
  void take(const inside::Ended& value) { ended = value; }
  void take(const inside::Problem& value) { problem = value; }

  void write() {
    if (writing_) return;
    if (unsaid_.empty()) {
      if (std::exchange(finishes_, false)) stream_->finish();
      return;
    }
    writing_ = true;
    std::string piece = unsaid_.substr(0, std::min(piece_max, unsaid_.size()));
    unsaid_.erase(0, piece.size());
    stream_->write(std::move(piece), [this, here = here()](const Result<void>& done) {
      if (here.expired()) return;
      writing_ = false;
      if (done) write();
    });
  }
  // Handlers are called after the asker is gone, too.
  std::weak_ptr<bool> here() const { return here_; }

  const std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
  tunnel::asio::io_context& io_;
  std::shared_ptr<tunnel::Stream> stream_;
  inside::FrameReader reader_;
  std::string unsaid_, body_;
  bool reading_ = false;
  bool writing_ = false;
  bool finishes_ = false;
};

}  // namespace berth::agents
