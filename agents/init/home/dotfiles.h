// Dotfiles that outlast the kernel: names in the home that are links into the owner's automatic folder.
// Touches no heap (pid1.h); one call, at the kernel's start, as the kernel's own user.
#pragma once

namespace berth::init {

inline constexpr const char* kAutomaticFolder = "/home/work/.automatic";

// Whether a folder of a volume is mounted there: where none is, nothing outlasts the kernel.
bool is_mounted(const char* folder);

// Makes ~/NAME a link to FOLDER/dotfiles/NAME, for the listed names (dotfiles.cc) and for all that lies in
// FOLDER/dotfiles already. A file that the image has at ~/NAME is copied into FOLDER/dotfiles first, if there
// is none. Nothing in the folder is overwritten; in the home only a file or an empty folder gives way, and
// what is neither stays as it is. What fails is said on standard error, and the rest goes on. `folder`,
// `home`: absolute paths; nobody else works in `home` yet, others may in `folder`.
void link_dotfiles(const char* folder, const char* home);

}  // namespace berth::init
