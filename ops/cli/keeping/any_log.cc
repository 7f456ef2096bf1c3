#include "ops/cli/keeping/any_log.h"

#include <filesystem>
#include <fstream>

#include "events/log/memory_log.h"
#include "events/log/open/open_log.h"
#include "ops/cli/keeping/backup_files.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

bool is_kafka(const std::string& where) { return where.starts_with("kafka://"); }

bool is_backup_folder(const std::string& where) {
  std::error_code none;
  return fs::exists(where + "/" + kManifestName, none);
}

// A tar says what it is behind its first name.
bool is_tar(const std::string& where) {
  std::error_code none;
  if (!fs::is_regular_file(where, none)) return false;
  std::ifstream file(where, std::ios::binary);
  char magic[5] = {};
  return file.seekg(257) && file.read(magic, sizeof magic) &&
         std::string_view(magic, sizeof magic) == "ustar";
}

bool is_backup(const std::string& where) { return is_backup_folder(where) || is_tar(where); }

Result<std::unique_ptr<EventLog>> in_memory(const BackupSource& source) {
  const auto memory = MemoryLogServer::create({}, MemoryLogMode::kAutomatic);
  auto log = memory->connect();
  const Partition journal{Stream::kJournal, 0};
  const auto read = source.read_journal([&](LogEntry entry) -> Result<void> {
    if (entry.gap)
      memory->add_gap(journal);
    else
      log->append(journal, "", std::move(entry.payload), {});
    return {};
  });
  if (!read) return read.error();
  return log;
}

// A stream is unpacked for as long as it is read.
Result<std::unique_ptr<EventLog>> open_backup(Shell& shell, const std::string& where) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  const auto source = BackupSource::open(
      where, (temporary / ("berth-backup-" + shell.world().new_token().substr(0, 16))).string());
  if (!source) return source.error();
  return in_memory(*source);
}

Result<std::unique_ptr<EventLog>> open_on_kafka(const LogPlace& place) {
  OpenLog wanted{.url = place.where, .layout = {}};
  wanted.kafka_config = place.kafka_config;
  wanted.allow_one_replica = true;  // nothing is written
  wanted.makes_streams = false;
  return open_log(wanted);
}

}  // namespace

void add_kafka_config_option(CLI::App* app, LogPlace& place) {
  app->add_option("--kafka-config", place.kafka_config,
                  "Kafka's SASL and TLS: librdkafka's properties, mode 0600")
      ->type_name("FILE")
      ->envname("BERTH__LOG__KAFKA_CONFIG");
}

bool is_place_of_log(const std::string& where) {
  std::error_code none;
  return is_kafka(where) || fs::is_directory(where, none) || is_tar(where);
}

Result<std::unique_ptr<EventLog>> open_any_log(Shell& shell, const LogPlace& place,
                                               std::optional<Error>* lost) {
  if (is_kafka(place.where)) return open_on_kafka(place);
  if (is_backup(place.where)) return open_backup(shell, place.where);
  std::error_code none;
  if (place.where == "-" || fs::is_regular_file(place.where, none))
    return make_error(
        "no-log-here", "'" + place.where + "' is neither a folder nor a backup's stream in a file",
        "write the stream of `berth backup -` to a file, or unpack it: mkdir B && tar xf - -C B");
  return open_offline_log(place.where, lost);
}

Result<std::unique_ptr<OfflineLog>> open_any_offline(Shell& shell, const LogPlace& place) {
  std::error_code none;
  if (!is_kafka(place.where) && !is_backup(place.where) && fs::is_directory(place.where, none)) {
    auto opened = OfflineLog::open(place.where);
    if (opened && (*opened)->lost()) shell.note((*opened)->lost()->message + ": what is left is shown");
    return opened;
  }
  auto log = open_any_log(shell, place);
  if (!log) return log.error();
  return OfflineLog::of(std::move(*log), place.where);
}

}  // namespace berth::cli
