// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.server.testing.TestServer;

/**
 * The examples of docs/stream.md, as they stand there, against a server. Those for which a tool is missing are skipped:
 * Python with pip or the package {@code websockets}, and a browser of Chromium's kind.
 */
@Timeout(120)
class StreamPageIT {
    private static final String WEBSOCKETS = "websockets>=14,<18";
    private static final int SECONDS = 60;

    @TempDir
    private Path directory;

    private HttpServer web;
    private TestServer server;

    @BeforeEach
    void start() throws Exception {
        web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server = TestServer.start(directory.resolve("data"), Map.of("HTTP_CORSORIGINS", PageInBrowser.origin(web)));
        server.admin().createTopic(NewTopic.of("orders", 2));
    }

    @AfterEach
    void close() {
        server.close();
        web.stop(0);
    }

    /** The page's example in a language. */
    private static String example(String language) throws IOException {
        Path page = Path.of(System.getProperty("talos.root"), "docs/stream.md");
        Matcher block =
                Pattern.compile("(?ms)^```" + language + "\\n(.*?)^```$").matcher(Files.readString(page));
        assertThat(block.find()).as("an example in " + language).isTrue();
        return block.group(1);
    }

    private String ws() {
        return StreamClient.uri(server.uri(), "").toString();
    }

    private Process begin(Path output, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        TalosEndpoint endpoint = server.endpoint();
        builder.environment()
                .putAll(Map.of(
                        "TALOS_WS",
                        ws(),
                        "TALOS_KEY",
                        endpoint.accessKey(),
                        "TALOS_SECRET",
                        endpoint.secretKey(),
                        "PYTHONPATH",
                        directory.resolve("python").toString()));
        return builder.start();
    }

    /** Runs a command, which must succeed, and returns its output. */
    private String run(String... command) throws Exception {
        Path output = directory.resolve("output");
        Process run = begin(output, command);
        assertThat(run.waitFor(SECONDS, TimeUnit.SECONDS)).as("ended in time").isTrue();
        assertThat(run.exitValue()).as(Files.readString(output)).isZero();
        return Files.readString(output);
    }

    private boolean succeeds(String... command) throws Exception {
        try {
            Process run = begin(directory.resolve("attempt"), command);
            return run.waitFor(SECONDS, TimeUnit.SECONDS) && run.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    @Test
    void pythonExamplePutsAndGets() throws Exception {
        boolean hasPackage = succeeds("python3", "-c", "import websockets.asyncio.client")
                || succeeds("python3", "-m", "pip", "install", "-q", "--target", "python", WEBSOCKETS);
        assumeThat(hasPackage)
                .as("python3 with the package websockets, or with pip")
                .isTrue();
        Path program = Files.writeString(directory.resolve("orders.py"), example("python"));

        String output = run("python3", program.toString());

        assertThat(output.lines()).containsExactly("0 0", "1 1", "2 2");
    }

    @Test
    void pageInABrowserShowsWhatIsPut() throws Exception {
        Optional<String> browser = PageInBrowser.browser();
        assumeThat(browser).as("a browser of Chromium's kind").isPresent();
        String page = example("html").replace("wss://talos.example.org", ws());
        Path profile = directory.resolve("profile");
        try (PageInBrowser shown = PageInBrowser.open(browser.get(), profile, page, web, this::token);
                StreamClient writer = StreamClient.open(server.endpoint(), "/v1/topics/orders/stream")) {
            int number = putUntilShown(writer, shown);
            writer.send(Sent.putMessage(0, 0, number, "", "paid"));
            await().atMost(Duration.ofSeconds(SECONDS)).until(() -> shown.text().contains("paid\n"));
        }
    }

    /** Gets a token, as the page's own server does. */
    private String token() throws Exception {
        TalosEndpoint endpoint = server.endpoint();
        String pair = endpoint.accessKey() + ":" + endpoint.secretKey();
        HttpRequest request = HttpRequest.newBuilder(server.uri().resolve("/v1/topics/orders/events/token"))
                .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8)))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** It begins at the end, wherever that is when its stream is open. */
    private static int putUntilShown(StreamClient writer, PageInBrowser shown) {
        List<Integer> numbers = new ArrayList<>();
        await().atMost(Duration.ofSeconds(SECONDS)).until(() -> {
            writer.send(Sent.putMessage(0, 0, numbers.size(), "", "hello"));
            numbers.add(numbers.size());
            return shown.text().contains("hello\n");
        });
        return numbers.size();
    }
}
