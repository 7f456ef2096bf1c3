#include "events/codec/words/enum_words.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>

#include "events/schema/v1/record.pb.h"
#include "events/schema/v1/report.pb.h"
#include "events/schema/v1/request.pb.h"

namespace berth {
namespace {

using Words = std::vector<std::string>;

TEST(EnumWords, AreNamesWithoutThePrefixInSmallLetters) {
  EXPECT_EQ(words_of<v1::Role>(), (Words{"", "superadmin", "domain-admin", "user", "monitor"}));
  EXPECT_EQ(words_of<v1::ScopeKind>(),
            (Words{"", "domain", "project", "user", "keypair", "resource-group", "cluster"}));
  EXPECT_EQ(words_of<v1::DefinitionKind>(),
            (Words{"", "group", "image", "preset", "agent", "domain", "project", "user", "key", "producer"}));
  EXPECT_EQ(words_of<v1::WayKind>(), (Words{"", "exec", "shell", "copy", "app"}));
  EXPECT_EQ(words_of<v1::SecretKind>(), (Words{"", "key", "password", "environment", "head"}));
}

// The names of all others are what JSON has said since before there were words.
TEST(EnumWords, AreOfTheseEnumsAlone) {
  std::set<std::string> with_words;
  for (const auto* file : {v1::Event::descriptor()->file(), v1::SecretResealed::descriptor()->file(),
                           v1::Owner::descriptor()->file(), v1::Request::descriptor()->file(),
                           v1::FolderFact::descriptor()->file(), v1::Record::descriptor()->file(),
                           v1::Report::descriptor()->file()})
    for (int i = 0; i < file->enum_type_count(); ++i)
      if (!words_of(*file->enum_type(i)).empty()) with_words.insert(file->enum_type(i)->name());
  EXPECT_EQ(with_words,
            (std::set<std::string>{"DefinitionKind", "Role", "ScopeKind", "SecretKind", "WayKind"}));
}

TEST(EnumWords, AWordIsReadAsWritten) {
  for (const v1::Role role : {v1::ROLE_SUPERADMIN, v1::ROLE_DOMAIN_ADMIN, v1::ROLE_USER, v1::ROLE_MONITOR})
    EXPECT_EQ(from_word<v1::Role>(word(role)), role);
  for (const char* text : {"", "USER", "user ", "king", "ROLE_USER"})
    EXPECT_FALSE(from_word<v1::Role>(text)) << text;
}

TEST(EnumWords, ANumberThatTheSchemaDoesNotNameHasNoWord) {
  for (const int number : {0, -1, 5, 99}) EXPECT_FALSE(has_word(static_cast<v1::Role>(number))) << number;
  EXPECT_EQ(word(v1::ROLE_UNSPECIFIED), "");
  EXPECT_EQ(word(static_cast<v1::Role>(99)), "99");
  EXPECT_EQ(word(static_cast<v1::Role>(-1)), "-1");
}

}  // namespace
}  // namespace berth
