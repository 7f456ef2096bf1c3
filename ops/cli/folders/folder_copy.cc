#include "ops/cli/folders/folder_copy.h"

#include <algorithm>

#include "ops/cli/output/table.h"

namespace berth::cli {

FolderCopy::FolderCopy(Shell& shell, FolderFiles& files, CopyHow how)
    : shell_(shell), files_(files), how_(how), progress_(shell), notes_([&shell](const std::string& line) {
        shell.end_status();
        shell.err() << printable(line) << std::endl;
      }) {}

Outcome<bool> FolderCopy::told(const Outcome<bool>& done, const std::string& name) {
  if (done) return done;
  constexpr Code kOfOne[] = {"unknown-path", "path-exists",  "not-a-file",      "not-a-folder",
                             "path-invalid", "file-changed", "upload-too-large"};
  if (std::find(std::begin(kOfOne), std::end(kOfOne), done.failure().code) == std::end(kOfOne)) return done;
  notes_.add(name, done.failure().message);
  return true;
}

Outcome<int> FolderCopy::parting(const Outcome<bool>& done) {
  notes_.finish();
  shell_.end_status();
  if (!done) return done.failure();
  if (notes_.count() > 0)
    return Failure{kFailed, "left-out", "not all was copied: what is missing is named above", "", {}};
  return kOk;
}

}  // namespace berth::cli
