// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/**
 * A headless Chromium that this machine has, driven by WebDriver. Both programs are given by their paths, so that
 * nothing looks for others and nothing is downloaded.
 *
 * <p>Confined: the test that opened it.
 */
public final class Chromium implements AutoCloseable {
    private static final List<String> BROWSERS = List.of("chromium", "chromium-browser", "google-chrome");
    private static final String DRIVER = "chromedriver";
    private static final Duration LOAD_AT_MOST = Duration.ofSeconds(30);

    private final ChromeDriver driver;

    private Chromium(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Why there is no browser to test with; empty if there is one. */
    public static Optional<String> missing() {
        if (program(DRIVER).isEmpty()
                || BROWSERS.stream().allMatch(name -> program(name).isEmpty())) {
            return Optional.of("no chromium with chromedriver here (Debian: chromium, chromium-driver):"
                    + " the console is not tested in a browser");
        }
        return Optional.empty();
    }

    private static Optional<Path> program(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts one.
     *
     * @param profile an empty folder, for what the browser keeps
     * @param language of its user, as {@code en} or {@code zh-CN}
     */
    public static Chromium open(Path profile, String language) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(BROWSERS.stream()
                .flatMap(name -> program(name).stream())
                .findFirst()
                .orElseThrow()
                .toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // tests may run as root, and see their own server only
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1280,900",
                "--lang=" + language,
                "--accept-lang=" + language,
                "--user-data-dir=" + profile.toAbsolutePath());
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(program(DRIVER).orElseThrow().toFile())
                .usingAnyFreePort()
                .withLogFile(profile.resolve("chromedriver.log").toFile())
                .build();
        ChromeDriver driver = new ChromeDriver(service, options);
        driver.manage().timeouts().pageLoadTimeout(LOAD_AT_MOST).scriptTimeout(LOAD_AT_MOST);
        return new Chromium(driver);
    }

    /** The browser itself. */
    public ChromeDriver driver() {
        return driver;
    }

    /**
     * The errors and warnings that the browser has logged since it was last asked, without those that are expected.
     *
     * @param expected of an entry's text
     */
    public List<String> complaints(Predicate<String> expected) {
        List<String> complaints = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue() && !expected.test(entry.getMessage())) {
                complaints.add(entry.getLevel() + " " + entry.getMessage());
            }
        }
        return complaints;
    }

    @Override
    public void close() {
        driver.quit();
    }
}
