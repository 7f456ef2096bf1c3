// FolderCopy: out of a folder, to this machine.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ops/cli/folders/folder_copy.h"
#include "ops/cli/folders/new_file.h"
#include "ops/cli/output/json_text.h"
#include "ops/cli/session/local_output.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

Failure failed_here(const std::string& path, int error) {
  const bool wrong = error == ENOENT || error == ENOTDIR;
  return {wrong ? kUsage : kFailed,
          error == ENOENT    ? Code("not-found")
          : error == ENOTDIR ? Code("not-a-folder")
                             : Code("write-failed"),
          "'" + path + "': " + std::strerror(error),
          {},
          {}};
}

// A server may send anything; what is not one name would leave the folder that it is for.
bool is_one_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

// Of a folder; one that is there is taken, a link to one is not.
Descriptor make_and_open(int folder, const std::string& name) {
  if (::mkdirat(folder, name.c_str(), 0777) != 0 && errno != EEXIST) return {};
  return Descriptor(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Where a copy goes here: a name in a folder that is there.
struct Place {
  Descriptor folder;
  std::string name;
};

Outcome<Place> place_of(const std::string& to, const std::string& name) {
  struct stat about {};
  const bool into = ::stat(to.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
  if (!into && to.ends_with('/')) return failed_here(to, ENOENT);
  const std::filesystem::path path = into ? std::filesystem::path(to) / name : std::filesystem::path(to);
  const std::string above = path.parent_path().empty() ? "." : path.parent_path().string();
  Place place{Descriptor(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
              path.filename().string()};
  if (!place.folder) return failed_here(above, errno);
  return place;
}

}  // namespace

Outcome<int> FolderCopy::out(const FolderPath& from, const std::string& to) {
  auto place = place_of(to, from.name());
  if (!place) return place.failure();
  const auto kind = from.path.empty() ? FolderFiles::Kind::kFolder : files_.kind(from.path);
  if (!kind) return kind.failure();
  if (*kind != FolderFiles::Kind::kFolder)
    return parting(take_file(place->folder.get(), place->name, from.path));
  if (!how_.recursive)
    return usage_failure("'" + from.folder + ":" + from.path + "' is a folder",
                         "-r copies it with all in it");
  const Descriptor folder = make_and_open(place->folder.get(), place->name);
  if (!folder) return failed_here(to, errno);
  return parting(take_folder(folder.get(), from.path, 0));
}

Outcome<int> FolderCopy::out_to_stdout(const FolderPath& from) {
  const auto& here = shell_.world().descriptors;
  LocalOutput output(here.out, here.err);
  const auto done = Download(shell_, files_, progress_)
                        .run(from.path, {[&](std::string_view bytes) -> Outcome<bool> {
                                           output.add_out(std::string(bytes));
                                           output.finish();
                                           if (output.error()) return failure_of(*output.error());
                                           return !output.is_reader_gone();
                                         },
                                         {}});
  return done && !*done ? Outcome<int>(static_cast<int>(kReaderGone)) : parting(done);
}

Outcome<bool> FolderCopy::take_file(int folder, const std::string& name, const std::string& path) {
  NewFile file(folder, name);
  if (auto opened = file.open(); !opened) return opened;
  const Download::Sink sink{[&file](std::string_view bytes) { return file.write(bytes); },
                            [&file] { return file.begin_again(); }};
  if (auto came = Download(shell_, files_, progress_).run(path, sink); !came) return came;
  return file.put_in_place(how_.overwrite);
}

Outcome<bool> FolderCopy::take_folder(int folder, const std::string& path, int depth) {
  const std::string shown = path.empty() ? "." : path;
  if (depth == kDepthMax) {
    notes_.add(shown, "lies in more than " + std::to_string(kDepthMax) + " folders");
    return true;
  }
  const auto all = files_.list(path);
  if (!all) return depth == 0 ? Outcome<bool>(all.failure()) : told(all.failure(), shown);
  if (all->not_utf8 > 0)
    notes_.add(shown, std::to_string(all->not_utf8) + " names in it are no UTF-8, and left out");
  for (const auto& item : all->items)
    if (auto taken = take_entry(folder, item, path, depth); !taken) return taken;
  return true;
}

Outcome<bool> FolderCopy::take_entry(int folder, const json::value& item, const std::string& path,
                                     int depth) {
  const std::string name = text_at(item, "name"), type = text_at(item, "type"),
                    whole = joined_path(path, name);
  const auto leave_out = [&](const std::string& why) {
    notes_.add(whole, why);
    return true;
  };
  if (!is_one_name(name)) return leave_out("is no name of a file");
  if (type == "file") return told(take_file(folder, name, whole), whole);
  if (type != "folder") return leave_out("is neither a file nor a folder");
  const Descriptor below = make_and_open(folder, name);
  if (!below) return leave_out(std::string("no folder can be made here: ") + std::strerror(errno));
  return take_folder(below.get(), whole, depth + 1);
}

}  // namespace berth::cli
