// How a Kafka is reached (SASL, TLS, rights), and what its topics must be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/kafka_log.h"
#include "events/log/kafka/topic_settings.h"
#include "tests/contract/event_log_kafka/administer.h"
#include "tests/contract/event_log_kafka/broker.h"

namespace berth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Partition kJournalOfAccess{Stream::kJournal, 0};

// A file of properties, gone with the test.
class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text, mode_t mode = 0600)
      : path_((std::filesystem::temp_directory_path() / ("berth-kafka-config-" + std::to_string(::getpid())))
                  .string()) {
    std::ofstream(path_) << text;
    ::chmod(path_.c_str(), mode);
  }
  ~ConfigFile() { std::filesystem::remove(path_); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// ---- the file ----

TEST(BrokerAccess, TakesSaslAndTlsAndPassesOverCommentsAndBlanks) {
  const auto read =
      kafka::parse_properties("# of ours\n\n security.protocol = sasl_ssl \r\nsasl.password=a=b #c", "f");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  EXPECT_EQ(*read, (kafka::Properties{{"security.protocol", "sasl_ssl"}, {"sasl.password", "a=b #c"}}));
}

TEST(BrokerAccess, RefusesWhatBerthsPromisesRestOnAndNamesTheLine) {
  for (const char* name :
       {"acks", "isolation.level", "enable.idempotence", "plugin.library.paths", "bootstrap.servers"}) {
    const auto read =
        kafka::parse_properties("security.protocol=ssl\n" + std::string(name) + "=1\n", "k.conf");
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_EQ(read.error().code, "kafka-config-invalid");
    EXPECT_THAT(read.error().message, AllOf(HasSubstr("k.conf:2:"), HasSubstr(name)));
  }
}

TEST(BrokerAccess, NeverRepeatsALineThatMayBeASecret) {
  const auto read = kafka::parse_properties("hunter2", "k.conf");
  EXPECT_EQ(read.error().code, "kafka-config-invalid");
  EXPECT_THAT(to_string(read.error()), Not(HasSubstr("hunter2")));
  EXPECT_THAT(to_string(kafka::producer_settings({"h:1", {{"ssl.hunter1", "hunter2"}}}, 0).error()),
              AllOf(HasSubstr("ssl.hunter1"), Not(HasSubstr("hunter2"))));
}

TEST(BrokerAccess, AFileThatOthersMayReadIsRefused) {
  EXPECT_EQ(kafka::read_broker_access("h:1", ConfigFile("", 0640).path()).error().code, "kafka-config-open");
  EXPECT_TRUE(kafka::read_broker_access("h:1", ConfigFile("").path()).ok());
  EXPECT_EQ(kafka::read_broker_access("h:1", "/nowhere/kafka.conf").error().code, "kafka-config-missing");
}

TEST(BrokerAccess, ACredentialOfSystemdsIsTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "it is root's";
  const std::string folder =
      std::filesystem::temp_directory_path() / ("berth-creds-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = folder + "/kafka.properties", key = folder + "/kafka.key";
  std::ofstream(key) << "key";
  std::ofstream(file) << "ssl.key.location=" << key << "\n";
  for (const std::string& path : {file, key}) ::chmod(path.c_str(), 0440);
  ::chmod(folder.c_str(), 0550);
  const auto outside = kafka::read_broker_access("h:1", file);
  setenv("CREDENTIALS_DIRECTORY", folder.c_str(), 1);
  const auto inside = kafka::read_broker_access("h:1", file);
  unsetenv("CREDENTIALS_DIRECTORY");
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(inside.ok()) << to_string(inside.error());
  EXPECT_EQ(outside.error().code, "kafka-config-open");
}

TEST(BrokerAccess, APrivateKeyThatOthersMayReadIsRefused) {
  const std::string key =
      (std::filesystem::temp_directory_path() / ("berth-key-" + std::to_string(::getpid()))).string();
  std::ofstream(key) << "key";
  ::chmod(key.c_str(), 0644);
  const ConfigFile file("ssl.key.location=" + key + "\n");
  const auto read = kafka::read_broker_access("h:1", file.path());
  std::filesystem::remove(key);
  EXPECT_EQ(read.error().code, "kafka-config-open");
  EXPECT_THAT(read.error().message, HasSubstr(key));
}

// ---- the topics ----

TEST(TopicSettings, AtLeastMeansThatWithoutEndIsMore) {
  using enum kafka::TopicSetting::Check;
  EXPECT_TRUE(kafka::will_do({"retention.ms", "3600000", kAtLeast}, "-1"));
  EXPECT_TRUE(kafka::will_do({"retention.ms", "3600000", kAtLeast}, "3600000"));
  EXPECT_FALSE(kafka::will_do({"retention.ms", "3600000", kAtLeast}, "3599999"));
  EXPECT_FALSE(kafka::will_do({"retention.ms", "-1", kAtLeast}, "604800000"));
  EXPECT_FALSE(kafka::will_do({"cleanup.policy", "delete"}, "compact,delete"));
}

TEST(TopicSettings, OneReplicaIsMadeOnlyWhereItIsAllowedAndThereIsNoMore) {
  const auto made = [](int brokers, bool allow) {
    const kafka::Replicas replicas = kafka::replicas_to_make(brokers, allow);
    return std::pair(replicas.count, replicas.in_sync);
  };
  EXPECT_EQ(made(1, false), std::pair(3, 2));
  EXPECT_EQ(made(1, true), std::pair(1, 1));
  EXPECT_EQ(made(2, true), std::pair(2, 2));
  EXPECT_EQ(made(5, true), std::pair(3, 2));
}

class Topics : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string& reason = KafkaBroker::shared().missing(); !reason.empty()) GTEST_SKIP() << reason;
    options_.brokers = KafkaBroker::shared().address();
    options_.layout = {.cluster = fresh_cluster(), .cell = "c0", .requests = 1, .reports = 1, .orders = 1};
  }
  // As an administrator would, by hand.
  void make_topic(Stream stream, const char* setting, const char* value) {
    administer(options_.brokers, [&](rd_kafka_t* handle, rd_kafka_queue_t* queue) {
      char why[256];
      const kafka::Owned<rd_kafka_NewTopic_t> topic(
          rd_kafka_NewTopic_new(options_.layout.stream_name(stream).c_str(), 1, 1, why, sizeof why));
      rd_kafka_NewTopic_set_config(topic.get(), "message.timestamp.type", "LogAppendTime");
      rd_kafka_NewTopic_set_config(topic.get(), setting, value);
      rd_kafka_NewTopic_t* topics[] = {topic.get()};
      rd_kafka_CreateTopics(handle, topics, 1, nullptr, queue);
    });
  }

  KafkaLogOptions options_;
};

