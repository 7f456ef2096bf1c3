#include "controller/runtime/void_list.h"

#include <cstring>
#include <fstream>

namespace berth::controller {

VoidList::VoidList(std::string path) : path_(std::move(path)) {
  std::ifstream file(path_, std::ios::binary);
  char bytes[8];
  while (file.read(bytes, sizeof bytes)) {
    Offset offset;
    std::memcpy(&offset, bytes, sizeof offset);
    offsets_.insert(offset);
  }
}

void VoidList::add(Offset offset) {
  const std::lock_guard lock(mutex_);
  if (!offsets_.insert(offset).second) return;
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file.write(reinterpret_cast<const char*>(&offset), sizeof offset);
}

void VoidList::forget_from(Offset offset) {
  const std::lock_guard lock(mutex_);
  offsets_.erase(offsets_.lower_bound(offset), offsets_.end());
  std::ofstream file(path_, std::ios::binary | std::ios::trunc);
  for (const Offset kept : offsets_) file.write(reinterpret_cast<const char*>(&kept), sizeof kept);
}

bool VoidList::contains(Offset offset) const {
  const std::lock_guard lock(mutex_);
  return offsets_.contains(offset);
}

std::size_t VoidList::size() const {
  const std::lock_guard lock(mutex_);
  return offsets_.size();
}

}  // namespace berth::controller
