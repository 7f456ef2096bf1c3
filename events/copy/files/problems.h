// Errors of the file system as Problems. Standard library only.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "events/copy/entry_name.h"
#include "events/inside/messages.h"

namespace berth::copy {

// "cannot read 'a/b': Permission denied". Codes: not-found, not-a-folder, denied, disk-full, and `otherwise`.
inline inside::Problem problem_of(int error, const char* what, std::string_view path, const char* otherwise) {
  const char* const code = error == ENOENT                      ? "not-found"
                           : error == ENOTDIR                   ? "not-a-folder"
                           : error == EACCES || error == EPERM  ? "denied"
                           : error == ENOSPC || error == EDQUOT ? "disk-full"
                                                                : otherwise;
  return {code, std::string(what) + " '" + shown(path) + "': " + std::strerror(error)};
}

}  // namespace berth::copy
