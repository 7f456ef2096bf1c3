// Removes what a kernel left, however it is laid out. Standard library only.
#pragma once

#include <atomic>
#include <string>

namespace berth::agents::shim {

// Removes the file or folder with all that is in it. It follows no link, enters no other file system, and
// needs two descriptors and bounded memory whatever the depth and the number of files. Of root, it comes to
// an end whatever others write there meanwhile: each folder is made root's alone before it is emptied. It
// ends early once `stop` is set. False: something is left.
bool remove_tree(const std::string& path, const std::atomic<bool>* stop = nullptr);

}  // namespace berth::agents::shim
