//! The keys of every document that plimsoll prints: one line for each key, with its path, type and meaning.
//!
//! `[]` in a path is any element of an array, `*` any key of an object. A `?` after a path means that the key may be
//! left out. Types are `string`, `integer`, `number`, `boolean`, `object`, `array`, `null` and `any`; `estimate` is a
//! figure with its interval; `=word` is that word alone; `|` separates alternatives. An object or array without lines
//! of its own is described by the reference page that the document names.

/// A kind of document.
pub struct Document {
    /// Name of the document on the command line of `plimsoll schema`.
    pub name: &'static str,
    /// The commands that print the document.
    pub printed_by: &'static str,
    /// The version of its schema.
    pub version: u32,
    /// One line for each key.
    pub rows: &'static str,
}

/// All documents, in the order in which they are listed.
pub const DOCUMENTS: [Document; 15] = [
    Document {
        name: "report",
        printed_by: "check, run, watch, burst, map, headroom, where and report --format json",
        version: 1,
        rows: REPORT,
    },
    Document {
        name: "reports",
        printed_by: "report --format json of several recordings",
        version: 1,
        rows: REPORTS,
    },
    Document { name: "quick", printed_by: "quick --format json", version: 1, rows: QUICK },
    Document { name: "comparison", printed_by: "compare --format json", version: 1, rows: COMPARISON },
    Document { name: "import", printed_by: "import --format json", version: 1, rows: IMPORT },
    Document { name: "series", printed_by: "report --series --format json", version: 1, rows: SERIES },
    Document { name: "explain", printed_by: "explain --format json", version: 1, rows: EXPLAIN },
    Document { name: "list", printed_by: "list --format json", version: 1, rows: LIST },
    Document { name: "doctor", printed_by: "doctor --format json", version: 1, rows: DOCTOR },
    Document {
        name: "policies",
        printed_by: "policy list, show and check --format json",
        version: 1,
        rows: POLICIES,
    },
    Document { name: "match", printed_by: "policy match --format json", version: 1, rows: MATCH },
    Document {
        name: "profiles",
        printed_by: "profile list and profile show --format json",
        version: 1,
        rows: PROFILES,
    },
    Document { name: "plan", printed_by: "--dry-run --format json", version: 1, rows: PLAN },
    Document { name: "lab", printed_by: "lab list --format json", version: 1, rows: LAB },
    Document { name: "progress", printed_by: "--progress json, each line", version: 1, rows: PROGRESS },
];

