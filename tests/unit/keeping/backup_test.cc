// A backup is taken, checked and restored; and what half, changed and foreign ones are told.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "controller/api/auth/host_key.h"
#include "events/codec/chain_head.h"
#include "events/codec/envelope.h"
#include "events/codec/journal_signer.h"
#include "events/log/open/open_log.h"
#include "ops/cli/keeping/backup_format.h"
#include "ops/cli/keeping/secrets_box.h"
#include "projections/fold/projection.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/cli/fake_journal.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const std::string kSecret(32, 'k');
constexpr char kPassphrase[] = "correct horse battery";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_private(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

// A cluster: its signed journal, its cluster.json, and a server that shows the one and is gone at a restore.
class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(root_ / "old");
    fs::create_directory(root_ / "old" / "log");
    write_private(root_ / "old" / "cluster.json", cluster_file());
    write_private(root_ / "passphrase", std::string(kPassphrase) + "\n");
    for (v1::Record& record : records()) {
      record.mutable_header()->set_link(link_);
      payloads_.push_back(JournalSigner(cluster_, kSecret).sign(record.SerializeAsString()));
      link_ = as_view(blake2b_256(payloads_.back()));
    }
    w_.server.answer = [this](const HttpRequest& request) { return answer(request); };
    w_.keys[(root_ / "old" / "keys/admin.json").string()] = {"BKadmin", "secret"};
    w_.files[(root_ / "old" / "berth.endpoint").string()] = "http://127.0.0.1:7410\n";
  }

  std::string cluster_file() const {
    return json::serialize(json::object{
        {"cluster", to_string(cluster_)},
        {"secret", to_hex(kSecret)},
        {"format", 1},
        {"sealing_keys", json::array{json::object{{"number", 1}, {"key", std::string(64, 'a')}}}}});
  }

  static std::vector<v1::Record> records() {
    v1::Record election, defined;
    election.mutable_header()->set_epoch(1);
    election.mutable_header()->set_time_ns(1'767'225'600'000'000'000);
    auto& elected = *election.add_events()->mutable_controller_elected();
    elected.set_controller("c1");
    elected.set_nonce(std::string(16, 'n'));
    elected.set_rules(kRules);
    elected.mutable_claim()->set_rolling(std::string(32, '\0'));
    defined.mutable_header()->set_epoch(1);
    defined.mutable_header()->set_sequence(1);
    defined.mutable_header()->set_time_ns(1'767'225'601'000'000'000);
    defined.add_events()->mutable_domain_defined()->set_name("default");
    auto& user = *defined.add_events()->mutable_user_defined();
    user.set_name("admin");
    user.set_domain("default");
    user.set_role(v1::ROLE_SUPERADMIN);
    auto& started = *defined.add_events()->mutable_browser_session_started();
    started.set_id(std::string(16, 'b'));
    started.set_user("admin");
    started.set_secret_hash(std::string(32, 's'));
    return {election, defined};
  }

  projections::Projection folded(const std::vector<std::string>& payloads) const {
    projections::Projection projection(cluster_, projections::Projection::Tracking::kRows,
                                       JournalSigner(cluster_, kSecret));
    for (std::size_t i = 0; i < payloads.size(); ++i)
      projection.apply(LogEntry{{Stream::kJournal, 0}, i, payloads[i], payloads[i].empty()});
    return projection;
  }

  // A record of one event that continues the newest that counts; without `is_signed` nobody takes it.
  void add(const v1::Event& event, bool is_signed = true) {
    v1::Record record;
    record.mutable_header()->set_epoch(1);
    record.mutable_header()->set_sequence(sequence_ + 1);
    record.mutable_header()->set_link(link_);
    record.mutable_header()->set_time_ns(1'767'225'602'000'000'000);
    *record.add_events() = event;
    payloads_.push_back(is_signed ? JournalSigner(cluster_, kSecret).sign(record.SerializeAsString())
                                  : make_envelope(cluster_, record.SerializeAsString()));
    if (!is_signed) return;
    ++sequence_;
    link_ = as_view(blake2b_256(payloads_.back()));
  }
  // A key of heads, two records that nobody of the cluster signed, and then a signed head over all.
  void forge() {
    SealingRing ring;
    ring.add({1, std::string(kSealKeyBytes, '\xaa')});  // as cluster_file() has
    const HeadSigner signer(cluster_, ring);
    const auto key = signer.first(std::string(kHeadSeedBytes, 'a'));
    v1::Event event;
    *event.mutable_head_key_changed() = key;
    add(event);
    event.mutable_domain_defined()->set_name("forged");
    add(event, false);
    v1::Record election;
    election.mutable_header()->set_epoch(2);
    election.mutable_header()->set_time_ns(1'767'225'603'000'000'000);
    auto& elected = *election.add_events()->mutable_controller_elected();
    elected.set_controller("forger");
    elected.set_nonce(std::string(16, 'f'));
    elected.set_rules(kRules);
    elected.mutable_claim()->set_rolling(std::string(32, '\0'));
    payloads_.push_back(make_envelope(cluster_, election.SerializeAsString()));
    event.mutable_domain_defined()->set_name("right");
    add(event);
    auto state = folded(payloads_);
    auto& told = *event.mutable_chain_head_recorded();
    const auto& chain = state.chain();
    told.mutable_claim()->set_offset(chain.next());
    told.mutable_claim()->set_rolling(std::string(as_view(chain.rolling())));
    told.set_state_hash(std::string(as_view(state.state_hash())));
    told.set_applied(chain.last().applied);
    told.set_voids(chain.voids(0, chain.next()));
    signer.sign(key.public_key(), key.secret_key(), told);
    add(event);
  }

  Result<HttpReply> answer(const HttpRequest& request) {
    if (request.target == "/v1/cluster") {
      if (gone_) return make_error("unreachable", "nobody listens");
      return problem(403, "denied");
    }
    auto now = folded(payloads_);
    if (request.target == "/v1/cluster?newest=true")
      return json_reply(json::serialize(
          json::object{{"cluster_id", to_string(cluster_)},
                       {"position", payloads_.size() - 1},
                       {"rules", kRules},
                       {"log", "local:" + (root_ / "old" / "log").string()},
                       {"state_hash", state_hash_.empty() ? to_hex(as_view(now.state_hash())) : state_hash_},
                       {"rolling_hash", to_hex(as_view(now.chain().rolling()))}}));
    json::array records;
    for (std::size_t i = 0; i < payloads_.size(); ++i)
      records.push_back(json::object{
          {"offset", i},
          {"payload", payloads_[i].empty() ? json::value() : json::value(base64(payloads_[i]))}});
    return json_reply(json::serialize(json::object{
        {"cluster_id", to_string(cluster_)}, {"end", payloads_.size()}, {"records", std::move(records)}}));
  }

  std::string path(const char* name) const { return (root_ / name).string(); }
  Ran backup(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"--data", path("old"), "backup", path("backup")};
    words.insert(words.end(), more.begin(), more.end());
    return w_.run(words);
  }
  Ran restore(std::vector<std::string> more = {}, const char* from = "backup") {
    std::vector<std::string> words{"--data", path("new"), "restore", path(from)};
    words.insert(words.end(), more.begin(), more.end());
    return w_.run(words);
  }
  std::vector<std::string> with_file() const {
    return {"--cluster-file", (root_ / "old/cluster.json").string()};
  }

  testing::TempDir temp_;
  fs::path root_ = temp_.path();
  FakeWorld w_;
  Uuid cluster_ = *Uuid::parse("11111111-2222-8333-8444-555555555555");
  std::vector<std::string> payloads_;
  std::string link_, state_hash_;
  std::uint64_t sequence_ = 1;
  bool gone_ = true;
};

