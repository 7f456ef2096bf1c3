#include "bench/e2e/e2e_ceiling.h"

#include <atomic>
#include <future>
#include <thread>

#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::size_t kEntries = 2'048;
constexpr std::size_t kBytes = 4u << 20;

// One append to each partition: a producer that has never met a topic asks for its leader first. Where to
// read on from.
std::vector<ReadFrom> warm_up(EventLog& log) {
  std::vector<ReadFrom> from{{kJournal, 0}};
  for (std::uint32_t i = 0; i < log.layout().requests; ++i) from.push_back({{Stream::kRequests, i}, 0});
  for (auto& start : from) {
    std::promise<AppendResult> done;
    log.append(start.partition, "bench", "w", [&](const AppendResult& result) { done.set_value(result); });
    log.flush();
    start.offset = done.get_future().get().offset + 1;
  }
  return from;
}

// Requests read in, in proportion journal records out.
void answer(EventLog& log, LogReader& reader, const CeilingLoad& load) {
  std::vector<LogEntry> entries;
  std::uint64_t read = 0;
  std::size_t appended = 0;
  while (read < load.requests) {
    entries.clear();
    read += must(reader.poll(kSecond, kEntries, kBytes, entries));
    const std::size_t due = static_cast<std::size_t>(read * load.records.size() / load.requests);
    for (; appended < due; ++appended)
      log.append(kJournal, "bench", std::string(load.records[appended], 'j'), {});
    log.flush();
  }
}

}  // namespace

std::vector<std::size_t> record_sizes(EventLog& log, Offset from, Offset to) {
  const auto reader = must(log.open_reader({{kJournal, from}}));
  std::vector<std::size_t> sizes;
  std::vector<LogEntry> entries;
  while (from + sizes.size() < to) {
    entries.clear();
    must(reader->poll(kSecond, kEntries, kBytes, entries));
    for (const auto& entry : entries)
      if (entry.offset < to) sizes.push_back(entry.payload.size());
  }
  return sizes;
}

double pass_through(EventLog& log, const CeilingLoad& load) {
  std::atomic<std::size_t> back = 0;
  auto from = warm_up(log);
  const auto reader = must(log.open_reader({from[0]}));
  const auto requests = must(log.open_reader({from.begin() + 1, from.end()}));
  const Stopwatch watch;
  std::thread answering([&] { answer(log, *requests, load); });
  std::thread reading([&] {
    std::vector<LogEntry> entries;
    while (back < load.records.size()) {
      entries.clear();
      back += must(reader->poll(kSecond, kEntries, kBytes, entries));
    }
  });
  for (std::uint64_t i = 0; i < load.requests; ++i) {
    while (i > back * load.requests / load.records.size() + load.window)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    log.append({Stream::kRequests, static_cast<std::uint32_t>(i % log.layout().requests)},
               load.payload(i).substr(0, 16), load.payload(i), {});
  }
  log.flush();
  answering.join();
  reading.join();
  return watch.seconds();
}

}  // namespace berth::bench
