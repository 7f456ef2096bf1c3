// KeyKeeper: this server's cluster.json and the keys that it works with follow the log and the file (P29).
//
// A sealing key that the log added comes sealed with the one before it. It opens as soon as the record is
// applied, stands in the file within a second, and seals a second later: each server that reads what it
// sealed has read the record before, and has had time to learn it. A key that the log destroyed is erased
// from the file and opens nothing more. With which key this server seals it says in the log, when that
// changes and once a day: a key that a server seals with is not destroyed. The secrets of writers' keys (ADR
// 0097) are the file's alone: a change of the file counts within a second.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "controller/api/api_context.h"
#include "events/codec/sealing.h"
#include "events/codec/writer_secrets.h"

namespace berth::controller {

class KeyKeeper {
 public:
  // `file`: the cluster.json that was read at the start, as were `ring` and `writers`. `api` outlives the
  // keeper.
  KeyKeeper(std::string file, ApiContext& api, SealingRing ring, WriterSecrets writers)
      : file_(std::move(file)), api_(api), ring_(std::move(ring)), writers_(std::move(writers)) {}
  ~KeyKeeper() { stop(); }

  // Learns what the state has by now, then goes on doing so on a thread of its own.
  void start();
  void stop();
  // Of each record as it was applied.
  void on_record(const v1::Record& record);

 private:
  void sync();
  // Whether it opens what is sealed with it from here on. The log is right: a key of the same number that was
  // learned from records that are lost is another one.
  Result<std::string> open(std::uint32_t number, const v1::Sealed& box);
  std::optional<std::string> opened_before(std::uint32_t number);
  void learn(const projections::SealKeyRow& row);
  bool is_learned(const projections::SealKeyRow& row) const;
  void erase(std::uint32_t number);
  void follow_file();
  void say_what_seals();
  void warn_once(const std::string& what, const Error& error);

  std::string file_;
  ApiContext& api_;
  std::mutex ring_mutex_;  // who changes the ring holds it
  SealingRing ring_;
  std::map<std::uint32_t, std::string> opened_;  // guarded by ring_mutex_: keys of the log's boxes, by number
  SealingRing in_file_;                          // as it was read last
  WriterSecrets writers_;
  Timestamp asked_ = 0;  // boottime, when it said last with which key it seals
  std::uint32_t asked_number_ = 0;
  std::string seen_;  // of the file: what tells that it changed
  std::map<std::uint32_t, std::string>
      learned_;  // by number, the box: a log that lost records may bring another
  std::set<std::uint32_t> erased_;
  std::set<std::string> warned_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded
  std::thread thread_;
};

}  // namespace berth::controller
