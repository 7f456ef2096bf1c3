// Definitions that people make: slot types, resource groups, domains, projects, users, key pairs, images,
// limits, presets, producers.
//
// Each row is the defining event itself in canonical form; that of an image has its build beside it. A second
// definition replaces the row whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"
#include "events/codec/words/enum_words.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

// A row whose content is one message M; key(M) names it.
template <class M, std::uint8_t TableNumber> struct DefinitionRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = TableNumber;

  M def;

  Key key() const { return key_of(def); }
  template <class V> void fields(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes;
      v(1, bytes);
      if (!def.ParseFromString(bytes)) v.fail();
    } else {
      v(1, canonical_bytes(def));
    }
  }

 private:
  static Key key_of(const v1::SlotTypeRegistered& d) { return d.name(); }
  static Key key_of(const v1::ResourceGroupDefined& d) { return d.name(); }
  static Key key_of(const v1::DomainDefined& d) { return d.name(); }
  static Key key_of(const v1::ProjectDefined& d) { return d.domain() + "/" + d.name(); }
  static Key key_of(const v1::UserDefined& d) { return d.name(); }
  static Key key_of(const v1::KeyPairDefined& d) { return d.id(); }
  static Key key_of(const v1::LimitSet& d) { return word(d.scope()) + "/" + d.id(); }
  static Key key_of(const v1::PresetDefined& d) { return d.name(); }
  static Key key_of(const v1::PasswordSet& d) { return d.user(); }
  static Key key_of(const v1::LoginLinkIssued& d) { return d.user(); }
  static Key key_of(const v1::ProducerDefined& d) { return d.name(); }
};

using SlotTypeRow = DefinitionRow<v1::SlotTypeRegistered, 6>;
using GroupRow = DefinitionRow<v1::ResourceGroupDefined, 7>;
using DomainRow = DefinitionRow<v1::DomainDefined, 8>;
using ProjectRow = DefinitionRow<v1::ProjectDefined, 9>;
using UserRow = DefinitionRow<v1::UserDefined, 10>;
using KeyPairRow = DefinitionRow<v1::KeyPairDefined, 11>;
using LimitRow = DefinitionRow<v1::LimitSet, 16>;  // 12: images; 13 to 15: epoch, inputs, quarantine
using PresetRow = DefinitionRow<v1::PresetDefined, 17>;
using ProducerRow = DefinitionRow<v1::ProducerDefined, 40>;  // but for a token that was spent

// An image, and how far its next build is. The registration ends the building.
struct ImageRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 12;

  v1::ImageRegistered def;                     // of one that was never registered: the reference alone
  std::optional<v1::ImageBuildChanged> build;  // nothing: it is not being built
  Timestamp build_moved_at = 0;                // when the build last said something new

  Key key() const { return def.reference(); }
  // Whether sessions can start with it: it has been registered.
  bool is_usable() const { return !build || !def.source().empty(); }
  template <class V> void fields(V& v) {
    if constexpr (requires { v.fail(); }) {  // decoding
      std::string bytes, build_bytes;
      v(1, bytes);
      v(2, build_bytes);
      if (!def.ParseFromString(bytes) ||
          (!build_bytes.empty() && !build.emplace().ParseFromString(build_bytes)))
        v.fail();
    } else {
      v(1, canonical_bytes(def));
      if (build) v(2, canonical_bytes(*build));
    }
    v(3, build_moved_at);
  }
};

// A name that was removed and is never given again: who owned it next would inherit what was meant for the
// first.
struct RetiredRow {
  using Key = std::string;  // "group/NAME"
  static constexpr std::uint8_t kTable = 24;

  std::string what;

  static Key make_key(v1::DefinitionKind kind, std::string_view name) {
    return word(kind) + "/" + std::string(name);
  }
  Key key() const { return what; }
  template <class V> void fields(V& v) { v(1, what); }
};

// The agent whose turn it is in a group that selects round-robin. It is in the log, so a new leader goes on
// with it.
struct TurnRow {
  using Key = std::string;
  static constexpr std::uint8_t kTable = 18;

  std::string group;
  std::uint64_t turn = 0;

  Key key() const { return group; }
  template <class V> void fields(V& v) {
    v(1, group);
    v(2, turn);
  }
};

}  // namespace berth::projections
