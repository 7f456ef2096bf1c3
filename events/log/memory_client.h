// A process's handle on a MemoryLogServer, and its readers. Internal to memory_log.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/log/memory_log.h"

namespace berth {

class MemoryLogClient final : public EventLog {
 public:
  MemoryLogClient(std::shared_ptr<MemoryLogServer> server, std::uint64_t id)
      : server_(std::move(server)), id_(id) {}
  ~MemoryLogClient() override { server_->disconnect(id_); }
  MemoryLogClient(const MemoryLogClient&) = delete;
  MemoryLogClient& operator=(const MemoryLogClient&) = delete;

  const LogLayout& layout() const override { return server_->layout(); }
  void append(Partition partition, std::string_view key, std::string payload, AppendDone done) override;
  void flush() override {}
  Result<Extent> extent(Partition partition) override;
  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override;

 private:
  std::shared_ptr<MemoryLogServer> server_;
  std::uint64_t id_;
};

// Never waits: the driver of the memory log knows when an entry came. So wake() has nothing to do.
class MemoryLogReader final : public LogReader {
 public:
  MemoryLogReader(std::shared_ptr<MemoryLogServer> server, std::vector<ReadFrom> from)
      : server_(std::move(server)), cursors_(std::move(from)) {}

  Result<std::size_t> poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                           std::vector<LogEntry>& out) override;
  void seek(Partition partition, Offset offset) override;
  void wake() override {}

 private:
  std::shared_ptr<MemoryLogServer> server_;
  std::vector<ReadFrom> cursors_;
  std::size_t turn_ = 0;  // the partition that the next poll reads first, so that none starves
};

}  // namespace berth
