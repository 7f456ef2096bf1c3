#include "agents/init/home/python_folders.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "agents/init/home/folder_names.h"
#include "events/base/files/descriptor.h"

namespace berth::init {
namespace {

constexpr int kVersionsMax = 16;  // of Python in an image that are looked at

bool is_python(const char* name) {
  constexpr const char* kBegin = "python3.";
  const std::size_t begin = std::strlen(kBegin), size = std::strlen(name);
  if (size <= begin || size > begin + 3 || std::strncmp(name, kBegin, begin) != 0) return false;
  return std::strspn(name + begin, "0123456789") == size - begin;
}

// `path` with all that is above it; changes it meanwhile.
void make_all(char* path) {
  for (char* slash = std::strchr(path + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  mkdir(path, 0755);
}

}  // namespace

void make_python_folders(const char* base, const char* const* places) {
  int left = kVersionsMax;
  for (; *places != nullptr; ++places) {
    const Descriptor place(open(*places, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!place) continue;
    each_name(place.get(), [&](const char* name) {
      if (!is_python(name)) return true;
      char path[PATH_MAX];
      const int length = snprintf(path, sizeof path, "%s/lib/%s/site-packages", base, name);
      if (length > 0 && length < static_cast<int>(sizeof path)) make_all(path);
      return --left > 0;
    });
    if (left == 0) return;
  }
}

}  // namespace berth::init