TEST_F(Topics, ABrokerAloneIsRefusedUnlessOneReplicaIsAllowed) {
  const auto refused = open_kafka_log(options_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "log-brokers-missing");
  EXPECT_THAT(to_string(refused.error()), AllOf(HasSubstr("replicas=3"), HasSubstr("--allow-one-replica")));
  options_.allow_one_replica = true;
  EXPECT_TRUE(open_kafka_log(options_).ok());
}

TEST_F(Topics, OneReplicaIsRefusedWhereItIsNotAllowed) {
  options_.allow_one_replica = true;
  ASSERT_TRUE(open_kafka_log(options_).ok());
  options_.allow_one_replica = false;
  const auto refused = open_kafka_log(options_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, "log-settings-unsafe");
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr(options_.layout.stream_name(Stream::kJournal)),
                                             HasSubstr("replicas=1"), HasSubstr("expected at least 2")));
}

TEST_F(Topics, ATopicThatOneBrokerAcknowledgesForIsRefused) {
  options_.allow_one_replica = true;
  ASSERT_TRUE(open_kafka_log(options_).ok());
  const auto handle = administrator(options_.brokers);
  const auto checked =
      kafka::check_topic_settings(handle.get(), options_.layout, {Stream::kRequests}, {1, 2}, 20'000);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("min.insync.replicas=1, expected at least 2"));
}

TEST_F(Topics, EachSettingThatCouldLoseRecordsIsRefusedAndNamed) {
  options_.allow_one_replica = true;
  for (const auto& [stream, setting, value, expected] :
       {std::tuple{Stream::kRequests, "retention.ms", "86400000", "at least 604800000"},
        std::tuple{Stream::kReports, "max.message.bytes", "1000000", "at least 2097152"},
        std::tuple{Stream::kOrders, "cleanup.policy", "compact", "delete"},
        std::tuple{Stream::kReports, "message.timestamp.type", "CreateTime", "LogAppendTime"},
        std::tuple{Stream::kJournal, "retention.bytes", "1000000", "-1"},
        std::tuple{Stream::kJournal, "unclean.leader.election.enable", "true", "false"}}) {
    options_.layout.cluster = fresh_cluster();
    make_topic(stream, setting, value);
    const auto refused = open_kafka_log(options_);
    ASSERT_FALSE(refused.ok()) << setting;
    EXPECT_EQ(refused.error().code, "log-settings-unsafe");
    // A journal made by hand has the broker's retention besides; the settings are compared in the broker's
    // order.
    if (stream == Stream::kJournal) continue;
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr(options_.layout.stream_name(stream)),
                      HasSubstr(std::string(setting) + "=" + value + ", expected " + expected)));
  }
}

