// AccessWatch: whether the caller of a stream of a folder's bytes still has the access with which it began,
// and is still signed in.
#pragma once

#include "controller/api/routes/call.h"
#include "projections/folder_access.h"

namespace berth::controller::api {

// One thread at a time.
class AccessWatch {
 public:
  AccessWatch(ApiContext& context, Caller caller, const FolderId& folder, projections::FolderAccess least)
      : context_(context),
        caller_(std::move(caller)),
        folder_(folder),
        least_(least),
        looked_(context.clock().now().boottime) {}

  // Looks once a second at most.
  bool may_go_on();

 private:
  ApiContext& context_;
  const Caller caller_;
  const FolderId folder_;
  const projections::FolderAccess least_;
  Timestamp looked_;  // boottime
};

}  // namespace berth::controller::api
