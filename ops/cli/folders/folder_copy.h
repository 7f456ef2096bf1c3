// FolderCopy: files and folders of this machine into a folder, or out of it. Links are not followed and not
// copied; what is left out is told.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/files/descriptor.h"
#include "events/copy/files/notes.h"
#include "ops/cli/folders/copy_progress.h"
#include "ops/cli/folders/download.h"
#include "ops/cli/folders/folder_files.h"
#include "ops/cli/folders/folder_path.h"

namespace berth::cli {

struct CopyHow {
  bool recursive = false;
  bool overwrite = true;
};

class FolderCopy {
 public:
  static constexpr int kDepthMax = 64;  // folders within each other

  FolderCopy(Shell& shell, FolderFiles& files, CopyHow how);

  // `from`: a path here. Failures: those of Upload, not-found, denied, not-copyable, left-out.
  Outcome<int> in(const std::string& from, const FolderPath& to);
  // The bytes of a file that is open here and has no name.
  Outcome<int> in(int file, const FolderPath& to);
  // `to`: a path here. Failures: those of Download and NewFile, not-found, not-a-folder, left-out.
  Outcome<int> out(const FolderPath& from, const std::string& to);
  // To stdout. 141 (kReaderGone): nobody reads it any more.
  Outcome<int> out_to_stdout(const FolderPath& from);

 private:
  Outcome<bool> send_file(int file, std::uint64_t bytes, const std::string& path, const std::string& name);
  Outcome<bool> send_folder(const Descriptor& folder, const std::string& path, const std::string& name,
                            int depth);
  Outcome<bool> send_entry(int folder, const std::string& entry, const std::string& path,
                           const std::string& name, int depth);
  Outcome<bool> take_file(int folder, const std::string& name, const std::string& path);
  Outcome<bool> take_folder(int folder, const std::string& path, int depth);
  Outcome<bool> take_entry(int folder, const boost::json::value& item, const std::string& path, int depth);
  // A failure of one file among many is told, and the copy goes on.
  Outcome<bool> told(const Outcome<bool>& done, const std::string& name);
  Outcome<int> parting(const Outcome<bool>& done);

  Shell& shell_;
  FolderFiles& files_;
  const CopyHow how_;
  CopyProgress progress_;
  copy::Notes notes_;
};

}  // namespace berth::cli
