// RowListener: is told of each row that the fold changes, of the tables that people see.
#pragma once

#include "projections/tables/state.h"

namespace berth::controller {

// Called under the exclusive lock of the state, forwards and on undo alike (State::set_listener): must be
// quick and ask nothing of the ApiContext. nullptr: there is no row.
class RowListener {
 public:
  virtual ~RowListener() = default;
  virtual void on_row(const projections::SessionRow* before, const projections::SessionRow* after) = 0;
  virtual void on_row(const projections::SessionShareRow* before,
                      const projections::SessionShareRow* after) = 0;
  virtual void on_row(const projections::KernelRow* before, const projections::KernelRow* after) = 0;
  virtual void on_row(const projections::AgentRow* before, const projections::AgentRow* after) = 0;
  virtual void on_row(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) = 0;
  virtual void on_row(const projections::GroupRow* before, const projections::GroupRow* after) = 0;
  virtual void on_row(const projections::DomainRow* before, const projections::DomainRow* after) = 0;
  virtual void on_row(const projections::ProjectRow* before, const projections::ProjectRow* after) = 0;
  virtual void on_row(const projections::UserRow* before, const projections::UserRow* after) = 0;
  virtual void on_row(const projections::KeyPairRow* before, const projections::KeyPairRow* after) = 0;
  virtual void on_row(const projections::ProducerRow* before, const projections::ProducerRow* after) = 0;
  virtual void on_row(const projections::ImageRow* before, const projections::ImageRow* after) = 0;
  virtual void on_row(const projections::LimitRow* before, const projections::LimitRow* after) = 0;
  virtual void on_row(const projections::PresetRow* before, const projections::PresetRow* after) = 0;
  virtual void on_row(const projections::PasswordRow* before, const projections::PasswordRow* after) = 0;
  virtual void on_row(const projections::LoginLinkRow* before, const projections::LoginLinkRow* after) = 0;
  virtual void on_row(const projections::BrowserSessionRow* before,
                      const projections::BrowserSessionRow* after) = 0;
  // The state was replaced by an older one; nobody tells which rows differ.
  virtual void on_replaced() = 0;
};

}  // namespace berth::controller
