// NewFile: a file of this machine that is written aside in its folder and gets its name when it is whole, so
// that nobody takes half of it for all.
#pragma once

#include <string>
#include <string_view>

#include "events/base/files/descriptor.h"
#include "ops/cli/exit_code.h"

namespace berth::cli {

class NewFile {
 public:
  // `folder` is open as long as this lives.
  NewFile(int folder, std::string name);
  // What was not put in place is removed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  // Failures of all: write-failed, disk-full. Of this: not-a-file (a device or a pipe has the name: it would
  // be replaced, and others need it).
  Outcome<bool> open();
  Outcome<bool> write(std::string_view bytes);
  Outcome<bool> begin_again();
  // A link in its place is replaced, not followed. Failures: path-exists, unless `overwrite`; not-a-file (a
  // folder is there).
  Outcome<bool> put_in_place(bool overwrite);

 private:
  Failure failed(int error) const;

  const int folder_;
  const std::string name_;
  std::string aside_;
  Descriptor file_;
};

}  // namespace berth::cli
