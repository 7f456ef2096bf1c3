// LiveSessions: the live sessions in order of arrival, all of them and each user's, so that a page of a list
// costs no walk over all. Nothing is kept before somebody asks.
//
// on_row() and forget() are called under the exclusive lock of the state, of() under the shared one.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>

#include "controller/api/map/session_json.h"

namespace berth::controller::api {

class LiveSessions {
 public:
  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  // The state is another one: nobody told which rows differ.
  void forget();
  // `user` empty: of everybody. Good as long as the caller holds the lock of the state.
  const SessionOrder& of(const projections::State& state, const std::string& user);

 private:
  void add(const projections::SessionRow& session);

  std::mutex building_;
  bool built_ = false;
  SessionOrder all_;
  std::unordered_map<std::string, SessionOrder> of_user_;
};

}  // namespace berth::controller::api
