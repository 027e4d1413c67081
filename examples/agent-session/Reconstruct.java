// SPDX-License-Identifier: Apache-2.0
import dev.redoma.client.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Tells what happened in a sandbox from an export alone: no server, no database. Verify the export first (`redoma audit verify FILE --key KEY`); this trusts it.
public final class Reconstruct {
    private static final Map<String, Object> COMMANDS = new HashMap<>();

    public static void main(String[] args) throws Exception {
        try (var lines = Files.lines(Path.of(args[0]))) {
            lines.map(Json::parse).map(Reconstruct::map).filter(line -> line.get("record") instanceof Map<?, ?>).forEach(line -> {
                var record = map(line.get("record"));
                if (args[1].equals(record.get("sandbox"))) {
                    var fields = new HashMap<>(map(record.get("fields")));
                    fields.putAll(map(line.get("opened")));
                    tell(record, fields);
                }
            });
        }
    }

    private static void tell(Map<String, Object> record, Map<String, Object> fields) {
        var said = said(record.get("category") + "." + record.get("action"), String.valueOf(record.get("exec")), fields);
        if (said != null) {
            var at = Instant.EPOCH.plus(((Number) record.get("at")).longValue(), ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS);
            System.out.println(at + "  " + record.get("actor") + "  " + said);
        }
    }

    private static String said(String what, String exec, Map<String, Object> f) {
        return switch (what) {
            case "exec.requested" -> {
                COMMANDS.put(exec, String.join(" ", ((List<?>) f.get("argv")).stream().map(String::valueOf).toList()));
                yield "runs: " + COMMANDS.get(exec) + "  (in " + f.get("cwd") + " as " + f.get("user") + ")";
            }
            case "exec.approved" -> null;
            case "exec.ended" -> "ended with " + f.get("exitCode") + (Boolean.TRUE.equals(f.get("killed")) ? ", killed" : "") + ", " + f.get("outputBytes") + " bytes of output: " + COMMANDS.get(exec);
            case "file.write" -> "writes " + f.get("path") + ", " + f.get("bytes") + " bytes, SHA-256 " + f.get("sha256");
            case "redaction.masked" -> "masked in " + f.get("in") + ": " + f.get("found");
            case "redaction.masking" -> null;
            default -> what + " " + (f.containsKey("host") ? f.get("host") + " " : "") + (f.containsKey("reason") ? f.get("reason") : "");
        };
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return value instanceof Map<?, ?> ? (Map<String, Object>) value : Map.of();
    }
}
