// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.support.ui.Wait;
import org.openqa.selenium.support.ui.WebDriverWait;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;

/**
 * A server and a browser for the tests of a class. Before each test the browser has no cookie and no page; after it,
 * the test fails if the browser has logged an error or a warning that it does not expect ({@link #expectComplaint}).
 *
 * <p>What the pages must have for it: a form {@code #sign-in} with {@code accessKey}, {@code secretKey} and one button
 * of type submit; an element whose attribute {@code data-signed-in} is the user, once there is one; an element of role
 * {@code alert} for what went wrong.
 *
 * <p>Confined: one test at a time.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ConsoleTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);
    private static final By SIGNED_IN = By.cssSelector("[data-signed-in]");

    private final List<String> expected = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private TalosServer server;
    private Chromium chromium;
    private Key admin;

    /** A key, as its user types it. Immutable; its text has no secret. */
    record Key(String accessKey, String secretKey) {
        String basic() {
            byte[] pair = (accessKey + ":" + secretKey).getBytes(StandardCharsets.UTF_8);
            return "Basic " + Base64.getEncoder().encodeToString(pair);
        }

        @Override
        public String toString() {
            return "Key[" + accessKey + "]";
        }
    }

    /** Settings of the server besides the usual ones, as environment variables: {@code TALOS_CONSOLE_SESSIONIDLE}. */
    Map<String, String> settings() {
        return Map.of();
    }

    /** The language that the browser asks for. */
    String language() {
        return "en";
    }

    @BeforeAll
    void startServerAndBrowser(@TempDir Path directory) throws Exception {
        assumeTrue(Chromium.missing().isEmpty(), () -> Chromium.missing().orElse(""));
        Map<String, String> settings = new TreeMap<>(Map.of(
                "TALOS_DATADIRECTORY", directory.resolve("data").toString(),
                "TALOS_HTTP_HOST", "127.0.0.1",
                "TALOS_HTTP_PORT", "0",
                "TALOS_MANAGEMENT_ENABLED", "false",
                "TALOS_METRICSLOGINTERVAL", "0s",
                "TALOS_SERVICE_SHUTDOWNGRACE", "1s"));
        settings.putAll(settings());
        server = TalosServer.start(ConfigLoader.load(settings));
        Properties credentials = new Properties();
        credentials.load(new StringReader(Files.readString(directory.resolve("data/admin.credentials"))));
        admin = new Key(credentials.getProperty("accessKey"), credentials.getProperty("secretKey"));
        chromium = Chromium.open(Files.createDirectory(directory.resolve("profile")), language());
    }

    @AfterAll
    void stopServerAndBrowser() {
        if (chromium != null) {
            chromium.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void forget() {
        expected.clear();
        driver().get("about:blank");
        driver().manage().deleteAllCookies();
        chromium.driver().executeCdpCommand("Network.clearBrowserCookies", Map.of());
        chromium.complaints(any -> true);
    }

    @AfterEach
    void browserHasNotComplained() {
        Predicate<String> isExpected = text -> expected.stream().anyMatch(text::contains);
        assertThat(chromium.complaints(isExpected)).isEmpty();
    }

    /** Has this test not fail on what the browser says of a failure that it causes on purpose. */
    void expectComplaint(String part) {
        expected.add(part);
    }

    ChromeDriver driver() {
        return chromium.driver();
    }

    /** The administrator's key. */
    Key admin() {
        return admin;
    }

    /** Returns the server's address, without a slash at the end. */
    String origin() {
        return "http://127.0.0.1:" + server.port();
    }

    TalosServer server() {
        return server;
    }

    /** Opens a page of the console: what follows {@code /console/}, for example {@code #/topics}. */
    void open(String page) {
        driver().get(origin() + "/console/" + page);
    }

    /** Opens the console and signs in, until it shows that it has. */
    void signIn(Key key) {
        open("");
        enter(key);
        await(SIGNED_IN);
    }

    /** Fills in and sends the form of a page that asks for a key; what follows is for the caller to wait for. */
    void enter(Key key) {
        WebElement form = await(By.id("sign-in"));
        form.findElement(By.name("accessKey")).sendKeys(key.accessKey());
        form.findElement(By.name("secretKey")).sendKeys(key.secretKey());
        form.findElement(By.cssSelector("[type=submit]")).click();
    }

    /** The element, once it is there and shown. */
    WebElement await(By which) {
        return soon(which.toString())
                .until(browser -> browser.findElements(which).stream()
                        .filter(WebElement::isDisplayed)
                        .findFirst()
                        .orElse(null));
    }

    /**
     * Clicks the element, once it is there and shown; another one of its kind if the page has drawn it again meanwhile.
     */
    void click(By which) {
        soon(which.toString()).until(browser -> {
            Optional<WebElement> found = browser.findElements(which).stream()
                    .filter(WebElement::isDisplayed)
                    .findFirst();
            found.ifPresent(WebElement::click);
            return found.isPresent();
        });
    }

    /** Waits until something is so. */
    void await(String what, BooleanSupplier condition) {
        soon(what).until(browser -> condition.getAsBoolean());
    }

    /** A failure says what the page shows and what the browser has logged. */
    private Wait<WebDriver> soon(String what) {
        return within(SOON, what);
    }

    /** Repeats a check while the page redraws the element. */
    private Wait<WebDriver> within(Duration atMost, String what) {
        return new WebDriverWait(driver(), atMost, LOOK_EVERY)
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> what + "\non the page: "
                        + driver().findElement(By.tagName("body")).getText() + "\nlogged: "
                        + chromium.complaints(any -> false));
    }

    /** Waits for as long as that for something that takes its time. */
    void await(Duration atMost, By which) {
        within(atMost, which.toString())
                .until(browser -> browser.findElements(which).stream().anyMatch(WebElement::isDisplayed));
    }

    /** Waits for a text anywhere on the page. */
    void awaitText(String text) {
        soon(text)
                .until(browser ->
                        browser.findElement(By.tagName("body")).getText().contains(text));
    }

    /** The status of a call that the page makes, such as {@code fetch('/v1/topics')}; -1 if the browser refuses. */
    long status(String call) {
        return (Long) driver().executeAsyncScript(String.format(Locale.ROOT, """
                const done = arguments[arguments.length - 1];
                %s.then(answer => done(answer.status), failure => done(-1));
                """, call));
    }

    /** Fails on what axe finds on the page as it is. */
    void expectAccessible() {
        assertThat(Accessibility.violations(driver())).isEmpty();
    }

    /** A request of REST beside the browser, by the administrator's key. */
    HttpResponse<String> rest(String method, String path, String body) throws IOException, InterruptedException {
        return rest(admin, method, path, body);
    }

    /**
     * A request of REST beside the browser.
     *
     * @param body JSON; empty for none
     */
    HttpResponse<String> rest(Key key, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(origin() + path))
                .header("Authorization", key.basic())
                .timeout(SOON);
        if (body.isEmpty()) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.ofString(body));
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