const REPORT: &str = "
plimsoll_version                string          the version that recorded the run
verdict                         object          the answer
verdict.answer                  =measured|=meets|=exceeds|=below|=consistent_with_burst|=cannot_tell  in one word
verdict.exit_code               integer         the exit code that goes with it
verdict.subject                 string|null     what it is about: a policy, claims
verdict.sentence                string          in words
verdict.stops                   string          what stops the volume, in words
verdict.claims                  array           each claim beside what was measured
verdict.claims[]                object
verdict.claims[].what           string          in words
verdict.claims[].quantity       string          what is claimed
verdict.claims[].direction      string|null     of which way
verdict.claims[].claimed        object          the claim
verdict.claims[].claimed.value  number          in base units
verdict.claims[].claimed.words  string          as it was said
verdict.claims[].claimed.source string          who said it
verdict.claims[].claimed.reading any            how an ambiguous unit is read
verdict.claims[].measured       estimate|null   what was measured
verdict.claims[].latency_ns_p99 integer|null    the 99th percentile there, nanoseconds
verdict.claims[].depth          integer|null    I/Os in flight there
verdict.claims[].answer         string          as of the verdict
verdict.claims[].doubts         array           why it cannot be told
verdict.doubts                  array           why it cannot be told
verdict.doubts[]                object
answered                        object|null     the answer to what a procedure was asked
findings                        array           what it means, the weightiest first
findings[]                      object
findings[].kind                 string          which rule found it; its numbers stand beside
findings[].evidence             array           the spans that it was seen in
findings[].confidence           string          how sure it is
findings[].sentence             string          in words
findings[].competing            string|null     what else it could be
findings[].next_step            string|null     what would tell
latencies                       array           one I/O at a time
latencies[]                     object
latencies[].step                string          name of the step
latencies[].role                =base|=spaced   one after the other at once, or spaced wider than a cap asks
latencies[].direction           string|null     null: flushes
latencies[].count               integer         I/Os
latencies[].mean_ns             number          nanoseconds
latencies[].percentiles         array           pairs of percent and nanoseconds
latencies[].percentiles[]       array
latencies[].percentiles[][]     number
latencies[].max_ns              integer         nanoseconds
depths                          array           points of depth ladders
depths[]                        point
blocks                          array           points of block ladders
blocks[]                        point
jobs                            array           jobs of one's own
jobs[]                          point
headroom                        array           greatest rates at which claimed latencies hold
headroom[]                      object
headroom[].claim                string          the bound in words
headroom[].direction            string|null     of which way
headroom[].bound                string          between, at_least, at_most
headroom[].rate                 any             a number, or an object with low and high, a second
headroom[].loads                integer         loads that tell it
spent                           object          what the run has used up
spent.bytes_read                integer         bytes
spent.bytes_written             integer         bytes
spent.charged_ops               number          operations as a provider counts them
spent.credit_share              number|null     share of the burst that is gone
spent.loaded_s                  number          seconds under load
spent.credits                   array           each rule of the policy with credits of a known size
spent.credits[]                 object
horizon_ns                      integer         what was looked at for changes without one, nanoseconds
regimes                         object          changes of the level
five_windows                    object|null     the steady state as the SNIA defines it
watched                         object|null     figures of a watched machine
run                             object          what was run
run.command_line                array           as it was typed
run.command_line[]              string
run.started_unix_ms             integer         milliseconds since 1970, UTC
run.complete                    boolean         it came to its end
run.still_running_ns            integer|null    how long it has been running, where it still is, nanoseconds
run.forecast_ns                 integer|null    how long it was expected to take, nanoseconds
run.origin                      string|object   measured, or the tool that printed it
run.policy                      string|null     what it is held against
run.expectation                 string|null     what is claimed in words
run.host                        object|null     the machine
run.target                      object|null     what was measured
run.target.words                string          as it is called
run.target.kind                 string          directory, file, device and so on
run.target.filesystem           string          empty where there is none
run.target.mount_point          string          empty where there is none
run.target.available            integer         bytes
run.target.devices              array           from the target down
run.target.devices[]            object
run.target.direct_alignment     integer|null    bytes
run.target.doubts               array           in words
run.target.reads_only           boolean         nothing was written
run.target.unwritten_share      number|null     share of the region that held no data
run.target.cached_share         number|null     share of the region that was in the page cache
run.events                      array           what happened beside the steps
run.events[]                    object
run.events[].at                 integer         nanoseconds
run.events[].kind               string
run.events[].text               string
steps                           array           in the order they ran
steps[]                         object
steps[].name                    string
steps[].kind                    string
steps[].started_ns              integer         nanoseconds on the run's clock
steps[].counted_from_ns         integer         nanoseconds on the run's clock
steps[].ended_ns                integer         nanoseconds on the run's clock
steps[].ending                  =time|=amount|=certain|=uncertain|=interrupted|=failed  why it ended
steps[].jobs                    array           names of its jobs
steps[].jobs[]                  string
steps[].totals                  object          by direction, where something ended
steps[].totals.*                totals
steps[].failures                array           what failed
steps[].notes                   array           what is to be known, in words
steps[].notes[]                 string
steps[].plan                    object          everything that was planned, with its reasons
steps[].intervals               array           from moment to moment
steps[].intervals[]             object
steps[].intervals[].start_ns    integer         nanoseconds on the run's clock
steps[].intervals[].end_ns      integer         nanoseconds on the run's clock
steps[].intervals[].job         integer         which job of the step
steps[].intervals[].counted     boolean         it counts for the result
steps[].intervals[].late        integer         I/Os that were issued after they were due
steps[].intervals[].waited_ns   integer         nanoseconds that I/Os waited beyond that
steps[].intervals[].directions  object          by direction, where something ended
steps[].intervals[].directions.* counted
reported                        array           what another tool printed
samples                         array           raw counters of the machine
";

