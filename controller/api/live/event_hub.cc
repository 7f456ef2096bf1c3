#include "controller/api/live/event_hub.h"

#include <algorithm>

#include "controller/api/live/event_watcher.h"
#include "controller/api/map/event_subject.h"
#include "controller/api/past/diff_subjects.h"
#include "projections/session_access.h"

namespace berth::controller::api {
namespace {

constexpr std::size_t kReadRecords = 512;
constexpr std::size_t kReadBytes = 4u << 20;
constexpr Offset kPageRecords = 16'384;  // that one page looks at
constexpr std::size_t kManyWatchers = 100;

std::string field_id(const v1::Event& event) {
  switch (event.body_case()) {
    case v1::Event::kKernelPreparing: return event.kernel_preparing().kernel_id();
    case v1::Event::kKernelPulling: return event.kernel_pulling().kernel_id();
    case v1::Event::kKernelPrepared: return event.kernel_prepared().kernel_id();
    case v1::Event::kKernelCreating: return event.kernel_creating().kernel_id();
    case v1::Event::kKernelRunning: return event.kernel_running().kernel_id();
    case v1::Event::kKernelTerminated: return event.kernel_terminated().kernel_id();
    case v1::Event::kKernelOpened: return event.kernel_opened().kernel_id();
    default: return {};
  }
}

EncodedEvent::Text text_from(const EncodedEvent& event, boost::json::object json) {
  auto frame = std::make_shared<const std::string>("id: " + to_string(event.id) + "\nevent: " + event.type +
                                                   "\ndata: " + boost::json::serialize(json) + "\n\n");
  return {std::make_shared<const boost::json::object>(std::move(json)), std::move(frame)};
}

std::optional<SessionId> preemptor_of(const v1::Event& event) {
  const std::string& bytes = event.has_session_terminating() ? event.session_terminating().preemptor()
                                                             : event.session_requeued().preemptor();
  const auto id = Uuid::from_bytes(bytes);
  return id && !id->is_nil() ? std::optional(SessionId(*id)) : std::nullopt;
}

// Names of a record for who may not see that session.
NameBook names_without(NameBook names, const SessionId& session) {
  v1::Event event;
  event.mutable_session_requested()->set_session_id(std::string(session.view()));
  event.mutable_session_requested()->set_name("another's session");
  names.learn(event);
  return names;
}

// Who is disabled reaches nothing.
projections::Actor rights_from(const v1::UserDefined& user) {
  projections::Actor actor = projections::actor_of(user);
  if (user.disabled()) actor = {user.name(), v1::ROLE_UNSPECIFIED, "", {}, {}};
  return actor;
}

bool sees(const projections::Actor& actor, const v1::Owner& subject) {
  return may(actor, projections::Noun::kEvent, projections::Verb::kSee, subject);
}

// Whose sign-in the event ends.
std::optional<RightsChange> sign_out_by(const v1::Event& event) {
  using Of = RightsChange::Of;
  constexpr Code kCode = "signed-out";
  const v1::DefinitionRemoved& removed = event.definition_removed();
  if (event.user_defined().disabled()) return RightsChange{Of::kUser, event.user_defined().name(), kCode};
  if (removed.kind() == v1::DEFINITION_KIND_USER) return RightsChange{Of::kUser, removed.name(), kCode};
  if (removed.kind() == v1::DEFINITION_KIND_KEY) return RightsChange{Of::kKey, removed.name(), kCode};
  if (event.has_key_pair_defined() && !event.key_pair_defined().active())
    return RightsChange{Of::kKey, event.key_pair_defined().id(), kCode};
  if (removed.kind() == v1::DEFINITION_KIND_PRODUCER)
    return RightsChange{Of::kKey, "producer:" + removed.name(), kCode};
  if (event.has_producer_defined()) {  // whatever changed: who comes again is looked at anew
    const v1::ProducerDefined& producer = event.producer_defined();
    const bool out = producer.disabled() || !producer.token_hash().empty();
    return RightsChange{Of::kKey, "producer:" + producer.name(), out ? kCode : Code("rights-changed")};
  }
  if (!event.has_browser_session_ended()) return std::nullopt;
  const auto ended = Uuid::from_bytes(event.browser_session_ended().id());
  return ended ? std::optional(RightsChange{Of::kBrowserSession, to_string(*ended), kCode}) : std::nullopt;
}

bool is_of(const RightsChange& change, const Caller& caller) {
  switch (change.of) {
    case RightsChange::Of::kUser: return change.id == caller.user;
    case RightsChange::Of::kKey: return change.id == caller.access_key;
    case RightsChange::Of::kBrowserSession: return change.id == to_string(caller.browser_session);
    case RightsChange::Of::kNotAll:
    case RightsChange::Of::kEverybody: break;
  }
  return false;
}

}  // namespace

bool EventFilter::wants(const EncodedEvent& event) {
  if (changes_rights(event)) seen_by = event.changed;
  if (!asked_by.empty() && event.actor != asked_by) return false;
  if (!actors.empty() && !actors.contains(event.actor.empty() ? "controller" : event.actor)) return false;
  if (!nouns.empty() && !nouns.contains(event.noun)) return false;
  bool mine = !session || event.session == session;
  if (session && mine)
    for (const std::string& kernel : event.kernel_ids) kernels.insert(kernel);
  mine = mine || (!event.kernel_id.empty() && kernels.contains(event.kernel_id));
  if (!mine || !(types.empty() || types.contains(event.type))) return false;
  return !seen_by || sees(*seen_by, event);
}

// By right, or because the session is shared with the actor.
bool EventFilter::sees(const projections::Actor& actor, const EncodedEvent& event) const {
  if (api::sees(actor, session ? session_owner : event.subject)) return true;
  const std::optional<SessionId>& of = session ? session : event.session;
  return of && is_shared && is_shared(actor, *of);
}

Code EventFilter::ended_by(const EncodedEvent& event) const {
  if (seen_by && session && changes_rights(event) && !sees(*event.changed, event)) return "rights-changed";
  if (seen_by && session && event.ends_share && event.session == session && !sees(*seen_by, event))
    return "rights-changed";
  if (reader.own_alone && changes_rights(event)) return "rights-changed";
  if (!event.signs_out || event.id.offset <= rights_at) return {};
  return is_of(*event.signs_out, reader) ? event.signs_out->code : Code();
}

const EncodedEvent::Text& EventFilter::text_of(const EncodedEvent& event) const {
  const bool shows_all = !event.preemptor || !seen_by || api::sees(*seen_by, event.preemptor_owner);
  return shows_all ? event.text : event.without_preemptor;
}

bool EventFilter::asks_whose() const {
  return seen_by && !session &&
         reach(*seen_by, projections::Noun::kEvent, projections::Verb::kSee) != projections::Reach::kAll;
}

bool EventFilter::changes_rights(const EncodedEvent& event) const {
  return seen_by && event.changed && event.changed->user == seen_by->user && event.id.offset > rights_at;
}

void EventFilter::add_kernels(const projections::SessionRow& row) {
  for (const Uuid& election : row.placed_in)
    for (const auto& role : row.spec->spec.roles())
      for (std::uint32_t index = 1; index <= role.count(); ++index)
        kernels.insert(
            std::string(projections::derive_kernel_id(row.id, election, role.role(), index).view()));
  add_kernels(row.kernel_ids);
}

void EventFilter::add_kernels(const std::vector<KernelId>& ids) {
  for (const KernelId& id : ids) kernels.insert(std::string(id.view()));
}

void EventHub::start() {
  context_.set_journal_listener(this);
  // What the view shows now may not come to on_applied any more; all behind it will.
  std::optional<Offset> position;
  context_.with_state([&](const StateView& view) {
    if (view.any) position = view.position;
  });
  {
    const std::lock_guard lock(mutex_);
    ring_from_ = std::max(ring_from_, position ? *position + 1 : 0);
  }
  board_.start_at(position);
}

// The workers may drop what a stream waits for, so each is told by itself.
void EventHub::stop() {
  context_.set_journal_listener(nullptr);
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& [address, watcher] : watchers_) watchers.push_back(watcher.lock());
  }
  for (const auto& watcher : watchers)
    if (watcher != nullptr) watcher->look_again();
}

