// A program that the helper runs, with pipes or a terminal of its own.
#pragma once

#include <sys/types.h>

#include <optional>

#include "events/base/files/descriptor.h"
#include "events/inside/messages.h"

namespace berth::init {

using inside::Ended;
using inside::Problem;
using inside::Request;
using inside::Size;

// It leads a session of its own.
struct Child {
  pid_t pid = -1;
  Descriptor in, out, err;  // our ends of its pipes; with a terminal `in` alone, which is the terminal
};

// Raises this process's bound on open files: each channel takes some. Programs have the one from before.
void raise_own_files_bound();

// Runs request.args. Codes: program-not-found, program-not-runnable, folder-not-usable, no-terminal,
// program-not-started.
std::optional<Problem> start_child(const Request& request, bool with_terminal, Child& child);

void set_size(const Descriptor& terminal, const Size& size);
// SIGHUP for the program's own group, and for the group in the foreground of its terminal (-1: it has none).
void hang_up(pid_t pid, int terminal);
Ended ended_by(int wait_status);

}  // namespace berth::init