const REPORTS: &str = "
reports    array   documents report
reports[]  object
";

const QUICK: &str = "
plimsoll_version         string   the version that measured
target                   object   what was measured, as run.target of a report
rows                     array    each stream
rows[]                   object
rows[].cell              object   its step and figures
rows[].direction         string   which way
rows[].device_share      number|null  share of the bytes that the device saw
rows[].whose             string   whose the figure is: the volume's, the cache's, of both
rows[].seconds           number   how long
sentence                 string   in words
";

const COMPARISON: &str = "
plimsoll_version        string       the version that compared
sides                   array        what is held against what
sides[]                 object
sides[].label           string       its name
sides[].tools           array        which tools measured
sides[].tools[]         string
sides[].runs            integer      runs
sides[].policy          string|null  what it was sold as
sides[].size            integer|null bytes
sides[].price           any          what it costs
differing               array        parameters that differ
differing[]             object
differing[].what        string
differing[].values      array        by side
rows                    array        the same work on two sides at least
rows[]                  object
rows[].work             object       the work
rows[].measure          string       what is measured of it
rows[].figures          array        by side
rows[].figures[]        object|null
rows[].ratios           array        each side to the first
rows[].ratios[]         object|null
rows[].unrecorded       array        what is not known of a side
in_turns                object|null  how sides took turns
verdict                 string|null  in words
notes                   array        in words
notes[]                 string
alone                   array        work of one side alone
prices                  array        price per unit
price_sentences         array        in words
readings                array        what the figures show of each volume
readings[]              object
readings[].side         integer      which side, from 0
readings[].kind         string
readings[].sentence     string       in words
readings[].confidence   string
";

const IMPORT: &str = "
plimsoll_version                  string       the version that read
files                             array        each input
files[]                           object
files[].file                      string       its name
files[].error                     string|null  why nothing was read
files[].notes?                    array        what is to be known
files[].notes[]                   string
files[].troubles?                 array        places that could not be read
files[].troubles[]                object
files[].troubles[].line           integer
files[].troubles[].column         integer
files[].troubles[].expected       string
files[].troubles[].found          string
files[].runs                      array        each result
files[].runs[]                    object
files[].runs[].run_file           string       where it is kept
files[].runs[].tool               string       the tool with its version
files[].runs[].lacks              array        what it does not tell
files[].runs[].lacks[]            string
files[].runs[].notes              array
files[].runs[].started_unix_ms    integer      0 where that is not told
files[].runs[].reported           array        figures as they were printed
files[].runs[].reported[]         object
files[].runs[].observed           object|null  what there is of series
";

const SERIES: &str = "
started_unix_ms   integer  milliseconds since 1970, UTC
from_s            array    seconds of the run at which intervals begin
from_s[]          number
to_s              array    seconds of the run at which they end
to_s[]            number
to_utc            array    the same as ISO 8601 in UTC
to_utc[]          string
series            array    each series
series[]          object
series[].name     string   DEVICE:METRIC
series[].device   string
series[].metric   string
series[].unit     string
series[].values   array    null where nothing is known
series[].values[] number|null
";

const EXPLAIN: &str = "
explained                 array         each command or job file
explained[]               object
explained[].tool          string        whose words they are
explained[].line          integer       where it begins, from 1
explained[].kind          string        a command line or a job file
explained[].command       string|null   as it is understood
explained[].job_file      string|null
explained[].repairs       array         what was mended of a pasted text
explained[].gaps          array         what is not known
explained[].asks          array         what it asks, in words
explained[].asks[]        string
explained[].apart         array         what differs from an earlier one
explained[].words         array         each word
explained[].words[]       object
explained[].words[].word  string
explained[].words[].meaning string
explained[].risks         array         what is risky about it
explained[].risks[]       object
explained[].risks[].id    string
explained[].risks[].level string
explained[].risks[].text  string
explained[].risks[].source string|null
explained[].corrected     object|null   how it should read
explained[].native        array         the same in plimsoll's words
explained[].native[]      object
not_understood            array         what is of no known tool
";

