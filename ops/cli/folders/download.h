// Download: one file of a folder comes here, in ranges. After a cut it goes on behind what came; all of it is
// of one state of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ops/cli/folders/copy_progress.h"
#include "ops/cli/folders/folder_files.h"
#include "ops/cli/folders/patience.h"

namespace berth::cli {

class Download {
 public:
  static constexpr std::uint64_t kRangeMax = 8 << 20;  // bytes
  static constexpr std::uint64_t kRangeMin = 256
                                             << 10;  // a line that is cut again and again gets smaller ones

  struct Sink {
    // The next bytes. False: nobody wants more.
    std::function<Outcome<bool>(std::string_view bytes)> take;
    // Forgets those that came, as the file has changed; empty: that is not possible.
    std::function<Outcome<bool>()> begin_again;
  };

  Download(Shell& shell, FolderFiles& files, CopyProgress& progress);

  // False: nobody wants more. Failures: those of the API (unknown-path, not-a-file) and of the sink,
  // file-changed, not-berth, interrupted.
  Outcome<bool> run(const std::string& path, const Sink& sink);

 private:
  struct Piece {
    std::string bytes;
    std::uint64_t offset = 0, whole = 0;  // of the file
    std::string etag;
  };
  Outcome<Piece> next(const std::string& path, std::uint64_t offset);

  FolderFiles& files_;
  CopyProgress& progress_;
  Patience patience_;
  std::uint64_t range_ = kRangeMax;
};

}  // namespace berth::cli
