// System calls that shim, launcher and backend share. Standard library only; no exceptions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

std::int64_t boottime_now();  // CLOCK_BOOTTIME, ns; async-signal-safe
std::int64_t wall_now();      // CLOCK_REALTIME, ns; async-signal-safe

// The whole file, at most `limit` bytes; nullopt if it cannot be read.
std::optional<std::string> read_file(const std::string& path, std::size_t limit = 4 << 20);
// Writes `aside`, renames it to `path`. False: errno says why, `path` is as before. Async-signal-safe.
bool write_aside(const std::string& path, const std::string& aside, std::string_view bytes);
// Makes the names in this folder last a power failure.
bool sync_folder(const std::string& path);
bool write_all(int fd, std::string_view bytes);

// The first line that systemctl says to these words; empty: no answer came within so many seconds.
std::string ask_systemd(const std::string& words, int seconds);

// This boot's id, read once.
const std::string& boot_id();
// {pid, start}; nullopt if there is no such process. A zombie is one.
std::optional<ProcessId> identify(std::int64_t pid);
// This process's own `start`, 0 if /proc does not say. Async-signal-safe.
std::uint64_t own_start();
// The process still exists and is the same one.
bool same_process(const ProcessId& id);
// A pidfd of exactly this process, -1 if the process is gone.
int open_pidfd(const ProcessId& id);
bool signal_pidfd(int pidfd, int signal);
// Makes the pipe at this path the process's stdout and stderr, and gives it default signals, none blocked.
// Async-signal-safe.
void take_output(const char* pipe_path);
// Of this process, and of what it starts. Async-signal-safe.
void set_oom_score(int score);
// A folder of this process's user, which nobody else may enter; not a link to one.
bool is_own_closed_folder(const std::string& path);
// Takes the lock of a kernel folder, at once or not at all: its fd, -1 if another process holds the lock or
// the folder is gone.
int take_lock(const std::string& path);

}  // namespace berth::agents::shim
