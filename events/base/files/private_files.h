// Folders and files of one user alone: keys, journals, a cluster's secret. What another user prepared, or a
// link to it, is refused: a key in it would be that user's key as well.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/result.h"

namespace berth {

// Makes the folder, mode 0700, and those above it that are missing. One that is there must be a real folder
// of this user; others lose their access to it if it is empty or Berth's own (of an earlier version). Code:
// data-folder.
Result<void> make_private_folder(const std::string& path);

// The same of a folder in one of those: others lose their access to it whatever is in it.
Result<void> make_private_subfolder(const std::string& path);

// A warning for people if a folder above this one belongs to another user than this one and root, who can
// move it away and put another in its place.
std::optional<std::string> foreign_folder_above(const std::string& path);

// All of a small file of this user that nobody else may read or write; never through a link. A credential of
// systemd's may be root's: below $CREDENTIALS_DIRECTORY the folder keeps others out. Codes, behind
// `kind`: -missing, -unreadable, -open, -foreign, -too-large ("key-file" gives key-file-missing). `hint`: of
// -missing.
Result<std::string> read_private_file(const std::string& path, std::string_view kind, std::string_view hint);

// All of a small file that this user or root owns and nobody else may write, such as one that says where a
// password is sent to. Codes as read_private_file()'s.
Result<std::string> read_trusted_file(const std::string& path, std::string_view kind);

// Whether a file that a library reads, such as a private key, is this user's or root's and nobody else may
// read or write it; systemd's credentials are. Codes, behind `kind`: -missing, -open.
Result<void> check_secret_file(const std::string& path, std::string_view kind);

// As write_durably(), mode 0600. The folder must be there. Code: `kind`-unwritable.
Result<void> write_private_file(const std::string& path, std::string_view text, std::string_view kind);

}  // namespace berth
