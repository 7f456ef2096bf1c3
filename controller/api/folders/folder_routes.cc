// Folders: GET, POST, PATCH, PUT, DELETE /v1/folders. What lies in them: file_routes.cc.
#include "controller/api/folders/folder_in_path.h"
#include "controller/api/map/define_request.h"
#include "controller/api/map/folders/folder_json.h"
#include "controller/api/map/folders/folder_lookup.h"
#include "controller/api/map/folders/share_request.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/routes/asker.h"
#include "controller/api/routes/page.h"
#include "events/base/hash.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::FolderRow;
using projections::Noun;
using projections::Verb;

void list_folders(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query query(call->target, errors);
  const FolderFilter filter = read_folder_filter(query);
  const Page page = read_page(query);
  query.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call->caller);
    json::array items;
    json::value next;
    std::string last;
    for (const FolderRow* row : select_folders(view.state, filter, actor)) {
      std::string place = place_of(*row);
      if (place <= page.after) continue;
      if (items.size() == page.limit) {
        next = page_token_of(view, last);
        break;
      }
      items.push_back(folder_to_json(view.state, *row, actor));
      last = std::move(place);
    }
    out = json_reply(view, json::object{{"items", std::move(items)},
                                        {"next_page_token", next},
                                        {"position", position_or_null(view)}});
  });
  reply(std::move(out));
}

void show_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  Errors errors;
  Query(call->target, errors).finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  HttpReply out;
  services.context.with_state([&](const StateView& view) {
    const auto found = find_folder(view.state, call->caller, call->path[0]);
    out = found.ok()
              ? json_reply(view, folder_to_json(view.state, **found, actor_of(view.state, call->caller)))
              : problem_reply(to_problem(found.error()), *call);
  });
  reply(std::move(out));
}

// The folder as of the answer; its id alone where it has left the state, or the caller's sight.
HttpReply folder_reply(const Services& services, const Call& call, const FolderId& id,
                       const RequestAnswer& answer, unsigned status) {
  json::object out{{"id", hex_of(id)}};
  services.context.with_state([&](const StateView& view) {
    const projections::Actor actor = actor_of(view.state, call.caller);
    const FolderRow* row = view.state.folders.find(id);
    if (row != nullptr && may_see_folder(actor, *row)) out = folder_to_json(view.state, *row, actor);
  });
  out["position"] = answer.position;
  return json_reply(answer.replayed ? 200 : status, out);
}

// Follows from the request, so that a repeated one asks for the same folder.
FolderId id_for(const Call& call) {
  return FolderId(
      Uuid::from_hash(blake2b_128("folder:" + call.caller.user + ":" + std::string(call.id.view()))));
}

void find_volume_asked(const Services& services, ObjectReader& in, const std::string& asked,
                       v1::CreateFolder& create) {
  services.context.with_state([&](const StateView& view) {
    const auto found = find_volume(view.state, asked);
    if (found.ok())
      create.set_volume(std::string((*found)->id.view()));
    else
      in.fail(found.error().code, "volume", found.error().message, found.error().hint);
  });
}

void create_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  const FolderId id = id_for(*call);
  const auto fill = [&](v1::Request& request, const json::object& body, Errors& errors) {
    ObjectReader in(body, "", errors);
    v1::CreateFolder& create = *request.mutable_create_folder();
    create.set_id(std::string(id.view()));
    const auto name = in.name("name");
    in.require("name", name.has_value());
    create.set_name(name.value_or(""));
    create.set_project(in.name_or_none("project"));
    const auto volume = in.text("volume", kTextMax);
    in.finish();
    if (volume && errors.empty()) find_volume_asked(services, in, *volume, create);
  };
  ask_with_body(services, call, reply, fill, [services, call, id](const RequestAnswer& answer) {
    return folder_reply(services, *call, id, answer, 201);
  });
}

using Fill = void (*)(v1::Request& request, ObjectReader& in);

