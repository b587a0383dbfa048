// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.testing.TestServer;

/** Tests the bytes that the front end sends to a browser. */
@Timeout(60)
class PagesTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String OF_BROWSERS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    private static final Pattern BUILD = Pattern.compile("\"([0-9a-f]{24})/");

    @TempDir
    private static Path data;

    private static TestServer server;
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(data.resolve("with"), Map.of());
    }

    @AfterAll
    static void close() {
        server.close();
    }

    private static HttpResponse<byte[]> send(TestServer to, String method, String path, String... headers)
            throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(to.uri() + path))
                .timeout(Duration.ofSeconds(20))
                .method(method, BodyPublishers.noBody());
        return CLIENT.send(
                (headers.length == 0 ? request : request.headers(headers)).build(), BodyHandlers.ofByteArray());
    }

    private static HttpResponse<byte[]> get(String path, String... headers) throws Exception {
        return send(server, "GET", path, headers);
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), UTF_8);
    }

    /** The digest that the console's page refers to. */
    private static String build() throws Exception {
        Matcher found = BUILD.matcher(text(get("/console/")));
        assertThat(found.find()).isTrue();
        return found.group(1);
    }

    @Test
    void consoleIsAPageThatMayLoadNothingFromElsewhereAndRunNothingOfItsOwn() throws Exception {
        HttpResponse<byte[]> answer = get("/console/");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(header(answer, "Content-Security-Policy"))
                .isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                        + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self';"
                        + " frame-ancestors 'none'");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-cache");
        assertThat(text(answer)).contains("<title>Talos</title>").doesNotContain("@build@");
        assertThat(text(answer))
                .doesNotContain("<script>")
                .doesNotContain("<style>")
                .doesNotContain("http:");
    }

    @Test
    void consoleWithoutItsSlashIsSentThere() throws Exception {
        HttpResponse<byte[]> answer = get("/console");

        assertThat(answer.statusCode()).isEqualTo(308);
        assertThat(header(answer, "Location")).isEqualTo("console/");
        assertThat(header(get("/docs/api"), "Location")).isEqualTo("api/");
    }

    @Test
    void fileOfTheBuildIsKeptForEverAndAnyOtherAskedForAgain() throws Exception {
        HttpResponse<byte[]> ofBuild = get("/console/" + build() + "/app.js");
        HttpResponse<byte[]> plain = get("/console/app.js");
        HttpResponse<byte[]> ofAnother = get("/console/" + "0".repeat(24) + "/app.js");

        assertThat(header(ofBuild, "Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(header(ofBuild, "Content-Type")).isEqualTo("text/javascript; charset=utf-8");
        for (HttpResponse<byte[]> each : List.of(plain, ofAnother)) {
            assertThat(each.statusCode()).isEqualTo(200);
            assertThat(each.body()).isEqualTo(ofBuild.body());
            assertThat(header(each, "Cache-Control")).isEqualTo("no-cache");
        }
    }

    @Test
    void fileThatIsKnownIsNotSentAgain() throws Exception {
        HttpResponse<byte[]> first = get("/console/app.js");
        String etag = header(first, "ETag");
        HttpResponse<byte[]> gzip = get("/console/app.js", "Accept-Encoding", "gzip");

        assertThat(etag).matches("\"[0-9a-f]{24}\"");
        assertThat(header(gzip, "ETag")).as("other bytes").isNotEqualTo(etag);
        for (String known : List.of(etag, "W/" + etag, "\"x\", " + etag, header(gzip, "ETag"), "*")) {
            HttpResponse<byte[]> again = get("/console/app.js", "If-None-Match", known);
            assertThat(again.statusCode()).as(known).isEqualTo(304);
            assertThat(again.body()).isEmpty();
            assertThat(header(again, "ETag")).isEqualTo(etag);
        }
        assertThat(get("/console/app.js", "If-None-Match", "\"x\"").statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"gzip | true", "br, gzip;q=0.5 | true", "identity | false", "gzip;q=0, br | false", "br | false"})
    void fileIsSentCompressedToWhoTakesThat(String accepted, boolean compressed) throws Exception {
        HttpResponse<byte[]> plain = get("/console/lib/swagger-ui/swagger-ui.css");
        HttpResponse<byte[]> answer = get("/console/lib/swagger-ui/swagger-ui.css", "Accept-Encoding", accepted);

        assertThat(header(answer, "Content-Encoding")).isEqualTo(compressed ? "gzip" : "");
        assertThat(header(answer, "Vary")).isEqualTo("Accept-Encoding");
        assertThat(compressed ? inflated(answer.body()) : answer.body()).isEqualTo(plain.body());
        if (compressed) {
            assertThat(answer.body()).hasSizeLessThan(plain.body().length / 4);
        }
    }

    private static byte[] inflated(byte[] gzip) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return in.readAllBytes();
        }
    }

    @Test
    void headSaysWhatGetWould() throws Exception {
        HttpResponse<byte[]> got = get("/console/app.js");
        HttpResponse<byte[]> head = send(server, "HEAD", "/console/app.js");

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (String name : List.of("ETag", "Content-Type", "Content-Length", "Cache-Control")) {
            assertThat(header(head, name)).as(name).isEqualTo(header(got, name)).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lib/preact/dist/preact.module.js",
                "lib/preact/hooks/dist/hooks.module.js",
                "lib/htm/dist/htm.module.js",
                "lib/htm/preact/standalone.module.js",
                "lib/uplot/dist/uPlot.esm.js",
                "lib/uplot/dist/uPlot.min.css",
                "lib/swagger-ui/swagger-ui-bundle.js"
            })
    void librariesAreThere(String file) throws Exception {
        HttpResponse<byte[]> answer = get("/console/" + file);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isNotEmpty();
        assertThat(get("/docs/api/" + build() + "/" + file).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nothing.html",
                "lib",
                "lib/",
                "lib/preact",
                "lib/preact/",
                "lib/nothing/dist/x.js",
                "lib/preact/package",
                "lib/preact/LICENSE",
                "lib/preact/README.md",
                "lib/swagger-ui/index.html",
                "libraries.properties",
                "app.js/",
                "/app.js",
                "app.js;x=1",
                "./app.js",
                "../v1/openapi.json",
                "../../org/talos/console/app.js",
                "lib/../app.js",
                "lib/preact/../uplot/dist/uPlot.esm.js",
                "lib/preact/../../../../../org/talos/server/http/rest/openapi-head.json",
                "lib/preact//dist/preact.js",
                "lib/preact/.../dist/preact.js",
                "%2e%2e/v1/topics",
                "%2e%2e%2fapp.js",
                "..%2fapp.js",
                "..%5capp.js",
                "..\\app.js",
                "lib\\preact\\dist\\preact.js",
                "%252e%252e%252fapp.js",
                "%c0%ae%c0%ae/app.js",
                "..%00/app.js",
                "app.js%00.css",
                "app%2ejs",
                "lib/preact/%2e%2e/%2e%2e/app.js"
            })
    void pathThatIsNoFilesLeadsNowhere(String path) throws Exception {
        for (String prefix : List.of("/console/", "/docs/api/", "/console/" + build() + "/")) {
            String answer = raw("GET " + prefix + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            assertThat(answer).as(prefix + path).matches("(?s)HTTP/1.1 (400|404|401) .*");
            assertThat(answer).doesNotContain("\"openapi\"").doesNotContain("fetch(");
        }
    }

    /** As it is: clients of the JDK would put some of these paths right. */
    private static String raw(String request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(UTF_8));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), UTF_8);
        }
    }

    @Test
    void whatIsNotThereIsSaidByAPageToABrowserAndByAProblemToOthers() throws Exception {
        HttpResponse<byte[]> page = get("/console/nothing", "Accept", OF_BROWSERS);
        HttpResponse<byte[]> problem = get("/console/nothing", "Accept", "*/*");

        assertThat(page.statusCode()).isEqualTo(404);
        assertThat(header(page, "Content-Type")).startsWith("text/html");
        assertThat(text(page)).contains("Nothing is here").contains("href=\"/\"");
        assertThat(problem.statusCode()).isEqualTo(404);
        assertThat(header(problem, "Content-Type")).isEqualTo("application/problem+json");
        assertThat(JSON.readTree(problem.body()).get("code").textValue()).isEqualTo("not-found");
    }

    @Test
    void pagesAreOnlyRead() throws Exception {
        HttpResponse<byte[]> answer = send(server, "POST", "/console/");

        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(header(answer, "Allow")).isEqualTo("GET, HEAD");
        assertThat(raw("GET /console/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"))
                .startsWith("HTTP/1.1 413 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1", "/v1/"})
    void whereThingsAreIsSaidInHtmlToABrowserAndInJsonToOthers(String path) throws Exception {
        HttpResponse<byte[]> page = get(path, "Accept", OF_BROWSERS);
        HttpResponse<byte[]> json = get(path, "Accept", "application/json");
        HttpResponse<byte[]> curl = get(path, "Accept", "*/*");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(header(page, "Content-Type")).isEqualTo("text/html; charset=utf-8");
        assertThat(header(page, "Content-Security-Policy"))
                .contains("default-src 'none'")
                .contains("'sha256-");
        assertThat(header(page, "Vary")).startsWith("Accept");
        assertThat(curl.body()).isEqualTo(json.body());
        JsonNode places = JSON.readTree(json.body());
        assertThat(places.get("openapi").textValue()).isEqualTo("/v1/openapi.json");
        for (Map.Entry<String, JsonNode> place : places.properties()) {
            if (place.getValue().textValue().startsWith("/")) {
                assertThat(get(place.getValue().textValue(), "Accept", OF_BROWSERS)
                                .statusCode())
                        .as(place.getKey())
                        .isEqualTo(200);
            }
        }
        for (Matcher link = Pattern.compile("href=\"(/[^\"]*)\"").matcher(text(page)); link.find(); ) {
            assertThat(get(link.group(1), "Accept", OF_BROWSERS).statusCode())
                    .as(link.group(1))
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "index.html, text/html",
        "site.css, text/css",
        "search.js, text/javascript",
        "search-index.js, text/javascript",
        "tutorials/first-topic.html, text/html",
        "files/LICENSE, text/plain",
        "files/conf/talos.yaml, text/plain",
        "files/docs/images/console-overview-light.png, image/png"
    })
    void documentationIsThereWithItsSearch(String file, String type) throws Exception {
        HttpResponse<byte[]> answer = get("/docs/" + file);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Content-Type")).startsWith(type);
        assertThat(header(answer, "Content-Security-Policy")).contains("script-src 'self'");
        assertThat(get("/docs/").body()).isEqualTo(get("/docs/index.html").body());
        assertThat(header(get("/docs"), "Location")).isEqualTo("docs/");
    }

    /** Else what a page links to would be there on a disk, and lead nowhere at a server. */
    @Test
    void everyFileOfTheDocumentationIsOfAKindThatIsSent() {
        assertThat(Resources.below("org/talos/docs/", "index.html"))
                .contains("files/LICENSE")
                .allSatisfy(each -> assertThat(Page.typeOf(each)).as(each).isPresent());
    }

    @Test
    void otherRequestsContinueToWhatTheyAreFor() throws Exception {
        assertThat(get("/v1/topics").statusCode()).isEqualTo(401);
        assertThat(send(server, "POST", "/").statusCode()).isNotEqualTo(200);
        assertThat(get("/consoles").statusCode()).isNotEqualTo(200);
        assertThat(get("/docs/apis").statusCode()).isEqualTo(404);
    }

    @Test
    void serverWithoutAConsoleHasNoneAndSaysSo() throws Exception {
        try (TestServer without = TestServer.start(data.resolve("without"), Map.of("CONSOLE_ENABLED", "false"))) {
            for (String path : List.of("/console", "/console/", "/console/app.js", "/docs/api/")) {
                HttpResponse<byte[]> answer = send(without, "GET", path);
                assertThat(answer.statusCode()).as(path).isEqualTo(404);
                assertThat(text(answer)).contains("console.enabled");
            }
            HttpResponse<byte[]> start = send(without, "GET", "/", "Accept", OF_BROWSERS);
            assertThat(start.statusCode()).isEqualTo(200);
            assertThat(send(without, "GET", "/docs/").statusCode()).isEqualTo(200);
            assertThat(text(start)).doesNotContain("/console/").doesNotContain("/docs/api/");
            assertThat(JSON.readTree(send(without, "GET", "/").body()).has("console"))
                    .isFalse();
        }
    }
}
