#include "projections/store/rocks/checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>

#include <rocksdb/utilities/checkpoint.h>

#include "events/base/files/disk_error.h"
#include "events/base/files/durable_file.h"
#include "projections/store/rocks/meta_codec.h"
#include "projections/store/rocks/status.h"

namespace berth::projections {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& doing, const std::error_code& code) {
  return disk_error(code.value(), doing + ": " + code.message(), kStoreFailedCode);
}

std::string folder_name(Offset offset) {
  std::string digits = std::to_string(offset);
  return std::string(20 - std::min<std::size_t>(20, digits.size()), '0') +
         digits;  // name order = offset order
}

// The copied files, and the folder with their names.
std::error_code sync_copies(const fs::path& db) {
  std::error_code code;
  for (fs::directory_iterator it(db, code), end; !code && it != end; it.increment(code))
    if (it->path().extension() != ".sst")
      if (const auto unsynced = sync_file(it->path())) return unsynced;
  return code ? code : sync_folder(db);
}

void remove_old(const fs::path& root) {
  const auto all = list_checkpoints(root);
  std::error_code ignored;
  for (std::size_t i = 0; all && i + kCheckpointsKept < all->size(); ++i)
    fs::remove_all((*all)[i].folder, ignored);
}

bool is_absent(const std::error_code& code) {
  return code == std::errc::no_such_file_or_directory || code == std::errc::not_a_directory;
}

// Nothing: there is none.
Result<std::optional<std::string>> read_manifest(const fs::path& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  if (in) bytes.assign(std::istreambuf_iterator<char>(in), {});
  if (in && !in.bad()) return std::optional(std::move(bytes));
  const std::error_code code(errno != 0 ? errno : EIO, std::generic_category());
  if (is_absent(code)) return std::optional<std::string>();
  return failed("read " + path.string(), code);
}

}  // namespace

Result<std::vector<Checkpoint>> list_checkpoints(const fs::path& root) {
  std::vector<Checkpoint> all;
  std::error_code code;
  fs::directory_iterator it(root, code);
  for (const fs::directory_iterator end; !code && it != end; it.increment(code)) {
    const auto bytes = read_manifest(it->path() / "manifest");
    if (!bytes && may_pass(bytes.error())) return bytes.error();
    if (!bytes || !*bytes) continue;
    if (auto meta = decode_meta(**bytes); meta && meta->schema == kStoreSchema)
      all.push_back({*meta, it->path()});
  }
  if (code && !is_absent(code))
    if (Error error = failed("list " + root.string(), code); may_pass(error)) return error;
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.meta.next < b.meta.next; });
  return all;
}

Result<void> make_checkpoint(rocksdb::DB& db, const StoreMeta& meta, const fs::path& root) {
  std::error_code code;
  const fs::path place = root / folder_name(meta.next), aside = root / "being-made";
  if (fs::exists(place, code)) return {};
  fs::remove_all(aside, code);
  fs::create_directories(aside, code);
  if (code) return failed("make " + aside.string(), code);
  rocksdb::Checkpoint* raw = nullptr;
  auto status = rocksdb::Checkpoint::Create(&db, &raw);
  const std::unique_ptr<rocksdb::Checkpoint> maker(raw);
  if (status.ok()) status = maker->CreateCheckpoint((aside / "db").string());
  if (!status.ok()) return to_error(status, "make a checkpoint");
  if (const auto unwritten = write_durably(aside / "manifest", encode_meta(meta), 0600))
    return failed("write the manifest of a checkpoint", unwritten);
  fs::rename(aside, place, code);
  if (!code) code = sync_folder(root);
  if (code) return failed("rename the new checkpoint", code);
  remove_old(root);
  return {};
}

Result<std::optional<Checkpoint>> newest_checkpoint(const fs::path& root, Offset not_after) {
  const auto all = list_checkpoints(root);
  if (!all) return all.error();
  std::optional<Checkpoint> newest;
  std::error_code ignored;
  for (const auto& checkpoint : *all) {
    if (checkpoint.meta.next <= not_after)
      newest = checkpoint;
    else
      fs::remove_all(checkpoint.folder, ignored);
  }
  return newest;
}

Result<void> restore_checkpoint(const Checkpoint& checkpoint, const fs::path& db) {
  std::error_code code;
  fs::create_directories(db, code);
  if (code) return failed("make " + db.string(), code);
  for (fs::directory_iterator it(checkpoint.folder / "db", code), end; !code && it != end;
       it.increment(code)) {
    const fs::path to = db / it->path().filename();
    if (it->path().extension() == ".sst")
      fs::create_hard_link(it->path(), to, code);
    else
      fs::copy_file(it->path(), to, code);
    if (code) break;
  }
  if (!code) code = sync_copies(db);
  if (!code) return {};
  std::error_code ignored;
  fs::remove_all(db, ignored);
  return failed("restore " + checkpoint.folder.string(), code);
}

}  // namespace berth::projections
