// berth folder and volume, and the folders of session run and show: what is asked, and what is shown.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr const char* kId = "0123456789abcdef0123456789abcdef";

json::object folder(const std::string& state, const std::string& id = kId) {
  json::object f{{"id", id},
                 {"name", "data"},
                 {"owner", {{"domain", "default"}, {"user", "alice"}}},
                 {"volume", {{"id", "00ff"}, {"name", "local"}}},
                 {"state", state},
                 {"created_at", "2026-01-01T00:00:00Z"},
                 {"access", "own"},
                 {"shares", json::array{json::object{{"user", "bob"}, {"access", "read"}}}},
                 {"sessions", json::array{json::object{{"id", "1"}, {"name", "nb"}}}}};
  if (state == "TRASHED") f["purge_at"] = "2026-01-08T00:00:00Z";
  return f;
}

std::string list_of(const json::array& items) { return json::serialize(json::object{{"items", items}}); }

class FolderCommands : public ::testing::Test {
 protected:
  FolderCommands() {
    world.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      const std::string call = request.method + " " + request.target;
      for (const auto& [begin, reply] : replies)
        if (call.starts_with(begin)) return reply;
      return problem(404, "unknown-folder");
    };
  }
  // Calls that begin so are answered so; the first that fits counts.
  void serve(const std::string& call, const json::value& body, unsigned status = 200) {
    replies.emplace_back(call, json_reply(json::serialize(body), status));
  }
  // "METHOD TARGET BODY" of each request, in lines.
  std::string asked() const {
    std::string text;
    for (const auto& request : world.server.requests)
      text += request.method + " " + request.target + (request.body.empty() ? "" : " " + request.body) + "\n";
    return text;
  }
  Ran run(const std::vector<std::string>& words) {
    world.server.requests.clear();
    return world.run(words);
  }

  std::vector<std::pair<std::string, HttpReply>> replies;
  FakeWorld world;
};

