// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.ledger.Ledger;
import dev.redoma.model.wire.AuditRecord;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.logs.v1.SeverityNumber;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Records of all tenants as OpenTelemetry's logs (OTLP over HTTP, protobuf): one of ours is one of theirs.
record RecordsOut(Ledger ledger, SentSoFar so, boolean sealed, String installation) implements Forwarder.Source {
    private static final int AT_A_TIME = 500;
    private static final Set<String> REFUSALS = Set.of("denied", "refused", "gap", "failed");

    @Override
    public String name() {
        return "records";
    }

    @Override
    public @Nullable Parcel due() throws IOException {
        for (var tenant : ledger.tenants()) {
            var records = ledger.following(tenant, so.of(tenant), AT_A_TIME, sealed);
            if (!records.isEmpty()) {
                return new Parcel("application/x-protobuf", request(records).toByteArray(), () -> so.now(Map.of(tenant, records.getLast().seq())));
            }
        }
        return null;
    }

    private ExportLogsServiceRequest request(List<AuditRecord> records) {
        var logs = ScopeLogs.newBuilder().setScope(InstrumentationScope.newBuilder().setName("redoma.ledger").setVersion(Version.TEXT));
        records.forEach(r -> logs.addLogRecords(log(r)));
        var resource = Resource.newBuilder().addAttributes(text("service.name", "redoma")).addAttributes(text("service.version", Version.TEXT)).addAttributes(text("service.instance.id", installation));
        return ExportLogsServiceRequest.newBuilder().addResourceLogs(ResourceLogs.newBuilder().setResource(resource).addScopeLogs(logs)).build();
    }

    private static LogRecord log(AuditRecord r) {
        boolean refusal = REFUSALS.stream().anyMatch(word -> r.action().equals(word) || r.action().endsWith("." + word));
        var log = LogRecord.newBuilder().setTimeUnixNano(nanos(r.at().getEpochSecond(), r.at().getNano())).setObservedTimeUnixNano(TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()))
                .setSeverityNumber(refusal ? SeverityNumber.SEVERITY_NUMBER_WARN : SeverityNumber.SEVERITY_NUMBER_INFO).setSeverityText(refusal ? "WARN" : "INFO")
                .setEventName("redoma." + r.category() + "." + r.action()).setBody(value(r.category() + " " + r.action()));
        attributes(r).forEach((name, value) -> log.addAttributes(KeyValue.newBuilder().setKey(name).setValue(value(value))));
        return log.build();
    }

    private static long nanos(long seconds, int nanos) {
        return TimeUnit.SECONDS.toNanos(seconds) + nanos;
    }

    private static Map<String, @Nullable Object> attributes(AuditRecord r) {
        var all = new LinkedHashMap<String, @Nullable Object>();
        all.put("redoma.tenant", r.tenant());
        all.put("redoma.seq", r.seq());
        all.put("redoma.actor", r.actor());
        all.put("redoma.category", r.category());
        all.put("redoma.action", r.action());
        if (r.sandbox() != null) {
            all.put("redoma.sandbox", r.sandbox());
        }
        if (r.exec() != null) {
            all.put("redoma.exec", r.exec());
        }
        all.put("redoma.hash", r.hash());
        all.put("redoma.prev", r.prev());
        r.fields().forEach((name, value) -> all.put("redoma.fields." + name, value));
        return all;
    }

    private static KeyValue text(String key, String value) {
        return KeyValue.newBuilder().setKey(key).setValue(value(value)).build();
    }

    private static AnyValue value(@Nullable Object value) {
        var to = AnyValue.newBuilder();
        return switch (value) {
            case null -> to.build();
            case Boolean b -> to.setBoolValue(b).build();
            case Double d -> to.setDoubleValue(d).build();
            case Number n -> to.setIntValue(n.longValue()).build();
            case Map<?, ?> m -> {
                var list = KeyValueList.newBuilder();
                m.forEach((k, v) -> list.addValues(KeyValue.newBuilder().setKey(String.valueOf(k)).setValue(value(v))));
                yield to.setKvlistValue(list).build();
            }
            case List<?> l -> {
                var list = ArrayValue.newBuilder();
                l.forEach(v -> list.addValues(value(v)));
                yield to.setArrayValue(list).build();
            }
            default -> to.setStringValue(String.valueOf(value)).build();
        };
    }
}
