// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

/// Every key of `redoma.yaml`, with its kind, its shipped value and what it means. `docs/configuration.md` is made of these.
public enum ConfigKey {
    LISTEN("listen", Kind.ADDRESS, "127.0.0.1:7800", "Where the API is served; port 0 takes a free one."),
    ALLOW_REMOTE("allow-remote", Kind.FLAG, "false", "Allows `listen` on an address that others can reach. Put TLS before it."),
    ROUTER_LISTEN("router.listen", Kind.ADDRESS, "host", "Where sandboxes are reached (their ports, E2B's daemon): one port after `listen`, or a free one where that takes one."),
    ROUTER_PUBLIC("router.public", Kind.FLAG, "true", "Lets anybody who reaches the router reach the ports of sandboxes that E2B's clients made without asking for a token. Only where `router.listen` is on loopback; else it is false."),
    TLS_DOMAIN("tls.domain", Kind.TEXT, "host", "Domain under which `api.DOMAIN` is the API and `PORT-SANDBOX.DOMAIN` a sandbox, over TLS: there is none, and no TLS."),
    TLS_LISTEN("tls.listen", Kind.ADDRESS, "127.0.0.1:7843", "Where TLS is served if there is a domain; port 0 takes a free one."),
    TLS_CERTIFICATE("tls.certificate", Kind.TEXT, "host", "The certificate and its chain in PEM: `<data>/tls/server.pem`, which `redoma tls init` makes."),
    TLS_KEY("tls.key", Kind.TEXT, "host", "Its key in PEM (PKCS #8): `<data>/tls/server.key`."),
    DEFAULT_TEMPLATE("default-template", Kind.TEXT, "base", "Template of a sandbox that names none."),
    DEFAULT_REGISTRY("default-registry", Kind.TEXT, "host", "`HOST[:PORT]` of the registry of an image that names none: there is none."),
    SHARED_KERNEL("tenancy.shared-kernel", Kind.FLAG, "false", "Lets sandboxes of two tenants run on one kernel."),
    QUOTA_LIVE("quota.live", Kind.COUNT, "256", "Sandboxes of a tenant that run, start or are paused."),
    QUOTA_STORED("quota.stored", Kind.COUNT, "1024", "Sandboxes of a tenant that are not ended."),
    QUOTA_SNAPSHOTS("quota.snapshots", Kind.COUNT, "256", "Snapshots of a tenant."),
    QUOTA_OUTPUT("quota.output", Kind.SIZE, "2GiB", "Kept output of a sandbox's commands; beyond it that of the oldest ended ones is removed."),
    AUDIT_KEEP_SANDBOX("audit.keep.sandbox", Kind.DURATION, "0s", "How long names and labels of sandboxes stay readable in records; 0s: for ever."),
    AUDIT_KEEP_EXEC("audit.keep.exec", Kind.DURATION, "0s", "How long words, directory and digests of output of commands stay readable in records; 0s: for ever."),
    AUDIT_KEEP_APPROVAL("audit.keep.approval", Kind.DURATION, "0s", "How long what approvers were shown, and what they said, stays readable in records; 0s: for ever."),
    AUDIT_KEEP_FILE("audit.keep.file", Kind.DURATION, "0s", "How long paths and digests of files stay readable in records; 0s: for ever."),
    AUDIT_KEEP_EGRESS("audit.keep.egress", Kind.DURATION, "0s", "How long hosts, addresses and paths stay readable in records; 0s: for ever."),
    AUDIT_KEEP_PREVIEW("audit.keep.preview", Kind.DURATION, "0s", "How long addresses of visitors stay readable in records; 0s: for ever."),
    AUDIT_KEEP_POLICY("audit.keep.policy", Kind.DURATION, "0s", "How long texts of policies stay readable in records; 0s: for ever."),
    AUDIT_KEEP_VOLUME("audit.keep.volume", Kind.DURATION, "0s", "How long names and labels of volumes stay readable in records; 0s: for ever."),
    AUDIT_KEEP_ADMIN("audit.keep.admin", Kind.DURATION, "0s", "How long names of keys and people stay readable in records; 0s: for ever."),
    REDACT_TOKENS("redact.output-tokens", Kind.FLAG, "true", "Masks what has the shape of a well-known token in the output of commands, where a request does not say. In records it always is masked."),
    QUOTA_VOLUMES("quota.volumes", Kind.COUNT, "64", "Volumes of a tenant."),
    QUOTA_VOLUME_BYTES("quota.volume-bytes", Kind.SIZE, "1TiB", "What a tenant's volumes may hold together, by their sizes."),
    DEFAULT_CPU("limits.default.cpu", Kind.NUMBER, "host", "Cores of a sandbox that asks for none: 2, or what the host has."),
    DEFAULT_MEMORY("limits.default.memory", Kind.SIZE, "host", "Memory: 2 GiB, or half of the host's."),
    DEFAULT_DISK("limits.default.disk", Kind.SIZE, "8GiB", "Disk."),
    DEFAULT_PIDS("limits.default.pids", Kind.COUNT, "512", "Processes and threads."),
    DEFAULT_OPEN_FILES("limits.default.open-files", Kind.COUNT, "host", "Open files of a process: 65,536, or what the server itself may have."),
    DEFAULT_SHM("limits.default.shm", Kind.SIZE, "64MiB", "Size of /dev/shm."),
    DEFAULT_LIFETIME("limits.default.lifetime", Kind.DURATION, "1h", "How long it lives."),
    DEFAULT_IDLE("limits.default.idle", Kind.DURATION, "15m", "How long it may be idle."),
    MOST_CPU("limits.most.cpu", Kind.NUMBER, "host", "Most that a request may ask for: all cores."),
    MOST_MEMORY("limits.most.memory", Kind.SIZE, "host", "Most memory: the host's."),
    MOST_DISK("limits.most.disk", Kind.SIZE, "1TiB", "Most disk."),
    MOST_PIDS("limits.most.pids", Kind.COUNT, "32768", "Most processes and threads."),
    MOST_OPEN_FILES("limits.most.open-files", Kind.COUNT, "host", "Most open files: 1,048,576, or what the server itself may have."),
    MOST_SHM("limits.most.shm", Kind.SIZE, "host", "Largest /dev/shm: the host's memory."),
    MOST_LIFETIME("limits.most.lifetime", Kind.DURATION, "24h", "Longest life."),
    MOST_IDLE("limits.most.idle", Kind.DURATION, "24h", "Longest idle time."),
    RESERVE_MEMORY("reserve.memory", Kind.SIZE, "512MiB", "Memory of the host that stays free."),
    RESERVE_DISK("reserve.disk", Kind.SIZE, "512MiB", "Disk of the host that stays free."),
    RESERVE_PIDS("reserve.pids", Kind.COUNT, "512", "Processes of the host that stay free."),
    RESERVE_MEMORY_TIMES("reserve.memory-times", Kind.NUMBER, "32", "How many times its memory the host may promise."),
    RESERVE_DISK_TIMES("reserve.disk-times", Kind.NUMBER, "512", "How many times its disk."),
    RESERVE_PIDS_TIMES("reserve.pids-times", Kind.NUMBER, "32", "How many times its processes."),
    WARM_SIZE("warm.size", Kind.COUNT, "2", "Sandboxes started ahead for each tenant and template in use, those with a way out (networked ahead) and those without each; 0: none."),
    WARM_TOTAL("warm.total", Kind.COUNT, "16", "Started ahead in all."),
    WARM_PARALLEL("warm.parallel", Kind.COUNT, "1", "Starts ahead at a time."),
    WARM_KEEP("warm.keep", Kind.DURATION, "30m", "How long a template counts as in use."),
    UIDS_FIRST("uids.first", Kind.COUNT, "1879048192", "First host uid handed out to sandboxes."),
    UIDS_COUNT("uids.count", Kind.COUNT, "4080", "How many ranges of 65,536 from there."),
    TIME_READY("times.ready", Kind.DURATION, "20s", "How long a guest may take to answer."),
    TIME_LOCK("times.lock", Kind.DURATION, "60s", "How long a call waits for the one before it."),
    TIME_LIVENESS("times.liveness", Kind.DURATION, "3s", "Between looks at what should run."),
    TIME_SWEEP("times.sweep", Kind.DURATION, "60s", "Between rounds of the reaper."),
    TIME_GRACE("times.grace", Kind.DURATION, "2m", "How long something is orphaned before it is removed."),
    TIME_ENDED("times.ended", Kind.DURATION, "48h", "How long an ended sandbox is shown."),
    TIME_LOST("times.lost", Kind.DURATION, "24h", "How long a lost sandbox keeps its disk."),
    TIME_WORKSPACE("times.workspace", Kind.DURATION, "10m", "How long git may take to fill a workspace at create, and a policy's set-up; 1s to 23h."),
    SNAPSHOTS_KEEP_COUNT("snapshots.keep.count", Kind.COUNT, "0", "Snapshots kept of each name (without a name: of each sandbox); 0: all."),
    SNAPSHOTS_KEEP_AGE("snapshots.keep.age", Kind.DURATION, "0s", "How long a snapshot is kept; 0s: for ever."),
    CONTENTS_CREDENTIALS("snapshots.contents.credentials", Kind.TEXT, "scrub", "Secrets found in what a sandbox changed, when it is saved: keep, scrub or refuse."),
    CONTENTS_HISTORY("snapshots.contents.history", Kind.TEXT, "scrub", "Histories of shells and other programs: keep, scrub or refuse."),
    CONTENTS_BROWSER("snapshots.contents.browser", Kind.TEXT, "scrub", "State of browsers: keep, scrub or refuse."),
    CONTENTS_CACHES("snapshots.contents.caches", Kind.TEXT, "keep", "Caches: keep, scrub or refuse."),
    CONTENTS_TEMPORARY("snapshots.contents.temporary", Kind.TEXT, "keep", "Temporary files: keep, scrub or refuse."),
    CONTENTS_LOGS("snapshots.contents.logs", Kind.TEXT, "keep", "Logs: keep, scrub or refuse."),
    CONTENTS_PACKAGES("snapshots.contents.packages", Kind.TEXT, "keep", "Installed packages: keep or refuse."),
    CONTENTS_OTHER("snapshots.contents.other", Kind.TEXT, "keep", "All other files: keep or refuse."),
    BUILDS_AT_ONCE("builds.at-once", Kind.COUNT, "2", "Builds at work at a time, one of each template name; 1 or more."),
    BUILDS_WAITING("builds.waiting", Kind.COUNT, "64", "Builds that may wait."),
    BUILDS_STEP("builds.step", Kind.DURATION, "1h", "How long one step may take; 1s to 23h."),
    BUILDS_MEMBERS("builds.members", Kind.COUNT, "200000", "Files, directories and links that come with a build, at most."),
    BUILDS_FILES("builds.files", Kind.SIZE, "8GiB", "Size of the files that come with a build, unpacked."),
    BUILDS_LOG("builds.log", Kind.SIZE, "32MiB", "What is kept of a build's log."),
    BUILDS_KEEP("builds.keep", Kind.DURATION, "7d", "How long ended builds are shown, and what steps made is kept after its last use."),
    POLICY_DEFAULT("policy.default", Kind.TEXT, "none", "Policy of a sandbox that names none: none, packages, internet, or the path of a policy file."),
    POLICY_FLOOR("policy.floor", Kind.TEXT, "host", "Path of a policy file that no sandbox gets beyond. Without one: everything public may be asked for, nothing private."),
    POLICY_TENANTS("policy.tenants", Kind.TEXT, "host", "Path of a directory with a policy file TENANT.yaml for each tenant that has a floor of its own within the other: none."),
    POLICY_REGISTRIES("policy.registries", Kind.TEXT, "host", "Hosts of package registries, with commas between: what the policy `packages` allows. Without them it is refused."),
    UPSTREAM_RESOLVER("upstream.resolver", Kind.TEXT, "host", "`ADDRESS[:PORT]` of the name servers that say where names lead, of sandboxes' connections and of registries; with commas between, three at most. Nobody else is asked then, the file of hosts neither. Without them: the host's own resolver."),
    UPSTREAM_OWN("upstream.own-addresses", Kind.TEXT, "host", "Addresses and ranges that lead to this host although no interface has them (behind 1:1 NAT its public address), with commas between: no sandbox reaches them. None."),
    UPSTREAM_PUBLIC("upstream.public-addresses", Kind.TEXT, "host", "Ranges that are none of the public ones and lead to public hosts on this network all the same (NAT64, shared addresses of a carrier, a split horizon), with commas between: policies take their addresses for public ones. An IPv6 range of 96 bits is translated IPv4, and each address counts as the one within. Nothing makes loopback, link-local, metadata or this host's own addresses public. None."),
    UPSTREAM_PROXY("upstream.proxy", Kind.TEXT, "host", "`http://HOST:PORT` of an HTTP proxy through which public addresses are reached, of sandboxes' connections and of registries, by `CONNECT` to the address that was looked up and checked here; private addresses and name servers are reached directly. None."),
    UPSTREAM_PROXY_CREDENTIALS("upstream.proxy-credentials", Kind.TEXT, "host", "Path of a file of mode 0600 with `USER:PASSWORD` for that proxy, read anew for each connection: none."),
    UPSTREAM_CA("upstream.ca", Kind.TEXT, "host", "Path of a file of certificates in PEM (at most 320 KiB) that are believed of origins, beside this host's own authorities, where TLS is intercepted; programs in sandboxes out of which anything leaves are told to trust them too, beside those of their template. None."),
    APPROVALS_HOLD("approvals.hold", Kind.DURATION, "3s", "How long a call that humans have to approve waits for them before it is told that a request is pending (docs/approvals.md); at most 1m."),
    APPROVALS_HOLD_EGRESS("approvals.hold-egress", Kind.DURATION, "20s", "How long a connection out of a sandbox that humans have to approve waits for them before it is refused; at most 50s."),
    APPROVALS_WEBHOOK("approvals.webhook", Kind.TEXT, "host", "URL that is told, by a signed POST, of each request for approval and of each change of one (docs/approvals.md): none."),
    APPROVALS_WEBHOOK_SECRET("approvals.webhook-secret", Kind.TEXT, "host", "Path of a file with the secret of at least 32 characters that signs it; needed with `approvals.webhook`."),
    APPROVALS_WEBHOOK_PRIVATE("approvals.webhook-private", Kind.FLAG, "false", "Lets the webhook lead to this host or a private address, and be told without TLS."),
    RATE_PER_SECOND("rate.per-second", Kind.NUMBER, "500", "Requests a second of one key."),
    RATE_BURST("rate.burst", Kind.NUMBER, "1000", "Requests at once of one key."),
    UPLOAD_LARGEST("upload.largest", Kind.SIZE, "64GiB", "Largest body of a file, archive or template."),
    POOL_SIZE("pool.size", Kind.SIZE, "host", "Size of the pool's sparse file: four fifths of the free disk when it is first made, at most 512 GiB. It may grow, never shrink."),
    POOL_DEVICE("pool.device", Kind.TEXT, "host", "A block device for the pool alone, instead of a file: none."),
    POOL_DIRECTORY("pool.directory", Kind.TEXT, "host", "A directory on a mounted Btrfs for the pool, instead of a file: none."),
    AUDIT_HEADS("audit.heads", Kind.TEXT, "host", "URL that signed heads are sent to (POST, one a line, in order, at least once), to be kept on another host and named to `audit verify --heads`: none."),
    AUDIT_HEADS_HEADERS("audit.heads-headers", Kind.TEXT, "host", "Path of a file of mode 0600 with lines `Name: value`, headers that each such request carries: none."),
    AUDIT_OTLP("audit.otlp", Kind.TEXT, "host", "URL that records are sent to as OpenTelemetry's logs (OTLP over HTTP in protobuf, such as `https://HOST:4318/v1/logs`), in order, at least once: none."),
    AUDIT_OTLP_HEADERS("audit.otlp-headers", Kind.TEXT, "host", "Path of a file of mode 0600 with lines `Name: value`, headers that each such request carries: none."),
    AUDIT_OTLP_SEALED("audit.otlp-sealed", Kind.FLAG, "false", "Sends with them what is sealed in records here (argv, hosts, paths): erasing it does not reach what has left."),
    AUDIT_FORWARD_PRIVATE("audit.forward-private", Kind.FLAG, "false", "Lets `audit.heads` and `audit.otlp` lead to this host or a private address, and without TLS."),
    AUDIT_CHECKPOINT("audit.checkpoint", Kind.DURATION, "10s", "How long a record may wait until a signed head covers it."),
    HTTP_IDLE("http.idle", Kind.DURATION, "60s", "How long a connection may be silent where bytes are due."),
    HTTP_HEADERS("http.headers", Kind.SIZE, "16KiB", "Most bytes of a request's head."),
    STOP_GRACE("stop.grace", Kind.DURATION, "10s", "How long requests under way may take when the server stops.");

    /// How a value is written.
    public enum Kind { TEXT, FLAG, COUNT, NUMBER, SIZE, DURATION, ADDRESS }

    private final String path;
    private final Kind kind;
    private final String shipped;
    private final String about;

    ConfigKey(String path, Kind kind, String shipped, String about) {
        this.path = path;
        this.kind = kind;
        this.shipped = shipped;
        this.about = about;
    }

    public String path() {
        return path;
    }

    public Kind kind() {
        return kind;
    }

    /// As text; `host` where it depends on the host.
    public String shipped() {
        return shipped;
    }

    public String about() {
        return about;
    }

    /// Name of the environment variable over it.
    public String variable() {
        return "REDOMA_" + path.toUpperCase(java.util.Locale.ROOT).replace('.', '_').replace('-', '_');
    }
}
