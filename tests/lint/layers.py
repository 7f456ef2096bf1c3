"""The picture "Layers" of ARCHITECTURE.md as a table: who may include whom. The longest prefix of a file's path decides its row.

A row says which folders (or single files) its files may include besides their own folder. `EVERYTHING` is for what stands
on top. To change an arrow, change this table in the same commit and say why in an ADR.
"""

EVERYTHING = None

EVENTS = ("events/base", "events/schema", "events/codec", "events/log")  # log: its interface and memory, not below
PURE_PROJECTIONS = ("projections", "projections/fold", "projections/tables", "projections/views", "projections/store",
                    "projections/audit")

# The floors of placement, lowest first: each may include those before it.
FLOORS = tuple("controller/placement/" + floor if floor else "controller/placement"
               for floor in ("fragmentation", "", "devices", "model", "order", "select", "cluster", "audit", "pass"))
PLACEMENT = FLOORS + ("controller/placement/select/custom",)
# What decide sees of placement: names.
PLACEMENT_NAMES = ("controller/placement/types.h",)
CELL = ("controller/cell", "controller/cell/leader")
API = ("controller/api", "controller/api/http", "controller/api/routes", "controller/api/live", "controller/api/login",
       "controller/api/console", "controller/api/identity", "controller/api/keeping", "controller/api/inside", "controller/api/folders", "controller/api/past", "controller/api/audit",
       "controller/api/apps", "controller/api/map",
       "controller/api/auth")

