#include "controller/api/live/watched_row.h"

#include "controller/api/map/folders/folder_lookup.h"
#include "projections/session_access.h"

namespace berth::controller::api {

void Audience::add(const Audience& other) {
  everybody = everybody || other.everybody;
  owners.insert(owners.end(), other.owners.begin(), other.owners.end());
}

Frame WatchedRow::encode(const char* event, std::string_view row) const {
  JsonText data;
  data.open('{');
  data.put("table", name_of(table()));
  data.put("key", key_.second);
  if (!row.empty()) data.key("row").raw(row);
  data.close('}');
  return std::make_shared<const std::string>(std::string("event: ") + event + "\nid: " +
                                             std::to_string(position_) + "\ndata: " + data.take() + "\n\n");
}

Frame WatchedRow::encode_session(const SlotKinds& kinds, SessionExtras extras) const {
  extras.automatic_folder = session->automatic_folder;
  extras.gone_agent = session->gone_agent;
  std::vector<const projections::KernelRow*> kernels;
  for (const auto& kernel : session->kernels) kernels.push_back(&kernel);
  JsonText row;
  write_session(row, kinds, session->session, kernels, extras);
  return encode("put", row.take());
}

const Frame& WatchedRow::put(const SlotKinds& kinds) const {
  std::call_once(put_once_, [&] {
    if (json) {
      put_ = put(*json);
      return;
    }
    SessionExtras extras;
    extras.shares.all = &session->shares;
    put_ = encode_session(kinds, extras);
  });
  return put_;
}

Frame WatchedRow::put_for(const SlotKinds& kinds, const projections::Actor& actor) const {
  SessionExtras extras;
  extras.hides_preemptor = !may_see_preemptor(actor, session->session);
  for (const projections::FolderRow& folder : session->folders)
    extras.mount_names.push_back(may_see_folder(actor, folder) ? folder.name : std::string());
  extras.shares = shares_shown(session->session, &session->shares, actor);
  return encode_session(kinds, extras);
}

bool WatchedRow::differs_for(const projections::Actor& actor) const {
  const projections::SessionRow& row = session->session;
  return !session->folders.empty() || !(row.preemptor.is_nil() || may_see_preemptor(actor, row)) ||
         is_shared_with(actor, row.owner->owner, &session->shares);
}

Frame WatchedRow::put(const boost::json::object& row) const {
  return encode("put", boost::json::serialize(row));
}

const Frame& WatchedRow::gone() const {
  std::call_once(gone_once_, [&] { gone_ = encode("gone", ""); });
  return gone_;
}

}  // namespace berth::controller::api
