// Where the files of a folder are reached: on an ALIVE agent that has its volume; and whether the caller may.
#pragma once

#include <functional>
#include <string>

#include "controller/api/routes/call.h"
#include "events/codec/file_service.h"
#include "projections/folder_access.h"

namespace berth::controller::api {

struct FilePlace {
  FolderId folder;
  VolumeId volume;
  std::string agent;
  std::string address;  // host:port of its services
};

// Of the folder in the path, for a caller with at least this access to its files. Of several agents the one
// that makes the volume's folders is asked, so that parts of one upload meet. Codes: those of find_folder()
// (folder_lookup.h), folder-not-accessible, folder-read-only, folder-not-ready, volume-unavailable.
Result<FilePlace> find_files(const StateView& view, const Call& call, projections::FolderAccess least);

// The same; where there is none the call is replied to.
void with_files(const Services& services, const CallPtr& call, const Reply& reply,
                projections::FolderAccess least, const std::function<void(const FilePlace&)>& go_on);

FilesQuestion question_of(const FilePlace& place, FileOperation operation, const v1::FileQuestion& question);

}  // namespace berth::controller::api