void EventHub::tell_shares_to(EventFilter& filter) {
  filter.is_shared = [this](const projections::Actor& actor, const SessionId& id) {
    bool shared = false;
    context_.with_state([&](const StateView& view) {
      const auto* session = view.state.sessions.find(id);
      shared = session != nullptr &&
               is_shared_with(actor, session->owner->owner, view.state.session_shares.find(id));
    });
    return shared;
  };
}

std::shared_ptr<FrameStream> EventHub::watch(const WatchFrom& from, EventFilter filter) {
  tell_shares_to(filter);
  const std::lock_guard lock(mutex_);
  auto watcher = std::make_shared<Watcher>(*this, from, std::move(filter), rebuilds_);
  watchers_.emplace(watcher.get(), watcher);
  return watcher;
}

void EventHub::forget(const Watcher* watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.erase(watcher);
}

std::size_t EventHub::watchers() const {
  const std::lock_guard lock(mutex_);
  return watchers_.size();
}

EventHub::Life EventHub::life_of(std::uint64_t rebuilds) const {
  const std::lock_guard lock(mutex_);
  if (stopped_) return Life::kStopped;
  return rebuilds == rebuilds_ ? Life::kGoesOn : Life::kRebuilt;
}

void EventHub::on_applied(const JournalRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    auto slot = std::make_shared<Slot>();
    slot->record = record;
    ring_.push_back(std::move(slot));
    if (ring_.size() > limits_.ring_records) {
      ring_from_ = std::max(ring_from_, ring_.front()->record.offset + 1);
      ring_.pop_front();
    }
  }
  board_.on_applied(record);
}

