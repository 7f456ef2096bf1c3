// Numbers, states, spans and lists of nodes.
#include <gtest/gtest.h>

#include "ops/cli/slurm/hostlist.h"
#include "ops/cli/slurm/jobs.h"
#include "ops/cli/slurm/slurm_times.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli::slurm {
namespace {

TEST(Jobs, AreNumberedByTheFirst48BitsOfTheSessionsId) {
  EXPECT_EQ(job_number("00000000-1267-4000-8000-000000000000"), "4711");
  EXPECT_EQ(job_number("ffffffff-ffff-4fff-bfff-ffffffffffff"), "281474976710655");
  EXPECT_EQ(job_number("no id"), "no id");
}

TEST(Jobs, AreNamedWithoutTheNumberThatSbatchPutBehindTheName) {
  boost::json::object one = session("train-4711", "RUNNING");
  EXPECT_EQ(job_name_of(one), "train-4711");
  one["id"] = "00000000-1267-4000-8000-000000000000";
  EXPECT_EQ(job_name_of(one), "train");
  one["name"] = "-4711";
  EXPECT_EQ(job_name_of(one), "-4711");
}

TEST(Jobs, AreTakenByNumberOrIdAndNothingElse) {
  EXPECT_EQ(*checked_job_id("squeue", "4711"), "4711");
  EXPECT_EQ(*checked_job_id("squeue", "00000000-1267-4000-8000-00000000000A"),
            "00000000-1267-4000-8000-00000000000a");
  for (const char* bad : {"", "-1", "4711 ", "0x10", "4711_2", "4711.batch", "4711+1", "train",
                          "1234567890123456", "00000000-0000-0000-0000-000000000000"})
    EXPECT_FALSE(checked_job_id("squeue", bad)) << bad;
}

TEST(Jobs, HaveAStateForEachStatusOfASession) {
  const auto state = [](const char* status) {
    return std::string(job_state_of(session("a", status)).letters);
  };
  EXPECT_EQ(state("PENDING") + state("RESERVED"), "PDPD");
  for (const char* status : {"SCHEDULED", "PREPARING", "PULLING", "PREPARED", "CREATING"})
    EXPECT_EQ(state(status), "CF");
  EXPECT_EQ(state("RUNNING") + state("TERMINATING") + state("RESCHEDULING"), "RCGRQ");
  EXPECT_EQ(state("CANCELLED") + state("ERROR") + state("TERMINATED"), "CAFCD");
}

TEST(SlurmTimes, ReadTheFormsOfATimeLimit) {
  const auto minutes = [](const char* text) { return **parse_limit(text) / kSecond; };
  EXPECT_EQ(minutes("30"), 30 * 60);
  EXPECT_EQ(minutes("30:05"), 30 * 60 + 5);
  EXPECT_EQ(minutes("1:30:05"), 5405);
  EXPECT_EQ(minutes("2-12"), 60 * 3600);
  EXPECT_EQ(minutes("2-12:30"), 60 * 3600 + 1800);
  EXPECT_EQ(minutes("2-12:30:05"), 60 * 3600 + 1805);
  for (const char* none : {"0", "UNLIMITED", "INFINITE", "-1"}) EXPECT_FALSE(*parse_limit(none)) << none;
  for (const char* bad :
       {"", "x", "1:2:3:4", "-", "1-", "-5", "1:", ":1", "1.5", "99999999", "40000-0", "1-2-3", "1 "})
    EXPECT_FALSE(parse_limit(bad)) << bad;
}

TEST(SlurmTimes, AreTheReadersClocks) {
  const UtcOffset zone = [](Timestamp) { return 9 * kHour; };  // it is 09:00 there
  const auto moment = [&](const char* text, bool next) {
    const auto at = parse_moment("--begin", text, kNow, zone, next);
    return at ? format_time(*at) : "refused";
  };
  EXPECT_EQ(moment("2026-01-31T18:00", true), "2026-01-31T09:00:00Z");
  EXPECT_EQ(moment("2026-01-31T18:00:00Z", true), "2026-01-31T18:00:00Z");
  EXPECT_EQ(moment("18:00", true), "2026-01-01T09:00:00Z");
  EXPECT_EQ(moment("08:00", true), "2026-01-01T23:00:00Z");   // the next one
  EXPECT_EQ(moment("08:00", false), "2025-12-31T23:00:00Z");  // today's
  EXPECT_EQ(moment("today", false), "2025-12-31T15:00:00Z");
  EXPECT_EQ(moment("now+1hour", true), "2026-01-01T01:00:00Z");
  EXPECT_EQ(moment("now-2days", false), "2025-12-30T00:00:00Z");
  EXPECT_EQ(moment("now+90", true), "2026-01-01T00:01:30Z");
  for (const char* bad :
       {"", "now+", "now+1year", "now*2", "soon", "2026-13-01", "24:00", "1:00", "now-99999999weeks"})
    EXPECT_EQ(moment(bad, true), "refused") << bad;
  EXPECT_EQ(clock_text("2026-01-31T18:00:00.5Z", zone), "2026-02-01T03:00:00");
  EXPECT_EQ(date_text(kNow, zone), "Thu Jan 01 09:00:00 2026");
}

TEST(SlurmTimes, WriteSpansAsSqueueAndSacctDo) {
  EXPECT_EQ(span_text(5 * kSecond) + " " + span_text(3725 * kSecond) + " " + span_text(2 * kDay + kHour),
            "0:05 1:02:05 2-01:00:00");
  EXPECT_EQ(long_span_text(5 * kSecond) + " " + long_span_text(2 * kDay + kHour), "00:00:05 2-01:00:00");
}

TEST(Hostlist, FoldsNumberedNames) {
  EXPECT_EQ(hostlist({}), "");
  EXPECT_EQ(hostlist({"a1"}), "a1");
  EXPECT_EQ(hostlist({"a3", "a1", "b", "a2", "a7", "a7"}), "a[1-3,7],b");
  EXPECT_EQ(hostlist({"n09", "n10", "n08", "n7", "n100"}), "n[08-10],n[7,100]");
  EXPECT_EQ(hostlist({"7", "a12345678901234567890"}), "7,a12345678901234567890");
}

}  // namespace
}  // namespace berth::cli::slurm
