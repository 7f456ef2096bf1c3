// An API server's end of a stream of raw bytes, on an io_context that the test itself runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "events/schema/v1/service.pb.h"
#include "tests/support/record_codes.h"
#include "tests/unit/tunnel/rig.h"

namespace berth::agents {

// FNV-1a, over pieces.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) value_ = (value_ ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211u;
    bytes_ += bytes.size();
  }
  std::uint64_t bytes() const { return bytes_; }
  bool operator==(const Hash&) const = default;

 private:
  std::uint64_t value_ = 14'695'981'039'346'656'037u, bytes_ = 0;
};

class Visitor {
 public:
  Visitor(tunnel::asio::io_context& io, tunnel::Client& client, const std::string& path) : io_(io) {
    stream_ = client.open({"POST", path, {}}, [this, here = here()](const Result<tunnel::Answer>& answer) {
      if (here.expired()) return;
      status = answer ? answer->status : -1;
      if (answer)
        headers = answer->headers;
      else
        error = answer.error().code.word();
      if (reads) read();
    });
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  // Written one after the other, however slowly they leave.
  Visitor& say(std::string_view bytes) {
    unsaid_ += bytes;
    write();
    return *this;
  }
  Visitor& finish() {
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
  bool await_open() {
    return await([this] { return status != 0; }) && status == 200;
  }
  bool await_out(const std::string& text) {
    return await([&] { return over || out.find(text) != std::string::npos; }) && !over;
  }
  bool await_over() {
    return await([this] { return over; });
  }
  // "404 no-such-app", or the code of the stream's own error; "ended" if it has ended well.
  std::string how() {
    await_over();
    v1::ServiceError refused;
    if (status > 200 && refused.ParseFromString(out))
      return std::to_string(status) + " " + word_of(refused.code());
    return error.empty() ? "ended" : error;
  }

  bool reads = true;
  bool keeps = true;  // what comes in `out`; it is hashed in any case
  int status = 0;
  tunnel::Headers headers;  // of the answer
  bool over = false;        // the answer's body has ended, or `error` has ended it
  std::string error, out;
  Hash came;

 private:
  void read() {
    if (std::exchange(reading_, true)) return;
    stream_->read([this, here = here()](const Result<std::string>& bytes) {
      if (here.expired()) return;
      reading_ = false;
      if (!bytes) error = bytes.error().code.word();
      over = !bytes || bytes->empty();
      if (over) return;
      came.add(*bytes);
      if (keeps) out += *bytes;
      if (reads) read();
    });
  }
  void write() {
    if (writing_) return;
    if (unsaid_.empty()) {
      if (std::exchange(finishes_, false)) stream_->finish();
      return;
    }
    writing_ = true;
    std::string piece = unsaid_.substr(0, 64 << 10);
    unsaid_.erase(0, piece.size());
    stream_->write(std::move(piece), [this, here = here()](const Result<void>& done) {
      if (here.expired()) return;
      writing_ = false;
      if (done) write();
    });
  }
  // Handlers are called after the visitor is gone, too.
  std::weak_ptr<bool> here() const { return here_; }

  const std::shared_ptr<bool> here_ = std::make_shared<bool>(true);
  tunnel::asio::io_context& io_;
  std::shared_ptr<tunnel::Stream> stream_;
  std::string unsaid_;
  bool reading_ = false;
  bool writing_ = false;
  bool finishes_ = false;
};

}  // namespace berth::agents