void EventHub::on_position(Offset position) {
  board_.on_position(position);
  news();
}

void EventHub::on_rebuilt(Offset next) {
  {
    const std::lock_guard lock(mutex_);
    ring_.clear();
    ring_from_ = next;
    ++rebuilds_;
  }
  board_.rewind(next == 0 ? std::nullopt : std::optional<Offset>(next - 1));
  news();
}

void EventHub::news() {
  bool plan = false;
  std::chrono::milliseconds delay(0);
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || wake_planned_) return;
    wake_planned_ = plan = true;
    // Waking costs per watcher: many of them are woken for several records at once.
    if (waiting_.size() > kManyWatchers) delay = std::chrono::milliseconds(20);
  }
  if (plan) quick_.post_after(delay, [this] { wake_all(); });
}

void EventHub::wake_all() {
  std::vector<std::function<void()>> waiting;
  {
    const std::lock_guard lock(mutex_);
    wake_planned_ = false;
    waiting.swap(waiting_);
  }
  for (auto& wake : waiting) wake();
}

void EventHub::when_news(std::optional<Offset> seen, std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  // on_position() moves the board first and looks at waiting_ then, so one of the two sees the other.
  if (stopped_ || board_.position() != seen)
    quick_.post(std::move(wake));
  else
    waiting_.push_back(std::move(wake));
}

std::optional<std::vector<std::shared_ptr<EventHub::Slot>>> EventHub::recent(Offset from, std::size_t most) {
  const std::lock_guard lock(mutex_);
  if (from < ring_from_) return std::nullopt;
  std::vector<std::shared_ptr<Slot>> found;
  auto at = std::lower_bound(ring_.begin(), ring_.end(), from,
                             [](const auto& slot, Offset offset) { return slot->record.offset < offset; });
  for (; at != ring_.end() && found.size() < most; ++at) found.push_back(*at);
  return found;
}

const EncodedRecord& EventHub::encoded(Slot& slot) {
  std::call_once(slot.once, [&] { slot.encoded = encode(slot.record, true); });
  return slot.encoded;
}

v1::Owner EventHub::past_owner(const SessionId& session) {
  const auto past = context_.find_history(session);
  return past.ok() && past->has_value() ? (*past)->session.owner->owner : v1::Owner();
}

// Few in the ring: a session stays in the state for minutes after its end.
void EventHub::find_past_owners(EncodedRecord& record) {
  for (EncodedEvent& event : record) {
    if (event.session && event.subject.user().empty()) event.subject = past_owner(*event.session);
    if (event.preemptor && event.preemptor_owner.user().empty())
      event.preemptor_owner = past_owner(*event.preemptor);
  }
}

