#include "controller/api/live/watched_row.h"

#include "controller/api/map/session_json.h"

namespace berth::controller::api {

void Audience::add(const Audience& other) {
  everybody = everybody || other.everybody;
  owners.insert(owners.end(), other.owners.begin(), other.owners.end());
}

Frame WatchedRow::encode(const char* event, const boost::json::object* row) const {
  boost::json::object data{{"table", name_of(table())}, {"key", key_.second}};
  std::string text = std::string("event: ") + event + "\nid: " + std::to_string(position_) +
                     "\ndata: " + boost::json::serialize(data);
  if (row != nullptr) {
    text.pop_back();
    text += ",\"row\":" + boost::json::serialize(*row) + "}";
  }
  return std::make_shared<const std::string>(std::move(text) + "\n\n");
}

const Frame& WatchedRow::put(const SlotKinds& kinds) const {
  std::call_once(put_once_, [&] {
    if (json) {
      put_ = put(*json);
      return;
    }
    std::vector<const projections::KernelRow*> kernels;
    for (const auto& kernel : session->kernels) kernels.push_back(&kernel);
    put_ = put(session_to_json(kinds, session->session, kernels));
  });
  return put_;
}

Frame WatchedRow::put(const boost::json::object& row) const { return encode("put", &row); }

const Frame& WatchedRow::gone() const {
  std::call_once(gone_once_, [&] { gone_ = encode("gone", nullptr); });
  return gone_;
}

}  // namespace berth::controller::api
