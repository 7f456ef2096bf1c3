#include "agents/egress/allow_list.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

AllowList by_hand(std::initializer_list<const char*> entries) {
  AllowList list;
  for (const char* entry : entries) EXPECT_TRUE(list.add_by_hand(entry).ok()) << entry;
  return list;
}

TEST(AllowList, ANameIsAllowedOnItsPortAlone) {
  const AllowList list = by_hand({"Index.TEST.:443"});
  EXPECT_NE(list.find("index.test", 443), nullptr);
  EXPECT_EQ(list.find("index.test", 80), nullptr);
  EXPECT_EQ(list.find("test", 443), nullptr);
  EXPECT_EQ(list.find("a.index.test", 443), nullptr);
  EXPECT_EQ(list.find("xindex.test", 443), nullptr);
  EXPECT_EQ(AllowList().find("index.test", 443), nullptr) << "an empty list allows nothing";
}

TEST(AllowList, AStarStandsForEveryNameBelow) {
  const AllowList list = by_hand({"*.example.org:443"});
  EXPECT_NE(list.find("a.example.org", 443), nullptr);
  EXPECT_NE(list.find("a.b.example.org", 443), nullptr);
  for (const char* other : {"example.org", "xexample.org", ".example.org", "example.org.evil.test"})
    EXPECT_EQ(list.find(other, 443), nullptr) << other;
}

TEST(AllowList, OnlyAHostThatAPersonNamesMayHaveAPrivateAddress) {
  AllowList list = by_hand({"*.a.test:443", "mirror.a.test:443"});
  EXPECT_TRUE(list.add("files.example.net", 443));
  EXPECT_TRUE(list.find("mirror.a.test", 443)->private_);
  EXPECT_FALSE(list.find("b.a.test", 443)->private_);
  EXPECT_FALSE(list.find("files.example.net", 443)->private_);
}

TEST(AllowList, WhatIsNoEntryIsRefusedWithItsText) {
  for (const char* entry :
       {"",       ":",     "a",          "a:",        "a:0",      "a:65536", "a:+1",        "a:01",
        "a:1 ",   " a:1",  "*:443",      "**.a:1",    "a*.b:1",   "*.:1",    "-a:1",        ".a:1",
        "a..b:1", "a/b:1", "http://a:1", "[::1]:443", "user@a:1", "a\n:1",   "\xc3\xa4:443"}) {
    AllowList list;
    const auto added = list.add_by_hand(entry);
    ASSERT_FALSE(added.ok()) << entry;
    EXPECT_EQ(added.error().code, "egress-entry-wrong");
    EXPECT_TRUE(list.entries().empty());
  }
}

TEST(AllowList, ItIsBounded) {
  AllowList list;
  for (std::size_t i = 0; i < kAllowedMax; ++i) EXPECT_TRUE(list.add("h" + std::to_string(i), 443));
  EXPECT_TRUE(list.add("h0", 443)) << "it is there already";
  EXPECT_FALSE(list.add("more", 443));
  EXPECT_FALSE(list.add_by_hand("more:443").ok());
  EXPECT_FALSE(list.add(std::string(300, 'a'), 443));
}

TEST(AllowList, ItsTextNamesAll) {
  EXPECT_EQ(AllowList().text(), "nothing");
  EXPECT_EQ(by_hand({"a.test:443", "*.b.test:80"}).text(), "a.test:443, *.b.test:80");
}

}  // namespace
}  // namespace berth::agents