TEST_F(FolderCommands, ANameThatIsNoUtf8IsRefusedBeforeAnybodyIsAsked) {
  const auto ran = run({"folder", "create", "\xff"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("is no UTF-8"), std::string::npos) << ran.err;
  EXPECT_EQ(asked().find("POST"), std::string::npos) << asked();
}

TEST_F(FolderCommands, LsShowsWhatOneMaySee) {
  serve("GET /v1/folders", json::parse(list_of({folder("READY")})));
  const auto ran = run({"folder", "ls", "--mine", "--volume", "local", "--project", "ml"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(asked(), "GET /v1/folders?volume=local&project=ml&mine=true&limit=1000\n");
  EXPECT_EQ(ran.out,
            "NAME  OWNER  VOLUME  STATE  ACCESS  SHARED WITH  SESSIONS\n"
            "data  alice  local   READY  own     bob (read)   nb\n");
  EXPECT_EQ(run({"folder", "ls", "-o", "name"}).out, "data\n");
}

TEST_F(FolderCommands, LsSaysWhichOneIsAutomatic) {
  json::object automatic = folder("READY");
  automatic["name"] = ".automatic";
  automatic["automatic"] = true;
  serve("GET /v1/folders/.automatic/files", {{"items", json::array{}}, {"next", nullptr}, {"not_utf8", 0}});
  serve("GET /v1/folders", json::parse(list_of({automatic})));
  EXPECT_NE(run({"folder", "ls"}).out.find("alice, automatic"), std::string::npos);
  EXPECT_EQ(run({"folder", "files", ".automatic:dotfiles"}).exit, 0);
}

TEST_F(FolderCommands, LsOfTheTrashSaysUntilWhenEachIsKept) {
  serve("GET /v1/folders?include=trash", json::parse(list_of({folder("READY"), folder("TRASHED")})));
  const auto trash = run({"folder", "ls", "--trash"});
  EXPECT_NE(trash.out.find("2026-01-08 00:00:00Z"), std::string::npos) << trash.out;
  EXPECT_EQ(trash.out.find("READY"), std::string::npos) << trash.out;
  EXPECT_NE(run({"folder", "ls", "--all"}).out.find("READY"), std::string::npos);
  EXPECT_EQ(run({"folder", "ls", "--all", "--trash"}).exit, kUsage);
}

TEST_F(FolderCommands, AnEmptyListSaysHowOneIsMade) {
  serve("GET /v1/folders", json::parse(list_of({})));
  const auto ran = run({"folder", "ls"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.err.find("berth folder create"), std::string::npos) << ran.err;
}

TEST_F(FolderCommands, CreateWaitsUntilTheFolderIsReady) {
  serve("POST /v1/folders", folder("CREATING"), 201);
  int asks = 0;
  const auto others = world.server.answer;
  world.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "POST") return others(request);
    ++asks;
    return json_reply(json::serialize(folder(asks < 3 ? "CREATING" : "READY")), 200, 7 + asks);
  };
  const auto ran = run({"folder", "create", "data", "--volume", "local", "--project", "ml"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(world.server.requests[0].body, R"({"name":"data","project":"ml","volume":"local"})");
  EXPECT_NE(header_of(world.server.requests[0], "Idempotency-Key"), "");
  EXPECT_EQ(asks, 3);
  EXPECT_TRUE(world.server.requests[1].target.starts_with(std::string("/v1/folders/") + kId));
  EXPECT_NE(ran.out.find("READY"), std::string::npos) << ran.out;
}

TEST_F(FolderCommands, CreateDoesNotWaitWhereItIsToldNotTo) {
  serve("POST /v1/folders", folder("CREATING"), 201);
  const auto ran = run({"folder", "create", "data", "--no-wait"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(asked(), "POST /v1/folders {\"name\":\"data\"}\n");
  EXPECT_NE(ran.out.find("CREATING"), std::string::npos);
  EXPECT_EQ(run({"folder", "create", "data", "--no-wait", "--wait"}).exit, kUsage);
  EXPECT_EQ(run({"folder", "create", "data", "--timeout", "soon"}).exit, kUsage);
}

TEST_F(FolderCommands, CreateOfAFolderThatFailedSaysWhy) {
  serve("POST /v1/folders", folder("CREATING"), 201);
  auto failed = folder("FAILED");
  failed["code"] = "volume-full";
  failed["message"] = "no space left on the device";
  serve("GET /v1/folders/", failed);
  const auto ran = run({"folder", "create", "data", "--wait"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("volume-full: folder data could not be made: no space left on the device"),
            std::string::npos)
      << ran.err;
  EXPECT_NE(ran.err.find("berth folder rm data --purge"), std::string::npos) << ran.err;
}

TEST_F(FolderCommands, ShowTellsOwnerVolumeSharesAndSessions) {
  serve("GET /v1/folders/data", folder("READY"));
  const auto ran = run({"folder", "show", "data"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  for (const char* line :
       {"OWNER        alice\n", "VOLUME       local\n", "SHARED WITH  bob (read)\n", "SESSIONS     nb\n"})
    EXPECT_NE(ran.out.find(line), std::string::npos) << ran.out;
  EXPECT_EQ(json::parse(run({"folder", "show", "data", "-o", "json"}).out), json::value(folder("READY")));
  EXPECT_EQ(run({"folder", "show", "none"}).exit, kNotFound);
}

TEST_F(FolderCommands, RenamesAndShares) {
  serve("P", folder("READY"));
  for (const auto& [words, call] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"rename", "data", "old"}, R"(PATCH /v1/folders/data {"name":"old"})"},
           {{"share", "data", "--user", "bob"},
            R"(PUT /v1/folders/data/shares {"user":"bob","access":"write"})"},
           {{"share", "data", "--project", "ml", "--read-only"},
            R"(PUT /v1/folders/data/shares {"project":"ml","access":"read"})"},
           {{"unshare", "data", "--user", "bob"},
            R"(PUT /v1/folders/data/shares {"user":"bob","access":"none"})"}}) {
    std::vector<std::string> all{"folder"};
    all.insert(all.end(), words.begin(), words.end());
    const auto ran = run(all);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_EQ(asked(), call + "\n");
  }
  world.server.requests.clear();
  EXPECT_EQ(run({"folder", "share", "data"}).exit, kUsage);
  EXPECT_EQ(run({"folder", "share", "data", "--user", "bob", "--project", "ml"}).exit, kUsage);
  EXPECT_EQ(asked(), "");
}

TEST_F(FolderCommands, RmPutsIntoTheTrashAndSaysHowItComesBack) {
  serve("POST /v1/folders/data/trash", folder("TRASHED"));
  const auto ran = run({"folder", "rm", "data"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_NE(ran.out.find("TRASHED"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.err,
            "data is in the trash and kept until 2026-01-08 00:00:00Z; `berth folder restore data` brings it "
            "back\n");
  EXPECT_EQ(run({"folder", "rm", "data", "--yes"}).exit, kUsage);
}

TEST_F(FolderCommands, RmOfAMountedFolderNamesTheSessions) {
  replies.emplace_back("POST /v1/folders/data/trash",
                       problem(409, "folder-mounted", "data is mounted by nb", "end the sessions"));
  const auto ran = run({"folder", "rm", "data"});
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_NE(ran.err.find("data is mounted by nb"), std::string::npos) << ran.err;
}

TEST_F(FolderCommands, PurgeAsksBeforeAnythingIsLost) {
  serve("GET /v1/folders?name=data&include=trash&mine=true", json::parse(list_of({folder("READY")})));
  serve("POST /v1/folders/", folder("TRASHED"));
  serve("DELETE /v1/folders/", folder("PURGING"));
  world.typed = {"n"};
  EXPECT_EQ(run({"folder", "rm", "data", "--purge"}).exit, kFailed);
  EXPECT_EQ(world.server.requests.size(), 1u) << asked();
  world.typed.clear();  // nobody can be asked
  const auto unasked = run({"folder", "rm", "data", "--purge"});
  EXPECT_EQ(unasked.exit, kUsage);
  EXPECT_NE(unasked.err.find("--yes"), std::string::npos) << unasked.err;
  world.typed = {"y"};
  const auto asked_of = run({"folder", "rm", "data", "--purge"});
  EXPECT_EQ(asked_of.exit, 0) << asked_of.err;
  EXPECT_TRUE(asked().ends_with(std::string("POST /v1/folders/") + kId + "/trash {}\nDELETE /v1/folders/" +
                                kId + "\n"))
      << asked();
  EXPECT_NE(asked_of.out.find("PURGING"), std::string::npos);
  EXPECT_EQ(run({"folder", "rm", "data", "--purge", "--yes"}).exit, 0);
}

TEST_F(FolderCommands, PurgeOfWhatIsInTheTrashPurgesAlone) {
  serve(std::string("GET /v1/folders/") + kId, folder("TRASHED"));
  serve("DELETE /v1/folders/", folder("PURGING"));
  EXPECT_EQ(run({"folder", "rm", kId, "--purge", "--yes"}).exit, 0);
  EXPECT_EQ(asked(), std::string("GET /v1/folders/") + kId + "\nDELETE /v1/folders/" + kId + "\n");
}

TEST_F(FolderCommands, ANameOfSeveralFoldersIsRefusedWithTheirIds) {
  const std::string other(32, 'b');
  serve("GET /v1/folders?name=data", json::parse(list_of({folder("READY"), folder("TRASHED", other)})));
  const auto ran = run({"folder", "rm", "data", "--purge", "--yes"});
  EXPECT_EQ(ran.exit, kConflict);
  EXPECT_NE(ran.err.find("ambiguous-name"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(kId), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(other), std::string::npos) << ran.err;
  EXPECT_EQ(world.server.requests.size(), 1u);
}

TEST_F(FolderCommands, RestoreTakesTheOneInTheTrash) {
  const std::string other(32, 'b');
  serve("GET /v1/folders?name=data", json::parse(list_of({folder("READY"), folder("TRASHED", other)})));
  serve("POST /v1/folders/" + other + "/restore", folder("READY", other));
  EXPECT_EQ(run({"folder", "restore", "data", "--name", "old"}).exit, 0);
  EXPECT_TRUE(asked().ends_with("POST /v1/folders/" + other + "/restore {\"name\":\"old\"}\n")) << asked();
  replies.clear();
  serve("GET /v1/folders?name=data", json::parse(list_of({folder("READY")})));
  const auto none = run({"folder", "restore", "data"});
  EXPECT_EQ(none.exit, kNotFound);
  EXPECT_NE(none.err.find("berth folder ls --trash"), std::string::npos) << none.err;
}

TEST_F(FolderCommands, VolumesAreListedUnderBothNames) {
  serve("GET /v1/volumes", json::parse(R"({"items": [{"id": "00ff", "name": "local", "agents": ["a1", "a2"],
      "available": true}]})"));
  for (const auto& words : std::vector<std::vector<std::string>>{{"volume", "ls"}, {"folder", "volumes"}}) {
    EXPECT_EQ(run(words).out, "NAME   AVAILABLE  AGENTS\nlocal  true       a1, a2\n");
    EXPECT_EQ(asked(), "GET /v1/volumes\n");
  }
}

TEST_F(FolderCommands, AVolumeIsForgottenWithTheFoldersThatWereCounted) {
  serve("GET /v1/volumes",
        json::parse(R"({"items": [{"id": "00ff", "name": "local", "agents": [], "available": false},
      {"id": "00aa", "name": "same", "agents": [], "available": false},
      {"id": "00bb", "name": "same", "agents": [], "available": false}]})"));
  serve("GET /v1/folders?volume=00ff&include=trash",
        json::parse(list_of({folder("READY"), folder("TRASHED")})));
  serve("DELETE /v1/volumes/", json::parse(R"({"position": 7})"));
  const auto unasked = run({"volume", "forget", "local"});
  EXPECT_EQ(unasked.exit, kUsage);
  EXPECT_NE(unasked.err.find("--expected 2"), std::string::npos) << unasked.err;
  world.typed = {"n"};
  EXPECT_EQ(run({"volume", "forget", "local"}).exit, kFailed);
  EXPECT_EQ(asked().find("DELETE"), std::string::npos);
  world.typed = {"y"};
  const auto ran = run({"volume", "forget", "local"});
  EXPECT_EQ(ran.out, "local\n") << ran.err;
  EXPECT_TRUE(asked().ends_with("DELETE /v1/volumes/00ff?expected=2\n")) << asked();
  EXPECT_EQ(run({"volume", "forget", "00aa", "--expected", "0"}).out, "same\n");
  EXPECT_EQ(asked(), "GET /v1/volumes\nDELETE /v1/volumes/00aa?expected=0\n");
  EXPECT_EQ(run({"volume", "forget", "same", "--expected", "0"}).exit, kFailed) << "several have the name";
  EXPECT_EQ(run({"volume", "forget", "none", "--expected", "0"}).exit, kNotFound);
}

TEST_F(FolderCommands, RunSendsMounts) {
  serve("POST /v1/sessions", json::parse(R"({"sessions": [], "position": 7})"));
  const auto body = [&](const std::vector<std::string>& mounts) {
    std::vector<std::string> words{"run", "-d", "--cpu", "1"};
    for (const auto& mount : mounts) words.insert(words.end(), {"--mount", mount});
    const auto ran = run(words);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    return json::parse(world.server.requests.back().body).at("mounts");
  };
  EXPECT_EQ(body({"data", "models:ro"}),
            json::parse(R"([{"folder": "data"}, {"folder": "models", "read_only": true}])"));
  EXPECT_EQ(body({"data:in:ro", "data:out", "x:y:rw"}),
            json::parse(R"([{"folder": "data", "target": "in", "read_only": true},
                {"folder": "data", "target": "out"}, {"folder": "x", "target": "y"}])"));
  for (const char* bad : {"", ":in", "data:", "data::ro", "data:in:maybe", "a:b:c:ro", ":ro"}) {
    const auto ran = run({"run", "--cpu", "1", std::string("--mount=") + bad});
    EXPECT_EQ(ran.exit, kUsage) << bad;
    EXPECT_EQ(asked(), "") << bad;
  }
  run({"run", "--cpu", "1"});
  EXPECT_EQ(world.server.requests.back().body, R"({"resources":{"cpu":"1"}})");
}

TEST_F(FolderCommands, ShowOfASessionNamesItsFolders) {
  auto s = session("nb", "RUNNING");
  s["mounts"] = json::parse(R"([{"folder": {"id": "1", "name": "data"}, "target": "data", "read_only": false},
      {"folder": {"id": "2", "name": "models"}, "target": "m", "read_only": true}])");
  serve("GET /v1/sessions/nb", s);
  const auto ran = run({"session", "show", "nb"});
  EXPECT_NE(ran.out.find("Folder        data at /home/work/data\n"
                         "Folder        models at /home/work/m, read-only\n"),
            std::string::npos)
      << ran.out;
}

TEST_F(FolderCommands, WhatIsNotThereOrWronglyAskedHasItsExitCode) {
  for (const auto& [status, code, exit] :
       std::vector<std::tuple<unsigned, const char*, int>>{{422, "volume-required", kUsage},
                                                           {404, "unknown-volume", kNotFound},
                                                           {409, "folder-exists", kConflict},
                                                           {409, "volumes-busy", kConflict},
                                                           {400, "unknown-volume", kNotFound},
                                                           {422, "invalid-mount", kUsage}}) {
    replies.clear();
    replies.emplace_back("POST", problem(status, code));
    EXPECT_EQ(run({"folder", "create", "data"}).exit, exit) << code;
  }
}

TEST_F(FolderCommands, NamesAreCompleted) {
  serve("GET /v1/folders?include=trash&state=TRASHED", json::parse(list_of({json::object{{"name", "old"}}})));
  serve("GET /v1/folders?limit=200", json::parse(list_of({folder("READY")})));
  serve("GET /v1/volumes", json::parse(list_of({json::object{{"name", "local"}}})));
  const auto completed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"__complete", "--"});
    return run(words).out;
  };
  EXPECT_EQ(completed({"folder", "show", "d"}), "data\n");
  EXPECT_EQ(completed({"folder", "rm", ""}), "data\n");
  EXPECT_EQ(completed({"folder", "restore", ""}), "old\n");
  EXPECT_EQ(completed({"session", "run", "--mount", "d"}), "data\n");
  EXPECT_EQ(completed({"folder", "create", "x", "--volume", ""}), "local\n");
  EXPECT_EQ(completed({"folder", "un"}), "unshare\n");
  serve("GET /v1/folders/data/files?path=results&",
        json::parse(list_of({json::object{{"name", "out.csv"}, {"type", "file"}},
                             json::object{{"name", "old"}, {"type", "folder"}}})));
  EXPECT_EQ(completed({"folder", "cp", "d"}), "data:\n");
  EXPECT_EQ(completed({"folder", "cp", "x", "data:results/o"}), "data:results/out.csv\ndata:results/old/\n");
  EXPECT_EQ(completed({"folder", "remove", "data:results/ou"}), "data:results/out.csv\n");
  EXPECT_EQ(completed({"folder", "files", "data", ""}), "");
}

}  // namespace
}  // namespace berth::cli
