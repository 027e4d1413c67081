// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.ingress.LocalAuthority;
import dev.redoma.http.Json;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Makes certificates for a domain in `<data>/tls`, and says how they are trusted and used. `DATA DOMAIN [json]`.
public final class TlsInit {
    static final String AUTHORITY = "ca.pem";
    static final String CHAIN = "server.pem";
    static final String KEY = "server.key";
    private static final String DOMAIN = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,8}";

    private TlsInit() {}

    public static void main(String[] arguments) {
        try {
            var where = Path.of(arguments[0]).toAbsolutePath().resolve("tls");
            var minted = make(where, arguments[1]);
            System.out.println(List.of(arguments).contains("json") ? Json.text(said(where, arguments[1], minted)) : text(where, arguments[1], minted));
        } catch (RedomaException refused) {
            System.err.println("redoma: " + refused.problem().message() + " " + refused.problem().remedy());
            System.exit(refused.code().status() == 400 ? 2 : 1);
        } catch (IOException failed) {
            System.err.println("redoma: the certificates cannot be written: " + failed.getMessage());
            System.exit(1);
        }
    }

    static LocalAuthority.Minted make(Path where, String domain) throws IOException {
        if (!domain.matches(DOMAIN) || domain.length() > 180) {
            throw Problem.field("domain", "'" + domain + "' is no domain", "one in lower case, such as sandboxes.example.com");
        }
        Files.createDirectories(where);
        var minted = LocalAuthority.mint(domain);
        PrivateFile.write(where.resolve(KEY), minted.key().getBytes(StandardCharsets.US_ASCII));
        Files.writeString(where.resolve(CHAIN), minted.chain());
        Files.writeString(where.resolve(AUTHORITY), minted.authority());
        return minted;
    }

    private static Map<String, Object> said(Path where, String domain, LocalAuthority.Minted minted) {
        return Map.of("domain", domain, "authority", where.resolve(AUTHORITY).toString(), "certificate", where.resolve(CHAIN).toString(), "key", where.resolve(KEY).toString(),
                "until", minted.until().toString());
    }

    private static String text(Path where, String domain, LocalAuthority.Minted minted) {
        var ca = where.resolve(AUTHORITY);
        return """
                Certificates for %1$s and *.%1$s are in %2$s, good until %3$s.
                They are used when redoma.yaml says

                  tls: {domain: %1$s, listen: "127.0.0.1:443"}

                Clients trust them by
                  Node      NODE_EXTRA_CA_CERTS=%4$s
                  Python    SSL_CERT_FILE=%4$s
                  Debian    cp %4$s /usr/local/share/ca-certificates/redoma.crt && update-ca-certificates
                and find this server where api.%1$s and every <port>-<id>.%1$s lead to it, for example by dnsmasq:
                  address=/%1$s/127.0.0.1
                Then E2B's SDKs need E2B_DOMAIN=%1$s (with :PORT after it where it is not 443) and E2B_API_KEY.""".formatted(domain, where, minted.until(), ca);
    }
}