// Of a journal with two records that the cluster ignored: one beside it, and an election.
TEST_F(BackupTest, P34_EveryReaderTakesTheSameRecordsAsTheCluster) {
  forge();
  ASSERT_EQ(folded(payloads_).counters().voided, 2u);
  const auto is_right = [](const Ran& ran, const char* what, const std::string& told) {
    EXPECT_EQ(ran.exit, 0) << what << ": " << ran.err;
    EXPECT_NE((ran.out + ran.err).find(told), std::string::npos) << what << ": " << ran.out << ran.err;
  };
  const std::string ignored = "record at offset 3 continues the one before, and the cluster ignored it";
  is_right(w_.run({"--data", path("old"), "cluster", "verify"}), "cluster verify", ignored);
  is_right(w_.run({"--data", path("old"), "audit", "verify"}), "audit verify", ignored);
  is_right(backup({"--with-secrets", "--passphrase-file", path("passphrase")}), "backup", ignored);
  is_right(w_.run({"audit", "verify", "--log", path("backup")}), "audit verify of it", ignored);
  const Ran shown =
      w_.run({"log", "shell", path("backup"), "-c", "ls domains", "-c", "cd @3", "-c", "ls domains"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out, "default\nright\ndefault\n");
  const Ran exported = w_.run({"--data", path("old"), "journal", "export", "-q"});
  write_private(root_ / "journal.jsonl", exported.out);
  const std::string read =
      "python3 ops/read_journal.py " + path("journal.jsonl") + " > " + path("said") + " 2>&1";
  EXPECT_EQ(std::system(read.c_str()), 0) << text_of(root_ / "said");
  EXPECT_NE(text_of(root_ / "said").find("3  void: ignored"), std::string::npos) << text_of(root_ / "said");
  EXPECT_NE(text_of(root_ / "said").find("2 void"), std::string::npos) << text_of(root_ / "said");
  EXPECT_NE(text_of(root_ / "said").find("epoch 1, "), std::string::npos) << text_of(root_ / "said");
  is_right(restore({"--passphrase-file", path("passphrase")}), "restore", "restored cluster");
}

// A log of its own cannot be made to skip an offset: that is told when the backup is taken, not when it is
// needed.
TEST_F(BackupTest, P30_SaysThatItCannotBeRestoredWhereTheJournalHasAGap) {
  payloads_.emplace_back();
  const Ran taken = backup();
  EXPECT_EQ(taken.exit, 1);
  EXPECT_NE(taken.err.find("journal-has-gaps"), std::string::npos) << taken.err;
  EXPECT_NE(taken.err.find("offset 2"), std::string::npos) << taken.err;
  EXPECT_EQ(w_.run({"audit", "verify", "--log", path("backup")}).exit, 0) << "and it is whole";
  EXPECT_NE(restore(with_file()).err.find("journal-has-gaps"), std::string::npos);
}

TEST_F(BackupTest, IsRestoredWithTheSameRecordsAndStateAndEndsBrowserSessions) {
  ASSERT_EQ(backup({"--with-secrets", "--passphrase-file", path("passphrase")}).exit, 0);
  const Ran ran = restore({"--passphrase-file", path("passphrase"), "-o", "json"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  const json::value told = json::parse(ran.out);
  EXPECT_EQ(told.at("backup_state_hash").as_string(), to_hex(as_view(folded(payloads_).state_hash())));
  EXPECT_EQ(told.at("browser_sessions_ended"), 1);
  EXPECT_EQ(told.at("users").at(0).at("name"), "admin");
  EXPECT_EQ(text_of(root_ / "new/cluster.json"), cluster_file());

  auto log = open_log({.url = "local:" + path("new/log"), .layout = {}});
  ASSERT_TRUE(log) << to_string(log.error());
  auto reader = (*log)->open_reader({{{Stream::kJournal, 0}, 0}});
  std::vector<LogEntry> entries;
  while (entries.size() < payloads_.size() + 2) ASSERT_TRUE((*reader)->poll(kSecond, 10, 1 << 20, entries));
  std::vector<std::string> restored;
  for (const LogEntry& entry : entries) restored.push_back(entry.payload);
  EXPECT_TRUE(std::equal(payloads_.begin(), payloads_.end(), restored.begin()));
  auto state = folded(restored);
  EXPECT_EQ(state.counters().applied, 4u);
  EXPECT_EQ(state.state().browser_sessions.size(), 0u);
  EXPECT_GT(state.state().epoch().epoch, 1'000u);
}

TEST_F(BackupTest, IsBrowsedWithoutBeingRestored) {
  ASSERT_EQ(backup().exit, 0);
  const Ran ran = w_.run({"log", "shell", path("backup"), "-c", "ls users", "-c", "cd @0", "-c", "ls users"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "admin\n") << "and nobody after the first record";
}

TEST_F(BackupTest, TakesAClusterFileByHandWhereItHasNoSecrets) {
  const Ran taken = backup();
  ASSERT_EQ(taken.exit, 0) << taken.err;
  EXPECT_NE(taken.err.find("without secrets"), std::string::npos) << taken.err;
  const Ran ran = restore();
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("backup-without-secrets"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(root_ / "new"));
  EXPECT_EQ(restore(with_file()).exit, 0);
}

TEST_F(BackupTest, IsNotRestoredWhileTheOriginalAnswers) {
  ASSERT_EQ(backup().exit, 0);
  gone_ = false;
  const Ran ran = restore(with_file());
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("original-answers"), std::string::npos) << ran.err;
  EXPECT_EQ(header_of(w_.server.requests.back(), "Authorization").find("BERTH-HMAC-SHA256 key=cluster,"), 0u);
}

TEST_F(BackupTest, IsTakenIntoANewFolderAlone) {
  fs::create_directory(root_ / "backup");
  write_private(root_ / "backup" / "mine", "mine");
  const Ran ran = backup();
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("backup-target-not-empty"), std::string::npos) << ran.err;
  EXPECT_EQ(text_of(root_ / "backup" / "mine"), "mine");
}

TEST_F(BackupTest, OfWhatIsNotWhatTheServerHasBecomeIsNone) {
  state_hash_ = std::string(32, '0');
  const Ran ran = backup();
  EXPECT_EQ(ran.exit, 1);
  EXPECT_NE(ran.err.find("backup-differs"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(root_ / "backup")) << "nothing of it is left";
}

TEST_F(BackupTest, OverAFolderThatIsUsedNothingIsRestored) {
  ASSERT_EQ(backup().exit, 0);
  fs::create_directory(root_ / "new");
  write_private(root_ / "new" / "cluster.json", "another's");
  const Ran ran = restore(with_file());
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("restore-target-not-empty"), std::string::npos) << ran.err;
  EXPECT_EQ(text_of(root_ / "new" / "cluster.json"), "another's");
}

TEST_F(BackupTest, HalfABackupIsCalledHalf) {
  ASSERT_EQ(backup().exit, 0);
  const std::string piece = text_of(root_ / "backup/journal-00000000");
  const auto told = [&] { return restore(with_file()).err; };
  write_private(root_ / "backup/journal-00000000", piece.substr(0, piece.size() / 2));
  EXPECT_NE(told().find("backup-incomplete"), std::string::npos) << told();
  fs::remove(root_ / "backup/journal-00000000");
  EXPECT_NE(told().find("backup-incomplete"), std::string::npos) << told();
  fs::remove(root_ / "backup/manifest.json");
  EXPECT_NE(told().find("backup-incomplete"), std::string::npos) << told();
  EXPECT_FALSE(fs::exists(root_ / "new/cluster.json"));
}

TEST_F(BackupTest, AChangedBackupIsFound) {
  ASSERT_EQ(backup().exit, 0);
  std::string piece = text_of(root_ / "backup/journal-00000000");
  piece[piece.size() / 2] = static_cast<char>(piece[piece.size() / 2] ^ 1);
  write_private(root_ / "backup/journal-00000000", piece);
  EXPECT_NE(restore(with_file()).err.find("backup-damaged"), std::string::npos);
  json::value manifest = json::parse(text_of(root_ / "backup/manifest.json"));
  manifest.at("journal").at(0).at("blake2b") = to_hex(as_view(blake2b_256(piece)));
  write_private(root_ / "backup/manifest.json", json::serialize(manifest));
  const Ran ran = restore(with_file());
  EXPECT_NE(ran.err.find("backup-differs"), std::string::npos)
      << "a record that nobody signed is void: " << ran.err;
}

// Of each field: without secrets it has to be there, and with them to be what was sealed.
TEST_F(BackupTest, AChangedManifestIsFound) {
  ASSERT_EQ(backup({"--with-secrets", "--passphrase-file", path("passphrase")}).exit, 0);
  const json::value whole = json::parse(text_of(root_ / "backup/manifest.json"));
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, json::value>>{
           {"endpoint", "http://127.0.0.1:9"}, {"log", "local:/elsewhere"}, {"taken_ns", 1}}) {
    json::value changed = whole;
    changed.at(name) = value;
    write_private(root_ / "backup/manifest.json", json::serialize(changed));
    EXPECT_NE(restore({"--passphrase-file", path("passphrase")}).err.find("passphrase-wrong"),
              std::string::npos)
        << name;
    changed.at(name) = nullptr;
    write_private(root_ / "backup/manifest.json", json::serialize(changed));
    EXPECT_NE(restore(with_file()).err.find("backup-damaged"), std::string::npos) << name;
  }
}

TEST_F(BackupTest, MakesNoFolderAboveItsOwn) {
  const Ran ran = w_.run({"--data", path("old"), "backup", path("unmounted") + "/backup"});
  EXPECT_NE(ran.err.find("is the disk mounted?"), std::string::npos) << ran.err;
  EXPECT_FALSE(fs::exists(path("unmounted")));
}

TEST_F(BackupTest, OfAnotherClusterOrByAnotherSecretIsRefused) {
  ASSERT_EQ(backup().exit, 0);
  std::string other = cluster_file();
  other.replace(other.find("11111111"), 8, "99999999");
  write_private(root_ / "other.json", other);
  EXPECT_NE(restore({"--cluster-file", path("other.json")}).err.find("cluster-file-of-another-cluster"),
            std::string::npos);
  std::string stranger = cluster_file();
  stranger.replace(stranger.find(to_hex(kSecret)), 64, std::string(64, 'e'));
  write_private(root_ / "other.json", stranger);
  EXPECT_NE(restore({"--cluster-file", path("other.json")}).err.find("cluster-secret-wrong"),
            std::string::npos);
}

TEST_F(BackupTest, AsAStreamItIsATarOfTheFolder) {
  const Ran taken = w_.run({"--data", path("old"), "backup", "-"});
  ASSERT_EQ(taken.exit, 0) << taken.err;
  write_private(root_ / "stream.tar", taken.out);
  const Ran ran = restore(with_file(), "stream.tar");
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_FALSE(fs::exists(path("new") + ".restoring")) << "what was unpacked is gone";
  fs::remove_all(root_ / "new");
  EXPECT_NE(w_.run({"--data", path("new"), "restore", "/dev/zero"}).err.find("behind its end"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(path("new") + ".restoring"));
  write_private(root_ / "half.tar", taken.out.substr(0, taken.out.size() / 2));
  fs::remove_all(root_ / "new");
  EXPECT_NE(restore(with_file(), "half.tar").err.find("backup-"), std::string::npos);
  w_.terminal = true;
  EXPECT_EQ(w_.run({"--data", path("old"), "backup", "-"}).exit, 2) << "a terminal shows no tar";
}

TEST_F(BackupTest, AShortPassphraseIsNotTaken) {
  write_private(root_ / "passphrase", "short\n");
  const Ran ran = backup({"--with-secrets", "--passphrase-file", path("passphrase")});
  EXPECT_EQ(ran.exit, 2);
  EXPECT_NE(ran.err.find("passphrase-short"), std::string::npos) << ran.err;
}

TEST(SecretsBox, OpensByItsPassphraseForItsBackupAlone) {
  const auto box = seal_secrets("the secrets", kPassphrase, "backup 1");
  ASSERT_TRUE(box);
  EXPECT_EQ(box->find("the secrets"), std::string::npos);
  EXPECT_EQ(*open_secrets(*box, kPassphrase, "backup 1"), "the secrets");
  EXPECT_EQ(open_secrets(*box, "another passphrase", "backup 1").error().code, "passphrase-wrong");
  EXPECT_EQ(open_secrets(*box, kPassphrase, "backup 2").error().code, "passphrase-wrong");
  EXPECT_EQ(open_secrets(box->substr(0, 40), kPassphrase, "backup 1").error().code, "backup-damaged");
  std::string costly = *box;
  costly[26] = '\x7f';  // of the bytes of memory
  EXPECT_EQ(open_secrets(costly, kPassphrase, "backup 1").error().code, "backup-damaged");
}

TEST(BackupFormat, APieceThatDoesNotHoldWhatItSaysIsDamaged) {
  std::string piece;
  const std::string payload = "a record";
  append_frame(piece, &payload);
  append_frame(piece, nullptr);
  JournalPiece about{5, 2, piece.size(), to_hex(as_view(blake2b_256(piece)))};
  std::vector<LogEntry> seen;
  const auto take = [&](LogEntry entry) -> Result<void> {
    seen.push_back(std::move(entry));
    return {};
  };
  ASSERT_TRUE(read_frames(piece, about, take));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].payload, payload);
  EXPECT_EQ(seen[1].offset, 6u);
  EXPECT_TRUE(seen[1].gap);
  about.records = 3;
  EXPECT_EQ(read_frames(piece, about, take).error().code, "backup-damaged");
  about.records = 1;
  EXPECT_EQ(read_frames(piece, about, take).error().code, "backup-damaged");
}

}  // namespace
}  // namespace berth::cli
