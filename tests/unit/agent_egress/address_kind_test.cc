#include "agents/egress/address_kind.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

AddressKind kind(const char* text) { return kind_of(boost::asio::ip::make_address(text)); }

TEST(AddressKind, AddressesOfTheInternetArePublic) {
  for (const char* text :
       {"1.1.1.1",          "9.255.255.255",    "11.0.0.0",        "100.63.255.255", "100.128.0.0",
        "126.255.255.255",  "128.0.0.0",        "169.253.255.255", "169.255.0.0",    "172.15.255.255",
        "172.32.0.0",       "192.167.255.255",  "192.169.0.0",     "198.17.255.255", "198.20.0.0",
        "223.255.255.255",  "2606:4700::1",     "2a00::1",         "2001:200::1",    "::ffff:1.1.1.1",
        "64:ff9b::1.1.1.1", "2002:0101:0101::1"})
    EXPECT_EQ(kind(text), AddressKind::kPublic) << text;
}

TEST(AddressKind, NetworksOfTheOperatorsOwnArePrivate) {
  for (const char* text :
       {"10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1",
        "100.127.255.255", "198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "fc00::1", "fdff::1",
        "::ffff:10.0.0.1", "::ffff:192.168.1.1", "64:ff9b::10.0.0.1", "2002:0a00:0001::1"})
    EXPECT_EQ(kind(text), AddressKind::kPrivate) << text;
}

TEST(AddressKind, ToOthersNobodyIsLed) {
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "127.0.0.1",
                           "127.255.255.255",
                           "169.254.169.254",
                           "192.0.0.1",
                           "224.0.0.1",
                           "239.255.255.255",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::127.0.0.1",
                           "::ffff:127.0.0.1",
                           "::ffff:169.254.169.254",
                           "::ffff:0.0.0.0",
                           "64:ff9b::127.0.0.1",
                           "64:ff9b:1::1",
                           "2002:7f00:0001::1",
                           "fe80::1",
                           "febf::1",
                           "fec0::1",
                           "ff02::1",
                           "2001:db8::1",
                           "2001::1",
                           "2001:10::1",
                           "3fff::1",
                           "100::1",
                           "4000::1"})
    EXPECT_EQ(kind(text), AddressKind::kNever) << text;
}

}  // namespace
}  // namespace berth::agents
