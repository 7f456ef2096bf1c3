// DataFolder: the data folder of a cell with this journal; its log is not open any more.
#pragma once

#include <string>

#include "tests/support/journal.h"
#include "tests/support/temp_dir.h"

namespace berth::testing {

class DataFolder {
 public:
  explicit DataFolder(const TestJournal& journal);
  std::string path() const { return dir_.path().string(); }

 private:
  TempDir dir_;
};

}  // namespace berth::testing
