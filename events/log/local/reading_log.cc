#include "events/log/local/reading_log.h"

#include "events/log/local/end_mark.h"
#include "events/log/local/local_reader.h"
#include "events/log/positions.h"

namespace berth {
namespace {

class ReadingLog final : public EventLog {
 public:
  explicit ReadingLog(std::shared_ptr<local::LogCore> core) : core_(std::move(core)) {}

  const LogLayout& layout() const override { return core_->layout; }
  void append(Partition, std::string_view, std::string, AppendDone done) override {
    if (done) done({AppendState::kFailed, 0, make_error("log-read-only", "this log is only read")});
  }
  void flush() override {}
  Result<Extent> extent(Partition partition) override {
    if (Result<void> known = check_partition(layout(), partition); !known) return known.error();
    return core_->tail.extent(core_->index.of(partition));
  }
  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override {
    if (Result<void> known = check_partitions(layout(), from); !known) return known.error();
    return std::unique_ptr<LogReader>(std::make_unique<local::LocalReader>(core_, from));
  }

 private:
  const std::shared_ptr<local::LogCore> core_;
};

}  // namespace

// The mark is read before the rows: a server goes on writing both, and the mark is never ahead. The numbers
// of partitions do not matter: the journal has one, the first.
Result<std::unique_ptr<EventLog>> open_local_log_for_reading(const std::string& dir,
                                                             std::optional<Error>* lost) {
  constexpr Partition kJournal{Stream::kJournal, 0};
  const auto marked = local::EndMark::read(dir + "/end-mark");
  const auto core = std::make_shared<local::LogCore>(LogLayout{}, 0);
  auto rows = local::RowStore::open_for_reading(dir + "/rows");
  if (!rows) return rows.error();
  core->rows = std::move(*rows);
  for (std::size_t i = 0; i < core->index.size(); ++i) {
    const Result<Extent> extent = core->rows->extent(core->index.at(i));
    if (!extent) return extent.error();
    core->tail.set_extent(i, *extent);
  }
  if (lost == nullptr) return std::unique_ptr<EventLog>(std::make_unique<ReadingLog>(core));
  const std::size_t journal = core->index.of(kJournal);
  const Offset end = core->tail.extent(journal).end;
  if (!marked)
    *lost = marked.error();
  else if (*marked && !(*marked)->empty() && (**marked)[journal] > end)
    *lost = local::before_its_mark(kJournal, dir, end, (**marked)[journal]);
  return std::unique_ptr<EventLog>(std::make_unique<ReadingLog>(core));
}

}  // namespace berth
