// Packs a file or a folder into a tar stream. Nothing below the folder is followed or waited for: only
// regular files, folders and links (as links) are packed, of hard links each name as a file of its own. What
// else is there, or cannot be read, is left out and told. A folder's entries come in the order in which the
// file system has them. Standard library only; one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/copy/files/notes.h"
#include "events/inside/messages.h"

namespace berth::copy {

using inside::Problem;

// Takes the next bytes of a stream, at most kPieceMax at once. False: nobody wants more of them.
using Sink = std::function<bool(std::string_view bytes)>;
inline constexpr std::size_t kPieceMax = 64 << 10;

// What `path` names in the stream: its last part; "." if that says nothing ("/", "..", "a/.").
std::string top_of(std::string_view path);

// `path`: of a file or a folder; if it is a link, what it leads to is packed.
// Codes: not-found, not-a-folder (a part of the path is none), denied, not-copyable (neither a file nor a
// folder), read-failed, copy-stopped (by the sink).
std::optional<Problem> pack(const std::string& path, const Sink& sink, Notes& notes);

}  // namespace berth::copy
