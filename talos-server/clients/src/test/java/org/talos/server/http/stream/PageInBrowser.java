// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A page that a headless browser of its own has open, and the web server that it comes from: that gives it tokens, and
 * is notified by it of what it shows.
 *
 * <p>Thread-safe.
 */
final class PageInBrowser implements AutoCloseable {
    private static final List<String> BROWSERS =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
    private static final int CLOSE_SECONDS = 30;

    /** Beside the page, which knows nothing of it. */
    private static final String REPORT = """
            <script>
              const shown = document.querySelector("pre");
              new MutationObserver(() => navigator.sendBeacon("/shown", shown.textContent))
                  .observe(shown, {childList: true, characterData: true, subtree: true});
            </script>
            """;

    private final Process browser;
    private volatile String text = "";

    private PageInBrowser(HttpServer web, String page, Callable<String> token, ProcessBuilder browser)
            throws IOException {
        web.createContext("/", exchange -> answer(exchange, "text/html", "<!doctype html>" + page + REPORT));
        web.createContext("/my-backend/stream-token", exchange -> answer(exchange, "application/json", of(token)));
        web.createContext("/shown", exchange -> {
            show(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
            answer(exchange, "text/plain", "");
        });
        web.start();
        this.browser = browser.start();
    }

    /** Takes a report, which those before it may come behind, each on a connection of its own: the page only grows. */
    private synchronized void show(String report) {
        if (report.length() > text.length()) {
            text = report;
        }
    }

    /** The browser on the path; empty if there is none. */
    static Optional<String> browser() {
        List<Path> folders =
                Stream.of(System.getenv("PATH").split(":")).map(Path::of).toList();
        return BROWSERS.stream()
                .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /** The origin of pages that a server gives. */
    static String origin(HttpServer web) {
        return "http://127.0.0.1:" + web.getAddress().getPort();
    }

    /**
     * Opens a page.
     *
     * @param profile folder for what the browser keeps
     * @param web not started yet
     * @param token what the page's server answers who wants a token
     */
    static PageInBrowser open(String browser, Path profile, String page, HttpServer web, Callable<String> token)
            throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                        browser,
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--enable-logging=stderr",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--user-data-dir=" + Files.createDirectories(profile),
                        origin(web))
                .redirectErrorStream(true)
                .redirectOutput(profile.resolve("log").toFile());
        return new PageInBrowser(web, page, token, command);
    }

    private static String of(Callable<String> token) throws IOException {
        try {
            return token.call();
        } catch (Exception e) {
            throw new IOException("no token", e);
        }
    }

    private static void answer(HttpExchange exchange, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type + "; charset=utf-8");
        exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
        try (var out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** Returns the text of the page so far. */
    String text() {
        return text;
    }

    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(browser.descendants(), Stream.of(browser.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        browser.onExit().orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS).join();
    }
}
