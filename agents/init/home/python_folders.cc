#include "agents/init/home/python_folders.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

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
    alignas(dirent64) char bytes[8 << 10];
    for (ssize_t size = 0; (size = getdents64(place.get(), bytes, sizeof bytes)) > 0;)
      for (ssize_t at = 0; at < size;) {
        const auto* entry = reinterpret_cast<const dirent64*>(bytes + at);
        at += entry->d_reclen;
        char path[PATH_MAX];
        if (!is_python(entry->d_name) || left-- <= 0) continue;
        const int length = snprintf(path, sizeof path, "%s/lib/%s/site-packages", base, entry->d_name);
        if (length > 0 && length < static_cast<int>(sizeof path)) make_all(path);
      }
  }
}

}  // namespace berth::init