ALLOWED = {
    "events/base": (),
    "events/schema": (),
    "events/codec": ("events/base", "events/schema"),
    "events/log": ("events/base", "events/schema", "events/codec"),
    "events/inside": (),
    "events/copy": ("events/inside",),
    "events/copy/files": ("events/inside", "events/copy", "events/base/files/descriptor.h"),
    "events/rocks": (),
    "events/logs": EVENTS,
    "events/otlp": EVENTS,
    "events/log/local": EVENTS + ("events/rocks",),
    "events/log/kafka": EVENTS,
    "events/log/open": EVENTS + ("events/log/local", "events/log/kafka"),
    "events/tunnel": EVENTS,
    "projections": EVENTS + PURE_PROJECTIONS,  # limits: what several rooms ask of a state
    "projections/fold": EVENTS + PURE_PROJECTIONS,
    "projections/audit": EVENTS + ("projections/fold", "projections/tables"),
    "projections/store": EVENTS + ("projections/fold", "projections/tables", "projections/views"),
    "projections/views": EVENTS + ("projections/tables", "projections/views"),  # for people: in no state hash
    "projections/store/rocks": EVENTS + PURE_PROJECTIONS + ("events/rocks",),
    "projections/past": EVENTS + PURE_PROJECTIONS + ("events/rocks", "projections/store/rocks/status.h"),
    "projections/tables": ("events/base", "events/schema", "events/codec", "projections/tables"),
    **{floor: ("events/base",) + FLOORS[:i] for i, floor in enumerate(FLOORS)},
    "controller/placement/select": ("events/base", "controller/placement/select/custom") + FLOORS[:5],
    "controller/placement/select/custom": ("events/base", "controller/placement"),
    "controller/placement/cluster": ("events/base", "controller/placement/select/custom") + FLOORS[:6],
    "controller/placement/pass": ("events/base", "controller/placement/select/custom") + FLOORS[:7],
    "controller/decide": EVENTS + PURE_PROJECTIONS + PLACEMENT_NAMES,
    "controller/feed": EVENTS + PURE_PROJECTIONS + PLACEMENT,
    "controller/answers": EVENTS + PURE_PROJECTIONS + PLACEMENT
    + ("controller/decide", "controller/feed"),
    "controller/scenario": EVENTS + PURE_PROJECTIONS + PLACEMENT + ("controller/decide", "controller/feed"),
    "controller/cell": EVENTS + PURE_PROJECTIONS + PLACEMENT
    + ("controller/decide", "controller/feed", "controller/cell/leader"),
    "controller/cell/leader": EVENTS + PURE_PROJECTIONS + PLACEMENT
    + ("controller/decide", "controller/feed", "controller/cell/ports.h", "controller/cell/config.h", "controller/cell/producer_refusal.h"),
    "controller": EVERYTHING,  # main.cc
    "controller/api/map": EVENTS + PURE_PROJECTIONS + ("controller/answers/types.h", "controller/answers/decision/decision_types.h"),
    "controller/api/auth": ("events/base", "controller/api/map"),
    "controller/api/apps": EVENTS + ("events/inside", "controller/api/map", "controller/api/auth"),
    **{room: EVENTS + PURE_PROJECTIONS + ("controller/answers", "controller/scenario", "events/inside", "events/tunnel") + API for room in API[:10]},
    "controller/policy_host": ("events/base", "controller/placement", "controller/placement/select/custom"),
    "controller/runtime": EVENTS + PURE_PROJECTIONS + PLACEMENT + CELL + API
    + ("controller/decide", "controller/feed", "controller/answers", "controller/scenario", "controller/policy_host",
       "projections/store/rocks", "projections/past", "events/logs", "events/otlp", "events/log/local", "events/log/kafka", "events/log/open"),
    "agents": EVERYTHING,  # main.cc
    "agents/core": EVENTS + ("agents/kernel/backend.h", "agents/kernel/image_store.h"),
    "agents/kernel": EVENTS + ("events/inside", "agents/volumes/disk_owner.h", "agents/volumes/new_folder.h"),
    "agents/discovery": EVENTS,
    "agents/volumes": EVENTS + ("agents/kernel/shim/remove_tree.h",),
    "agents/services": EVENTS + ("agents/core", "agents/kernel", "agents/volumes", "events/inside", "events/tunnel"),
    "agents/egress": EVENTS + ("agents/kernel", "agents/services", "events/inside"),
    "agents/runtime": EVENTS
    + ("agents/core", "agents/kernel", "agents/discovery", "agents/services", "agents/egress", "agents/volumes", "events/otlp",
       "events/log/local", "events/log/kafka", "events/log/open"),
    "agents/check": EVENTS + ("agents/kernel", "agents/runtime", "agents/volumes/disk_owner.h"),
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
    "events/copy",
    "events/inside",
    "events/log",
    "events/schema",
    *PURE_PROJECTIONS,
    *PLACEMENT,
    *CELL,
    "controller/decide",
    "controller/feed",
    "controller/answers",
    "controller/scenario",
    "controller/api/map",
    "agents/core",
)
# The edges of events/base, and what pure files may not include for it.
IMPURE_FILES = ("events/base/system_clock", "events/base/secrets", "events/base/stop_signal", "events/base/service/service_notice", "events/base/service/last_words", "events/base/files/durable_file",
                "events/base/files/private_files", "events/base/files/descriptor_limit", "events/base/files/standard_streams", "events/base/files/descriptor")
IMPURE_HEADERS = (
    "thread", "mutex", "shared_mutex", "condition_variable", "future", "stop_token", "semaphore", "latch", "barrier",
    "filesystem", "fstream", "iostream", "random", "chrono", "ctime", "time.h", "unistd.h", "fcntl.h",
)
IMPURE_PREFIXES = ("boost/asio", "boost/beast", "librdkafka/", "rocksdb/", "spdlog/", "sys/", "prometheus/")

# Which folders may include a library: header prefix -> folders.
LIBRARY_HOMES = {
    "histedit.h": ("ops/cli/log_shell",),
    "librdkafka/": ("events/log/kafka", "bench", "tests/contract", "tests/e2e/support"),
    "nghttp2/": ("events/tunnel",),
    "rocksdb/": ("events/rocks", "events/log/local", "projections/store/rocks", "projections/past", "bench",
                 "tests/support/rocks"),
}
BEAST_FILES_MAX = 5

TOP_FOLDERS = ("controller", "events", "projections", "agents", "tests", "bench", "ops")


def row_of(path, table):
    """The longest key of the table that is the path's folder or above it; None when there is none."""
    folder = path.rpartition("/")[0]
    while folder:
        if folder in table:
            return folder
        folder = folder.rpartition("/")[0]
    return None