TEST_F(Topics, ATopicThatIsChangedWhileTheLogIsOpenIsFoundByAnotherLook) {
  options_.allow_one_replica = true;
  const auto log = open_kafka_log(options_);
  ASSERT_TRUE(log.ok());
  EXPECT_TRUE(check_kafka_log(options_));
  administer(options_.brokers, [&](rd_kafka_t* handle, rd_kafka_queue_t* queue) {
    const kafka::Owned<rd_kafka_ConfigResource_t> topic(rd_kafka_ConfigResource_new(
        RD_KAFKA_RESOURCE_TOPIC, options_.layout.stream_name(Stream::kRequests).c_str()));
    rd_kafka_ConfigResource_set_config(topic.get(), "message.timestamp.type", "LogAppendTime");
    rd_kafka_ConfigResource_set_config(topic.get(), "retention.ms", "3600000");
    rd_kafka_ConfigResource_t* changed[] = {topic.get()};
    rd_kafka_AlterConfigs(handle, changed, 1, nullptr, queue);
  });
  auto unsafe = check_kafka_log(options_);  // the broker may tell the settings of before for a moment
  for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       unsafe.ok() && std::chrono::steady_clock::now() < until; unsafe = check_kafka_log(options_)) {}
  ASSERT_FALSE(unsafe.ok());
  EXPECT_EQ(unsafe.error().code, "log-settings-unsafe");
  EXPECT_THAT(unsafe.error().message, AllOf(HasSubstr(options_.layout.stream_name(Stream::kRequests)),
                                            HasSubstr("retention.ms=3600000, expected at least 604800000")));
}

TEST_F(Topics, AnAgentMakesNoneAndWaitsForThoseThatItUses) {
  options_.makes_streams = false;
  options_.open_timeout = 500 * kMillisecond;
  const auto early = open_kafka_log(options_);
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().code, "log-unavailable");
  EXPECT_THAT(early.error().message, HasSubstr(options_.layout.stream_name(Stream::kOrders)));
  KafkaLogOptions controller = options_;
  controller.makes_streams = controller.allow_one_replica = true;
  controller.open_timeout = 15 * kSecond;
  ASSERT_TRUE(open_kafka_log(controller).ok());
  options_.open_timeout = 15 * kSecond;
  EXPECT_TRUE(open_kafka_log(options_).ok()) << "what a controller has checked is no matter of an agent's";
}

// ---- log-in, encryption, rights ----

class GuardedKafka : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string& reason = KafkaBroker::guarded().missing(); !reason.empty()) GTEST_SKIP() << reason;
    options_.allow_one_replica = true;
    options_.layout = {.cluster = fresh_cluster(), .cell = "c0", .requests = 1, .reports = 1, .orders = 1};
  }
  static std::string sasl(const std::string& user, const std::string& password) {
    return "security.protocol=sasl_plaintext\n" + log_in(user, password);
  }
  static std::string log_in(const std::string& user, const std::string& password) {
    return "sasl.mechanism=PLAIN\nsasl.username=" + user + "\nsasl.password=" + password + "\n";
  }
  static std::string tls() {
    return "security.protocol=sasl_ssl\nssl.ca.location=" + KafkaBroker::guarded().dir() + "/ca.pem\n";
  }
  Result<std::unique_ptr<EventLog>> open(const std::string& address, const std::string& properties) {
    const ConfigFile file(properties);
    options_.brokers = address;
    options_.config_file = file.path();
    return open_kafka_log(options_);
  }
  static AppendResult append(EventLog& log, Partition partition) {
    std::promise<AppendResult> done;
    log.append(partition, "", "there", [&](const AppendResult& result) { done.set_value(result); });
    return done.get_future().get();
  }
  static void expect_written_and_read(EventLog& log) {
    EXPECT_EQ(append(log, kJournalOfAccess).state, AppendState::kDurable);
    const std::unique_ptr<LogReader> reader = std::move(*log.open_reader({{kJournalOfAccess, 0}}));
    std::vector<LogEntry> entries;
    for (int i = 0; i < 30 && entries.empty(); ++i) (void)reader->poll(kSecond, 1, 1000, entries);
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].payload, "there");
  }
  // One right of the user "agent", given by the administrator on the plain listener.
  void allow(Stream stream, rd_kafka_AclOperation_t operation) {
    administer(KafkaBroker::guarded().address(), [&](rd_kafka_t* handle, rd_kafka_queue_t* queue) {
      char why[256];
      rd_kafka_AclBinding_t* acl =
          rd_kafka_AclBinding_new(RD_KAFKA_RESOURCE_TOPIC, options_.layout.stream_name(stream).c_str(),
                                  RD_KAFKA_RESOURCE_PATTERN_LITERAL, "User:agent", "*", operation,
                                  RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, why, sizeof why);
      rd_kafka_CreateAcls(handle, &acl, 1, nullptr, queue);
      rd_kafka_AclBinding_destroy(acl);
    });
  }

  KafkaLogOptions options_;
};

