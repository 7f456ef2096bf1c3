#include "events/base/files/home_folder.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

namespace berth {

std::string home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  std::vector<char> texts(64u << 10);
  passwd entry{};
  passwd* user = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, texts.data(), texts.size(), &user) != 0 || user == nullptr) return {};
  return user->pw_dir;
}

}  // namespace berth
