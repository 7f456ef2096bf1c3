// ChunkRelay: one chunk of an upload on its way from a client to an agent, a piece of at most 64 KiB after
// the other: the client sends no faster than the agent takes it. One is read while another is on its way.
//
// The chunk is read to its end whatever the agent says meanwhile, so that the client reads the answer and the
// connection goes on; an agent's refusal is told then. No piece is passed on of a caller who may not write in
// the folder any more, or is not signed in. Its handlers hold it. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "controller/api/folders/access_watch.h"
#include "controller/api/folders/file_inquiry.h"

namespace berth::controller::api {

class ChunkRelay : public std::enable_shared_from_this<ChunkRelay> {
 public:
  // `done` is called once, on any thread, with the problems of ask_files() and of BodyStream.
  ChunkRelay(const Services& services, Caller caller, const FolderId& folder,
             std::shared_ptr<BodyStream> body, std::function<void(FileReply)> done);

  // `question`: of upload-chunk.
  void begin(const FilesQuestion& question);

 private:
  void pump();
  void took(Result<std::string> piece);
  void write(KernelChannel& channel, std::string piece);
  void wrote(bool good);
  void body_over(bool whole);
  void answered(const FilesAnswer& answer);
  void settle(FileReply reply);
  void finish();
  void give_up();

  const Services services_;
  AccessWatch watch_;  // of who reads the body
  const std::shared_ptr<BodyStream> body_;
  std::mutex mutex_;
  std::function<void(FileReply)> done_;     // guarded; empty once it was called
  std::shared_ptr<KernelChannel> channel_;  // guarded
  std::optional<FileReply> reply_;          // guarded; what the agent said
  bool takes_no_more_ = false;              // guarded; the agent
  bool writing_ = false;                    // guarded; a piece is on its way to it...
  std::string held_;                        // guarded; ...and the next one waits, the client too
  bool body_over_ = false;                  // guarded
};

}  // namespace berth::controller::api
