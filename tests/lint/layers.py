"""The table of DESIGN.md section 4: who may include whom. The longest prefix of a file's path decides its row.

A row says which folders (or single files) its files may include besides their own folder. `EVERYTHING` is for what stands
on top. To change an arrow, change this table in the same commit and say why in an ADR.
"""

EVERYTHING = None

EVENTS = ("events/base", "events/schema", "events/codec", "events/log")  # log: its interface and memory, not below
PURE_PROJECTIONS = ("projections", "projections/tables", "projections/store", "projections/views")
PURE_CONTROLLER = ("controller/core", "controller/decide", "controller/scheduler")

ALLOWED = {
    "events/base": (),
    "events/schema": (),
    "events/codec": ("events/base", "events/schema"),
    "events/log": ("events/base", "events/schema", "events/codec"),
    "events/rocks": (),
    "events/log/local": EVENTS + ("events/rocks",),
    "events/log/kafka": EVENTS,
    "events/log/open": EVENTS + ("events/log/local", "events/log/kafka"),
    "projections": EVENTS + PURE_PROJECTIONS,
    "projections/store": EVENTS + ("projections", "projections/tables"),
    "projections/store/rocks": EVENTS + PURE_PROJECTIONS + ("events/rocks",),
    "projections/tables": ("events/base", "events/schema", "events/codec", "projections"),
    "projections/views": EVENTS + PURE_PROJECTIONS,
    "controller": EVERYTHING,  # main.cc
    "controller/core": EVENTS + PURE_PROJECTIONS + ("controller/decide", "controller/scheduler"),
    "controller/decide": EVENTS + PURE_PROJECTIONS + ("controller/scheduler",),
    "controller/scheduler": EVENTS + PURE_PROJECTIONS,
    "controller/api/map": EVENTS + PURE_PROJECTIONS,
    "controller/api": EVENTS + PURE_PROJECTIONS + PURE_CONTROLLER + ("controller/api/map", "controller/runtime"),
    "controller/policy": ("events/base", "controller/scheduler", "projections"),
    "controller/runtime": EVENTS + PURE_PROJECTIONS + PURE_CONTROLLER
    + ("controller/api", "controller/api/map", "controller/policy", "projections/store/rocks", "events/log/local", "events/log/kafka", "events/log/open"),
    "agents": EVERYTHING,  # main.cc
    "agents/core": EVENTS + ("agents/kernel/backend.h", "agents/kernel/image_store.h"),
    "agents/kernel": EVENTS,
    "agents/discovery": EVENTS,
    "agents/services": EVENTS + ("agents/core", "agents/kernel"),
    "agents/runtime": EVENTS
    + ("agents/core", "agents/kernel", "agents/discovery", "agents/services", "events/log/local", "events/log/kafka", "events/log/open"),
    "ops/cli": EVERYTHING,
    "tests": EVERYTHING,
    "bench": EVERYTHING,
}

# Nothing includes these but themselves and each other.
ON_TOP = ("tests", "bench", "ops")
# They meet in events/schema only.
STRANGERS = (("agents", "controller"), ("controller", "agents"), ("agents", "projections"))

# Pure folders: no I/O, no threads, no clock, no randomness. `own` files only, sub-folders have their own line.
PURE = (
    "events/base",
    "events/codec",
    "events/log",
    "events/schema",
    "projections",
    "projections/store",
    "projections/tables",
    "projections/views",
    "controller/core",
    "controller/decide",
    "controller/scheduler",
    "controller/api/map",
    "agents/core",
)
# The two edges of events/base, and what pure files may not include for it.
IMPURE_FILES = ("events/base/system_clock", "events/base/secrets", "events/base/stop_signal")
IMPURE_HEADERS = (
    "thread", "mutex", "shared_mutex", "condition_variable", "future", "stop_token", "semaphore", "latch", "barrier",
    "filesystem", "fstream", "iostream", "random", "chrono", "ctime", "time.h", "unistd.h", "fcntl.h",
)
IMPURE_PREFIXES = ("boost/asio", "boost/beast", "librdkafka/", "rocksdb/", "spdlog/", "sys/", "prometheus/")

# Which folders may include a library: header prefix -> folders.
LIBRARY_HOMES = {
    "librdkafka/": ("events/log/kafka", "bench", "tests/contract"),
    "rocksdb/": ("events/rocks", "events/log/local", "projections/store/rocks", "bench"),
}
BEAST_FILES_MAX = 4

TOP_FOLDERS = ("controller", "events", "projections", "agents", "tests", "bench", "ops")


def row_of(path, table):
    """The longest key of the table that is the path's folder or above it; None when there is none."""
    folder = path.rpartition("/")[0]
    while folder:
        if folder in table:
            return folder
        folder = folder.rpartition("/")[0]
    return None