const LIST: &str = "
folder                   string       where they lie
run_files                integer      all that are there
runs                     array        the newest first
runs[]                   object
runs[].path              string
runs[].started_unix_ms   integer      milliseconds since 1970, UTC
runs[].command           string       behind the program's name
runs[].complete          boolean      it came to its end
runs[].state             string|null  still running, or stopped before its end
runs[].verdict           string|null  in words
runs[].unreadable        string|null  why it cannot be read
";

const DOCTOR: &str = "
signs            array        what was looked at
signs[]          object
signs[].what     string
signs[].weight   string       whether it would spoil a measurement
signs[].found    string       in words
signs[].remedy   string|null  in words
";

const POLICIES: &str = "
policies                          array        each policy
policies[]                        object
policies[].id                     string       by which it is named
policies[].name                   string
policies[].provider               string
policies[].as_of                  string|null  the date of its figures
policies[].example                string       as it may be typed
policies[].depends_on_parameters  boolean      the figures are those of the example
policies[].limits                 object       what it limits: rates a second, sizes in bytes
policies[].limits.policy          object
policies[].limits.limits          array        each limit
policies[].limits.limits[]        object
policies[].limits.limits[].id     string
policies[].limits.limits[].resource string
policies[].limits.limits[].direction string
policies[].limits.limits[].baseline number     a second, in base units
policies[].limits.limits[].burst  object|null
policies[].limits.sources         array
policies[].limits.sources[]       object
";

const MATCH: &str = "
levels                       array         at which a limit held the run
levels[]                     object
levels[].direction           string        which way
levels[].block               integer       bytes of an I/O
levels[].iops_low            number        operations a second at least
levels[].iops_high           number|null   and at most; null: any more
circumstances                object        what else is known of the volume
circumstances.size           integer|null  bytes
circumstances.provider       string|null   whose machine it is, by firmware and devices
candidates                   array         policies that give every level, the likeliest first
candidates[]                 object
candidates[].rank            integer       from 1; equal where no level tells two apart
candidates[].policy          object
candidates[].policy.id       string
candidates[].policy.parameters array       pairs of name and value
candidates[].policy.parameters[] array
candidates[].policy.parameters[][] string
candidates[].title           string        the provider's name for it
candidates[].provider        string
candidates[].status          string        whether it still holds
candidates[].level           string        whether the levels are its baseline or its burst
candidates[].readings        array         the readings of MB in which they are
candidates[].readings[]      string
candidates[].gives           array         operations a second that it gives at each level
candidates[].gives[]         number
candidates[].error           number        by which share a level lies off that at most
candidates[].burst_ends_s    number|null   how long its burst lasts from full credits, seconds
apart                        array         of each candidate behind the first: what would tell it from that
apart[]                      object
apart[].by                   =load|=time|=nothing
apart[].direction?           string        of a load: which way
apart[].block?               integer       of a load: bytes of an I/O
apart[].iops?                array         of a load: a second of the first and of the other
apart[].iops[]               number
apart[].lasts?               integer|null  of a time: nanoseconds of load until a burst ends
apart[].left?                array         of a time: operations a second that are left of the first and of the other
apart[].left[]               number
";

const PROFILES: &str = "
profiles                    array        each profile
profiles[]                  object
profiles[].name             string       by which it is run
profiles[].title            string
profiles[].about            string       what it does
profiles[].measures         string       what its figures tell
profiles[].left_out         string       what it leaves out
profiles[].steps            array        in the order they run
profiles[].steps[]          object
profiles[].steps[].name     string
profiles[].steps[].seconds  number       counted time
profiles[].steps[].jobs     array        in words
profiles[].steps[].jobs[]   string
";