TEST_F(GuardedKafka, IsWrittenAndReadWithAPassword) {
  const auto log = open(KafkaBroker::guarded().sasl_address(), sasl("admin", "admin-secret"));
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  expect_written_and_read(**log);
}

TEST_F(GuardedKafka, AWrongPasswordIsSaidAndNotRepeated) {
  options_.open_timeout = 3 * kSecond;
  const auto log = open(KafkaBroker::guarded().sasl_address(), sasl("admin", "hunter2"));
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-access-refused") << to_string(log.error());
  EXPECT_THAT(to_string(log.error()), Not(HasSubstr("hunter2")));
}

TEST_F(GuardedKafka, IsWrittenAndReadOverTls) {
  const auto log = open(KafkaBroker::guarded().tls_address(), tls() + log_in("admin", "admin-secret"));
  ASSERT_TRUE(log.ok()) << to_string(log.error());
  expect_written_and_read(**log);
}

TEST_F(GuardedKafka, ACertificateOfAnUnknownAuthorityIsRefused) {
  options_.open_timeout = 3 * kSecond;
  const auto log = open(KafkaBroker::guarded().tls_address(),
                        "security.protocol=sasl_ssl\n" + log_in("admin", "admin-secret"));
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-access-refused") << to_string(log.error());
}

TEST_F(GuardedKafka, AUserWithoutRightsToTheTopicsIsRefused) {
  options_.open_timeout = 5 * kSecond;
  const auto log = open(KafkaBroker::guarded().sasl_address(), sasl("agent", "agent-secret"));
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-access-refused") << to_string(log.error());
}

// As ops/kafka/README.md says.
TEST_F(GuardedKafka, AnAgentNeedsRightsToItsOwnStreamsAlone) {
  ASSERT_TRUE(open(KafkaBroker::guarded().sasl_address(), sasl("admin", "admin-secret")).ok());
  for (const Stream stream : {Stream::kOrders, Stream::kHealth}) allow(stream, RD_KAFKA_ACL_OPERATION_READ);
  for (const Stream stream : {Stream::kReports, Stream::kHealth}) allow(stream, RD_KAFKA_ACL_OPERATION_WRITE);
  options_.makes_streams = options_.allow_one_replica = false;
  const auto agent = open(KafkaBroker::guarded().sasl_address(), sasl("agent", "agent-secret"));
  ASSERT_TRUE(agent.ok()) << to_string(agent.error());
  EXPECT_EQ(append(**agent, {Stream::kReports, 0}).state, AppendState::kDurable);
  EXPECT_EQ((*agent)->extent({Stream::kOrders, 0})->end, 0u);
  const std::unique_ptr<LogReader> orders = std::move(*(*agent)->open_reader({{{Stream::kOrders, 0}, 0}}));
  std::vector<LogEntry> entries;
  EXPECT_TRUE(orders->poll(kSecond, 1, 1000, entries).ok());
  EXPECT_NE(append(**agent, kJournalOfAccess).state, AppendState::kDurable);
}

// As a web frontend has them: it may append to `requests`, and what is of a transaction does not get there.
TEST_F(GuardedKafka, AProducerWithoutTheRightToATransactionalIdBeginsNoTransaction) {
  ASSERT_TRUE(open(KafkaBroker::guarded().sasl_address(), sasl("admin", "admin-secret")).ok());
  allow(Stream::kRequests, RD_KAFKA_ACL_OPERATION_WRITE);
  const ConfigFile file(sasl("agent", "agent-secret"));
  const auto access = kafka::read_broker_access(KafkaBroker::guarded().sasl_address(), file.path());
  ASSERT_TRUE(access.ok()) << to_string(access.error());
  auto settings = kafka::producer_settings(*access, 10 * kSecond);
  ASSERT_TRUE(settings.ok()) << to_string(settings.error());
  char why[256];
  ASSERT_EQ(rd_kafka_conf_set(settings->get(), "transactional.id", "frontend", why, sizeof why),
            RD_KAFKA_CONF_OK)
      << why;
  const auto handle = kafka::make_handle(RD_KAFKA_PRODUCER, std::move(*settings));
  ASSERT_TRUE(handle.ok()) << to_string(handle.error());
  rd_kafka_error_t* const refused = rd_kafka_init_transactions(handle->get(), 20'000);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(rd_kafka_error_code(refused), RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
      << rd_kafka_error_string(refused);
  rd_kafka_error_destroy(refused);
}

}  // namespace
}  // namespace berth
