// LocalOutput: bytes for stdout and stderr in the order in which they came, as far as these take them: a
// reader that does not read holds nothing up but itself.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "events/base/result.h"

namespace berth::cli {

class LocalOutput {
 public:
  LocalOutput(int out, int err) : out_(out), err_(err) {}

  void add_out(std::string bytes) { add(out_, std::move(bytes)); }
  void add_err(std::string bytes) { add(err_, std::move(bytes)); }

  // Writes what is taken without waiting. Nobody reads stderr any more: what is for it is dropped.
  void write();
  // Writes all, and waits for the readers.
  void finish();
  // Bytes that are not written.
  std::size_t size() const { return size_; }
  // The descriptor that is to take the next of them. REQUIRES: size() > 0.
  int descriptor() const { return pieces_.front().descriptor; }
  // The reader of stdout went away (`berth exec ... | head`).
  bool is_reader_gone() const { return reader_gone_; }
  // Code: output-failed. stdout cannot be written, as on a full disk; nothing is written any more.
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Piece {
    int descriptor;
    std::string bytes;
    std::size_t written = 0;
  };
  void add(int descriptor, std::string bytes);
  bool write_some(Piece& piece);
  void fail(int descriptor, int why);

  const int out_, err_;
  std::deque<Piece> pieces_;
  std::size_t size_ = 0;
  bool reader_gone_ = false;
  std::optional<Error> error_;
};

}  // namespace berth::cli