const PLAN: &str = "
target      string       what would be measured
first_step  object|null  the first step as it is planned, with its reasons
outline     array        what would run, in words, a line each
outline[]   string
";

const LAB: &str = "
volumes                  array        each lab volume
volumes[]                object
volumes[].device         string
volumes[].size           integer      bytes
volumes[].policy         string       with its parameters
volumes[].in_force       string       the limits that the kernel has now, in words
volumes[].credits_share  number|null  credits that are left, as a share; null where none drain
";

const PROGRESS: &str = "
event                string        what happened
elapsed_s            number        seconds since the command began
left_s               number|null   seconds that are foreseen to be left
run                  integer|null  which run file of the command, from 1
step                 integer|null  which step of that run, from 1
name?                string        of the step or phase
kind?                any           of the step or phase
steps?               integer|null  how many there will be, or were
run_file?            string
report?              string|null   the page
plimsoll_version?    string
command_line?        array
command_line[]       string
started_unix_ms?     integer
target?              string|null
policy?              string|null
expectation?         string|null
start_ns?            integer       nanoseconds on the run's clock
end_ns?              integer       nanoseconds on the run's clock
job?                 integer       which job of the step
counted?             boolean       it counts for the result
late?                integer       I/Os that were issued after they were due
waited_ns?           integer
directions?          object        by direction, where something ended
directions.*         counted
iops?                number|null   a second
bytes_per_second?    number|null
ending?              string        why the step ended
started_ns?          integer
counted_from_ns?     integer
ended_ns?            integer
seconds?             number
totals?              object        by direction
totals.*             totals
caps?                array         caps that were found so far
caps[]               reached
reached?             array         the greatest rates so far
reached[]            reached
latencies?           array         as in the document report
latencies[]          object
length_s?            number|null   of a phase
from_ns?             integer
to_ns?               integer
device?              string        the busiest of a watch
reads_per_second?    number|null
writes_per_second?   number|null
await_s?             number|null
queue?               number|null
complete?            boolean
answer?              string        of the verdict
sentence?            string        of the verdict
text?                string        words for people
exit_code?           integer
";

/// Parts that several documents share, under the type that names them.
pub const PARTS: [(&str, &str); 5] = [
    ("estimate", ESTIMATE),
    ("point", POINT),
    ("counted", COUNTED),
    ("totals", TOTALS),
    ("reached", REACHED),
];

const ESTIMATE: &str = "
value  number  the figure
low    number  lower end of its 95 % interval
high   number  upper end of its 95 % interval
";

const POINT: &str = "
step              string       name of the step
direction         string       which way
depth             integer      I/Os in flight, all workers together
block             integer      bytes of an I/O
iops              estimate     operations a second
bytes_per_second  estimate     bytes a second
latency_ns_mean   number       nanoseconds
latency_ns_p50    integer      nanoseconds
latency_ns_p99    integer      nanoseconds
seconds           number       seconds that were counted
ending            string       why the step ended
limiter_index     number|null  below 0.05: a limiter
";

const COUNTED: &str = "
ops              integer       that ended
bytes            integer
errors           integer
latency_ns_mean  number|null   nanoseconds
latency_ns_p99   integer|null  nanoseconds
latency_ns_max   integer|null  nanoseconds
";

const TOTALS: &str = "
ops              integer       that ended
bytes            integer
errors           integer
short            integer       that moved less than was asked
latency_ns_mean  number|null   nanoseconds
latency_ns_min   integer|null  nanoseconds
latency_ns_p50   integer|null  nanoseconds
latency_ns_p99   integer|null  nanoseconds
latency_ns_max   integer|null  nanoseconds
";

const REACHED: &str = "
of           =operations|=bytes  what is counted
direction    string              which way
per_second   estimate            the rate
block_from?  integer             blocks of so many bytes and more
step?        string              where it was reached
block?       integer             bytes of an I/O
depth?       integer             I/Os in flight
";
