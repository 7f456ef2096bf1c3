// A journal kept in the repository, to be folded by every later build to the same state.
//
// journal-v1.bin: records as received, each after its length (4 bytes, little-endian). journal-v1.txt: what
// they fold to. The journal of a release is never rewritten: newer rules get files of their own beside it.
#pragma once

#include <string>
#include <vector>

#include "events/codec/journal_signer.h"

namespace berth::testing {

// Below tests/golden, with ".bin" and ".txt" behind.
inline constexpr const char* kGoldenJournals[] = {"tests/golden/journal-v1"};

// Empty when the file is not there or is cut.
std::vector<std::string> read_golden_journal(const std::string& path);
void write_golden_journal(const std::string& path, const std::vector<std::string>& payloads);

// Lines "records N", "applied N", "void N", "state HEX", "rolling HEX", "sessions N"...
std::string describe_fold(const std::vector<std::string>& payloads);

// Of the cluster that the journals are of.
JournalTrust golden_trust();

std::string read_file(const std::string& path);

}  // namespace berth::testing
