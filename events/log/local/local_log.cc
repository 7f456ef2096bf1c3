#include "events/log/local/local_log.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "events/base/checks.h"
#include "events/base/files/disk_error.h"
#include "events/log/local/appender.h"
#include "events/log/local/dir_lock.h"
#include "events/log/local/end_mark.h"
#include "events/log/local/keeper.h"
#include "events/log/local/local_reader.h"
#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth {
namespace {

using local::Appender;
using local::DirLock;
using local::EndMark;
using local::Keeper;
using local::LocalReader;

// The core with the folder's lock: readers keep both alive.
struct LockedCore : local::LogCore {
  LockedCore(std::unique_ptr<DirLock> held, const LocalLogOptions& options)
      : LogCore(options.layout, options.tail_bytes), lock(std::move(held)) {}
  std::unique_ptr<DirLock> lock;
  ~LockedCore() { rows.reset(); }  // closed before the lock goes
};

class LocalLog final : public EventLog {
 public:
  LocalLog(std::shared_ptr<LockedCore> core, std::unique_ptr<EndMark> mark, const LocalLogOptions& options)
      : core_(core),
        keeper_(std::make_unique<Keeper>(core, std::move(mark), options)),
        appender_(std::make_unique<Appender>(core, *options.clock, options.disk_patience)) {}
  ~LocalLog() override {
    appender_.reset();
    keeper_.reset();
  }
  LocalLog(const LocalLog&) = delete;
  LocalLog& operator=(const LocalLog&) = delete;

  const LogLayout& layout() const override { return core_->layout; }

  void append(Partition partition, std::string_view /*key*/, std::string payload, AppendDone done) override {
    BERTH_CHECK(check_partition(layout(), partition).ok(), "append to a partition that is not in the layout");
    appender_->append(partition, std::move(payload), std::move(done));
  }

  void flush() override {}  // the appender never waits for more

  Result<Extent> extent(Partition partition) override {
    if (Result<void> known = check_partition(layout(), partition); !known) return known.error();
    return core_->tail.extent(core_->index.of(partition));
  }

  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override {
    if (Result<void> known = check_partitions(layout(), from); !known) return known.error();
    return std::unique_ptr<LogReader>(std::make_unique<LocalReader>(core_, from));
  }

 private:
  const std::shared_ptr<LockedCore> core_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Appender> appender_;
};

Result<void> load_extents(local::LogCore& core, const Instant& now) {
  Timestamp newest = 0;
  for (std::size_t i = 0; i < core.index.size(); ++i) {
    const Result<Extent> extent = core.rows->extent(core.index.at(i));
    if (!extent) return extent.error();
    core.tail.set_extent(i, *extent);
    newest = std::max(newest, core.rows->newest_time(core.index.at(i)));
  }
  core.time.start(newest, now);
  return {};
}

// Of what is kept for ever: retention removes rows from the beginning of the others.
Result<void> check_tables(const local::LogCore& core) {
  for (std::size_t i = 0; i < core.index.size(); ++i)
    if (local::kept_for(core.index.at(i).stream) == 0)
      if (Result<void> whole = core.rows->check_tables(core.index.at(i)); !whole) return whole;
  return {};
}

Result<void> check_mark(const local::LogCore& core, const EndMark& mark, const std::string& dir) {
  const std::vector<Offset> ends = local::marked_ends(core);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] < mark.ends()[i])
      return local::before_its_mark(core.index.at(i), dir, ends[i], mark.ends()[i]);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_local_log(const LocalLogOptions& options) {
  BERTH_CHECK(options.clock != nullptr, "the local log needs a clock");
  std::error_code failed;
  std::filesystem::create_directories(options.dir, failed);
  if (failed)
    return disk_error(failed.value(), "cannot make " + options.dir + ": " + failed.message(), kLogIoError);

  Result<std::unique_ptr<DirLock>> lock = DirLock::acquire(options.dir);
  if (!lock) return lock.error();
  const auto core = std::make_shared<LockedCore>(std::move(*lock), options);
  Result<std::unique_ptr<local::RowStore>> rows =
      local::RowStore::open(options.dir + "/rows", options.layout);
  if (!rows) return rows.error();
  core->rows = std::move(*rows);
  if (Result<void> loaded = load_extents(*core, options.clock->now()); !loaded) return loaded.error();

  if (Result<void> whole = check_tables(*core); !whole) return whole.error();
  Result<std::unique_ptr<EndMark>> mark = EndMark::open(options.dir + "/end-mark", core->index.size());
  if (!mark) return mark.error();
  Result<void> whole = check_mark(*core, **mark, options.dir);
  if (!whole && !options.accept_truncation) return whole.error();
  return std::unique_ptr<EventLog>(std::make_unique<LocalLog>(core, std::move(*mark), options));
}

}  // namespace berth