void set_folder(v1::Request& request, const FolderId& id) {
  const std::string bytes(id.view());
  request.has_share_folder() ? request.mutable_share_folder()->set_folder(bytes)
                             : request.mutable_change_folder()->set_folder(bytes);
}

// A request about the folder in the path, which `fill` reads from the body but for the folder. Most changes
// need no body.
void change(const Services& services, const CallPtr& call, const Reply& reply, Fill fill) {
  const auto body = call->request.body.empty() ? Result<json::object>(json::object()) : body_of(*call);
  if (!body.ok()) return reply(problem_reply(to_problem(body.error()), *call));
  Errors errors;
  Query query(call->target, errors);
  v1::Request request = request_of(services, *call);
  request.set_reason(read_reason(query));
  query.finish();
  ObjectReader in(*body, "", errors);
  fill(request, in);
  in.finish();
  if (!errors.empty()) return reply(problem_reply(std::move(errors).take(), *call));
  const auto folder = folder_in_path(services, *call);
  // One that this server has not read yet may be in the log all the same: that is decided with the request.
  const auto unread = id_of_hex(call->path[0]);
  if (!folder.ok() && !(unread && folder.error().code == "unknown-folder"))
    return reply(problem_reply(to_problem(folder.error()), *call));
  const FolderId id = folder.ok() ? folder->row.id : FolderId(*unread);
  set_folder(request, id);
  ask_and_reply(services, call, reply, request, [services, call, id](const RequestAnswer& answer) {
    return folder_reply(services, *call, id, answer, 200);
  });
}

void rename_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, ObjectReader& in) {
    const auto name = in.name("name");
    in.require("name", name.has_value());
    request.mutable_change_folder()->set_change(v1::FOLDER_RENAME);
    request.mutable_change_folder()->set_name(name.value_or(""));
  });
}

void trash_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, ObjectReader&) {
    request.mutable_change_folder()->set_change(v1::FOLDER_TRASH);
  });
}

void restore_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, ObjectReader& in) {
    request.mutable_change_folder()->set_change(v1::FOLDER_RESTORE);
    request.mutable_change_folder()->set_name(in.name_or_none("name"));
  });
}

void purge_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, ObjectReader&) {
    request.mutable_change_folder()->set_change(v1::FOLDER_PURGE);
  });
}

void share_folder(const Services& services, const CallPtr& call, const Reply& reply) {
  change(services, call, reply, [](v1::Request& request, ObjectReader& in) {
    v1::ShareFolder& share = *request.mutable_share_folder();
    const ShareWith with = read_share_with(in, request.owner().domain());
    share.set_scope(with.scope);
    share.set_id(with.id);
    share.set_access(in.required_text("access", kTextMax));
    if (const std::string& access = share.access();
        !access.empty() && access != "read" && access != "write" && access != "none")
      in.fail("invalid-value", "access", "'" + clipped(access) + "' is no access", "read, write or none");
  });
}

}  // namespace

std::vector<Route> folder_routes() {
  constexpr const char* kAll = "/v1/folders";
  constexpr const char* kOne = "/v1/folders/{folder}";
  const Route::Need see{Noun::kFolder, Verb::kSee}, alter{Noun::kFolder, Verb::kChange},
      end{Noun::kFolder, Verb::kEnd};
  return {{"GET", kAll, "listFolders", list_folders, see, {.past = Route::kPast}},
          {"POST", kAll, "createFolder", create_folder, {Noun::kFolder, Verb::kCreate}},
          {"GET", kOne, "getFolder", show_folder, see, {.past = Route::kPast}},
          {"PATCH", kOne, "renameFolder", rename_folder, alter},
          {"DELETE", kOne, "purgeFolder", purge_folder, end},
          {"POST", "/v1/folders/{folder}/trash", "trashFolder", trash_folder, end},
          {"POST", "/v1/folders/{folder}/restore", "restoreFolder", restore_folder, end},
          {"PUT", "/v1/folders/{folder}/shares", "shareFolder", share_folder, alter}};
}

}  // namespace berth::controller::api