EncodedRecord EventHub::encode(const JournalRecord& journal_record, bool past) {
  const v1::Record& record = *journal_record.record;
  EncodedRecord out(static_cast<std::size_t>(record.events_size()));
  SlotKinds kinds;
  NameBook names;
  context_.with_state([&](const StateView& view) {
    kinds = SlotKinds(view.state);
    names = names_for(view.state, record);
    for (int i = 0; i < record.events_size(); ++i) {
      EncodedEvent& event = out[static_cast<std::size_t>(i)];
      event.session = session_of(view.state, record.events(i));
      event.subject = subject_of(view.state, record.events(i));
      event.preemptor = preemptor_of(record.events(i));
      if (const auto* row = event.preemptor ? view.state.sessions.find(*event.preemptor) : nullptr)
        event.preemptor_owner = row->owner->owner;
    }
  });
  if (past) find_past_owners(out);
  for (int i = 0; i < record.events_size(); ++i) {
    EncodedEvent& event = out[static_cast<std::size_t>(i)];
    event.id = {journal_record.offset, static_cast<std::uint32_t>(i)};
    event.type = event_name(record.events(i));
    event.actor = record.events(i).actor();
    event.kernel_id = field_id(record.events(i));
    if (record.events(i).has_user_defined()) event.changed = rights_from(record.events(i).user_defined());
    event.signs_out = sign_out_by(record.events(i));
    event.ends_share = record.events(i).session_shared().withdrawn();
    for (const auto& placement : record.events(i).session_scheduled().placements())
      event.kernel_ids.push_back(placement.kernel_id());
    const auto to_json = [&](const NameBook& book) {
      return event_to_json(record, i, journal_record.offset, kinds, book, event.session);
    };
    event.text = text_from(event, to_json(names));
    if (!event.preemptor) continue;
    boost::json::object without = to_json(names_without(names, *event.preemptor));
    without["data"].as_object()["preemptor"] = nullptr;
    event.without_preemptor = text_from(event, std::move(without));
  }
  return out;
}

Result<EventHub::Scan> EventHub::scan(Offset at, Offset end, EventFilter& filter) {
  constexpr std::size_t kScanRecords = 256, kScanBytes = 1u << 20;  // of which an export holds one
  auto read = context_.read_journal(at, kScanRecords, kScanBytes);
  if (!read.ok()) return read.error();
  Scan scan;
  scan.next = std::min(read->next, end);
  for (const JournalRecord& record : read->records) {
    if (record.offset >= end) break;
    for (EncodedEvent& event : encode(record, filter.asks_whose())) {
      scan.ended = filter.ended_by(event);
      if (!scan.ended.empty()) return scan;
      event.noun = noun_of(record.record->events(static_cast<int>(event.id.index)));
      if (filter.wants(event)) scan.events.push_back(std::move(event));
    }
  }
  return scan;
}

Result<std::shared_ptr<void>> EventHub::begin_export(const std::string& person) {
  auto [verdict, token] = exports_.take(person);
  if (verdict == PersonalCounts::Verdict::kTaken) return std::move(token);
  if (verdict == PersonalCounts::Verdict::kTooMany)
    return make_error("too-many-streams", std::to_string(kExportsMax) + " exports run on this server already",
                      "wait until one has ended");
  return make_error("too-many-requests",
                    std::to_string(kExportsOfPersonMax) + " of your exports run on this server already",
                    "wait until one has ended");
}

Result<EventHub::Page> EventHub::page(const WatchFrom& from, EventFilter filter, std::size_t limit) {
  tell_shares_to(filter);
  Page page;
  Offset at = from.after ? std::max(from.offset, from.after->offset) : from.offset;
  const Offset begin = at;
  while (true) {
    if (at - begin >= kPageRecords) {  // others have their turn; the next page goes on here
      page.next = EventId{at - 1, UINT32_MAX};
      return page;
    }
    auto read = context_.read_journal(at, kReadRecords, kReadBytes);
    if (!read.ok()) return read.error();
    if (read->next == at) break;
    for (const JournalRecord& record : read->records) {
      if (from.to && record.offset > *from.to) return page.next.reset(), page;
      for (EncodedEvent& event : encode(record, filter.asks_whose())) {
        if (!filter.ended_by(event).empty()) return page.next.reset(), page;
        if ((from.after && event.id <= *from.after) || !filter.wants(event)) continue;
        if (page.events.size() == limit) return page;
        page.events.push_back(filter.text_of(event).json);
        page.next = event.id;
      }
    }
    at = read->next;
    if (from.to && at > *from.to) break;
  }
  page.next.reset();
  return page;
}

}  // namespace berth::controller::api
