#include "tests/unit/log_shell/data_folder.h"

#include "tests/support/local_log_folder.h"

namespace berth::testing {

DataFolder::DataFolder(const TestJournal& journal) { write_local_log(path() + "/log", journal.payloads()); }

}  // namespace berth::testing
