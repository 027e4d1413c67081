// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import com.sun.net.httpserver.HttpServer;
import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/// Import of an image of three gzip layers with 200 MiB in them, beside `tar x` of the same layers onto the same file system; and a pull of
/// an image whose layers are all there, beside the requests for its documents.
final class ImageBench implements Bench {
    private static final int ROUNDS = 3;
    private static final int PULLS = 20;
    private static final int MIB = 200;

    private final Map<String, byte[]> served = new ConcurrentHashMap<>();
    private final HttpServer server = serve();

    @Override
    public String name() {
        return "templates.images";
    }

    private HttpServer serve() {
        try {
            var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
            http.createContext("/", exchange -> {
                var content = served.get(exchange.getRequestURI().getPath());
                exchange.getResponseHeaders().set("Content-Type", "application/vnd.oci.image.manifest.v1+json");
                exchange.sendResponseHeaders(content == null ? 404 : 200, content == null ? -1 : content.length);
                if (content != null) {
                    exchange.getResponseBody().write(content);
                }
                exchange.close();
            });
            return http;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String host() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    @Override
    public RigOptions options() {
        return RigOptions.standard().withFile("registries: [{host: \"" + host() + "\", plain-http: true, allow-private: true}]\n");
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        server.start();
        try {
            var image = image();
            return List.of(imported(rig, image), pulled(rig, image));
        } finally {
            server.stop(0);
        }
    }

    private static TestImage image() {
        var random = new Random(7);
        var image = new TestImage().config("Env", List.of("PATH=/bin"));
        for (int layer = 0; layer < 3; layer++) {
            image.gzip(layer(random, "l" + layer, MIB * (layer == 0 ? 2L : 1L) * (1 << 20) / 4));
        }
        return image;
    }

    /// Files of 1 KiB to 512 KiB, most of them small, of words.
    private static LayerTar layer(Random random, String top, long bytes) {
        var tar = new LayerTar().dir(top);
        int n = 0;
        for (long left = bytes; left > 0; n++) {
            if (n % 100 == 0) {
                tar.dir(top + "/d" + n / 100);
            }
            int size = (int) Math.min(left, 1024L << random.nextInt(10));
            tar.file(top + "/d" + n / 100 + "/f" + n, 0644, words(random, size));
            left -= size;
        }
        return tar;
    }

    private static byte[] words(Random random, int size) {
        var text = new StringBuilder(size + 16);
        while (text.length() < size) {
            text.append(Integer.toString(random.nextInt(50_000), 36)).append(' ');
        }
        text.setLength(size);
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private static Figure imported(Rig rig, TestImage image) throws IOException {
        var archive = Files.write(rig.place().dir().resolve("image.tar"), image.ociArchive(""));
        var layers = new ArrayList<Path>();
        for (var layer : image.layers()) {
            layers.add(Files.write(rig.place().dir().resolve("layer" + layers.size() + ".tar.gz"), layer.stored()));
        }
        var floor = new double[ROUNDS];
        var ours = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            floor[i] = unpacked(rig, layers);
            long start = System.nanoTime();
            rig.client().templates().importTar("imported", archive, (done, total) -> {});
            ours[i] = (System.nanoTime() - start) / 1e6;
            rig.client().templates().delete("imported");
        }
        return new Figure("templates.import", "ms", new Samples(ours), "tar x", new Samples(floor).p50(), new Bar.AtMost(2.5));
    }

    private static double unpacked(Rig rig, List<Path> layers) throws IOException {
        var target = rig.poolScratch("unpacked");
        double ms = 0;
        for (var layer : layers) {
            ms += Commands.once("tar", "-xzf", layer.toString(), "-C", target.toString());
        }
        TinyTemplate.deleteTree(target);
        return ms;
    }

    private Figure pulled(Rig rig, TestImage image) throws Exception {
        var documents = List.of("/v2/bench/manifests/v1", "/v2/bench/blobs/" + TestImage.digest(image.configDocument()));
        image.blobs().forEach((digest, content) -> served.put("/v2/bench/blobs/" + digest, content));
        served.put(documents.getFirst(), image.manifest());
        pull(rig);
        var ours = new double[PULLS];
        for (int i = 0; i < PULLS; i++) {
            double requests = requests(documents);
            long start = System.nanoTime();
            pull(rig);
            ours[i] = (System.nanoTime() - start) / 1e6 - requests;
        }
        return new Figure("templates.pull.again", "ms", new Samples(ours), "limit", 100, new Bar.Ceiling("<= 100 ms beyond the requests"));
    }

    private void pull(Rig rig) throws IOException {
        var builds = rig.client().builds();
        Build begun = builds.start("pulled", new StartBuild(host() + "/bench:v1", null, null, null, null, null));
        var ended = builds.follow(begun.id(), OutputStream.nullOutputStream());
        if (!ended.state().equals("ready")) {
            throw new IllegalStateException(ended.toString());
        }
    }

    private double requests(List<String> paths) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            double ms = 0;
            for (var path : paths) {
                var request = HttpRequest.newBuilder(URI.create("http://" + host() + path)).build();
                long start = System.nanoTime();
                client.send(request, HttpResponse.BodyHandlers.ofByteArray());
                ms += (System.nanoTime() - start) / 1e6;
            }
            return ms;
        }
    }
}
