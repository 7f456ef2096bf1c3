#include "controller/api/live/event_export.h"

#include <algorithm>
#include <utility>

#include "controller/api/map/csv/csv_text.h"

namespace berth::controller::api {
namespace {

constexpr char kCsvHead[] = "id,time,type,noun,actor,session,request_id,cause,trace,text,data\r\n";

std::string member_text(const boost::json::object& event, const char* name) {
  const auto* value = event.if_contains(name);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? std::string(value->as_string()) : boost::json::serialize(*value);
}

std::string csv_line(const EncodedEvent& event, const boost::json::object& shown) {
  std::string out =
      to_string(event.id) + "," + member_text(shown, "time") + "," + event.type + "," + event.noun;
  for (const char* name : {"actor", "session", "request_id", "cause", "trace", "text", "data"})
    out += "," + csv_field(member_text(shown, name));
  return out + "\r\n";
}

// The line that is no event, with as many fields as one that is.
std::string closing_line(bool csv, const char* what, boost::json::object said) {
  if (csv) return "#" + std::string(what) + ",,,,,,,,,," + csv_field(boost::json::serialize(said)) + "\r\n";
  return boost::json::serialize(boost::json::object{{what, std::move(said)}}) + "\n";
}

// The object of the event's frame, which is serialized already.
std::string_view json_line(const std::string& frame) {
  constexpr std::string_view kData = "\ndata: ";
  const std::size_t begin = frame.find(kData) + kData.size();
  return std::string_view(frame).substr(begin, frame.size() - begin - 2);
}

class EventExport final : public FrameStream, public std::enable_shared_from_this<EventExport> {
 public:
  EventExport(EventHub& hub, ApiContext& context, Turns& turns, ExportWanted wanted,
              std::shared_ptr<void> token)
      : hub_(hub),
        context_(context),
        turns_(turns),
        wanted_(std::move(wanted)),
        token_(std::move(token)),
        at_(wanted_.after ? std::max(wanted_.from, wanted_.after->offset) : wanted_.from) {
    context_.with_state(
        [&](const StateView& view) { began_as_ = actor_of(view.state, wanted_.filter.reader); });
  }

  void next(std::function<void(Batch)> done) override {
    // A server that stops drops the task: the stream ends then, without its last line.
    const auto once = std::make_shared<Once>(std::move(done));
    turns_.go_on(wanted_.filter.reader.actor(), Turns::Work::kScan, [weak = weak_from_this(), once] {
      if (const auto self = weak.lock()) self->read(once);
    });
  }

 private:
  struct Once {
    explicit Once(std::function<void(Batch)> f) : done(std::move(f)) {}
    ~Once() {
      if (done) done({{}, true});
    }
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;
    void tell(Batch batch) { std::exchange(done, nullptr)(std::move(batch)); }
    std::function<void(Batch)> done;
  };

  // One reading of the log a task, so that others get their turn. What has nothing for the reader is passed
  // over in the next.
  void read(const std::shared_ptr<Once>& once) {
    std::string text = std::exchange(began_, true) || !wanted_.csv ? "" : kCsvHead;
    const bool over = read_into(text);
    if (text.empty() && !over) {
      turns_.go_on(wanted_.filter.reader.actor(), Turns::Work::kScan, [weak = weak_from_this(), once] {
        if (const auto self = weak.lock()) self->read(once);
      });
      return;
    }
    once->tell({{std::make_shared<const std::string>(std::move(text))}, over});
  }

  // True: that was all.
  bool read_into(std::string& text) {
    if (const Code code = turned_away(); !code.empty()) return fail(text, code);
    if (at_ >= wanted_.end) return finish(text, false);
    auto scan = hub_.scan(at_, wanted_.end, wanted_.filter);
    if (!scan.ok()) return fail(text, scan.error().code);
    for (const EncodedEvent& event : scan->events) {
      if (wanted_.after && event.id <= *wanted_.after) continue;
      if (count_ == wanted_.limit) return finish(text, true);
      add(text, event);
    }
    if (!scan->ended.empty()) return fail(text, scan->ended);
    // The journal was shorter all at once: what is behind is not there any more.
    if (scan->next <= at_) return fail(text, "log-truncated");
    at_ = scan->next;
    return at_ >= wanted_.end && finish(text, false);
  }

  void add(std::string& text, const EncodedEvent& event) {
    const auto& shown = wanted_.filter.text_of(event);
    if (wanted_.csv)
      text += csv_line(event, *shown.json);
    else
      text += std::string(json_line(*shown.frame)) + "\n";
    ++count_;
    last_ = event.id;
  }

  // Why the reader is to get no more: events that are exported may be older than that.
  Code turned_away() {
    Code code;
    context_.with_state([&](const StateView& view) {
      const Caller& reader = wanted_.filter.reader;
      const projections::Actor now = actor_of(view.state, reader);
      const bool same = now.role == began_as_.role && now.domain == began_as_.domain &&
                        now.projects == began_as_.projects && now.admin_of == began_as_.admin_of;
      if (!same) code = "rights-changed";
      if (!is_still_signed_in(view.state, reader, context_.now())) code = "signed-out";
    });
    return code;
  }

  bool fail(std::string& text, Code code) {
    text += closing_line(wanted_.csv, "error", {{"code", code.word()}, {"events", count_}});
    return true;
  }

  bool finish(std::string& text, bool more) {
    boost::json::object said{{"events", count_}, {"from", wanted_.from}};
    said["to"] = wanted_.end == 0 ? boost::json::value() : boost::json::value(wanted_.end - 1);
    said["next"] = more && last_ ? boost::json::value(to_string(*last_)) : boost::json::value();
    text += closing_line(wanted_.csv, "end", std::move(said));
    return true;
  }

  EventHub& hub_;
  ApiContext& context_;
  Turns& turns_;
  ExportWanted wanted_;
  const std::shared_ptr<void> token_;
  projections::Actor began_as_;
  Offset at_;
  bool began_ = false;
  std::uint64_t count_ = 0;
  std::optional<EventId> last_;
};

}  // namespace

Result<Offset> first_not_before(ApiContext& context, Timestamp time, Offset end) {
  Offset low = 0;
  while (low < end) {  // times never fall from record to record
    const Offset middle = low + (end - low) / 2;
    Offset at = middle;
    std::optional<JournalRecord> found;
    while (!found && at < end) {
      auto read = context.read_journal(at, 1, 1u << 20);
      if (!read.ok()) return read.error();
      if (!read->records.empty())
        found = read->records.front();
      else if (read->next <= at)
        break;
      at = read->next;
    }
    if (found && found->offset < end && found->record->header().time_ns() < time)
      low = found->offset + 1;
    else
      end = middle;
  }
  return low;
}

Result<std::shared_ptr<FrameStream>> export_events(EventHub& hub, ApiContext& context, Turns& turns,
                                                   ExportWanted wanted) {
  auto token = hub.begin_export(wanted.filter.reader.actor());
  if (!token) return token.error();
  hub.tell_shares_to(wanted.filter);
  return std::shared_ptr<FrameStream>(
      std::make_shared<EventExport>(hub, context, turns, std::move(wanted), std::move(*token)));
}

}  // namespace berth::controller::api
