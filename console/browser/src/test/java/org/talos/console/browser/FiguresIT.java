// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.By;

/**
 * Measures the console: how soon each page is shown, what it loads, and what a console that is open costs the server,
 * which is this process: what the test itself uses is in it. Runs only when a place for the figures is named, which
 * CONTRIBUTING.md says how.
 */
@Timeout(300)
@EnabledIfSystemProperty(named = "talos.console.figures", matches = ".+")
class FiguresIT extends Reader {
    private static final List<String> PAGES = List.of(
            "#/overview",
            "#/topics",
            "#/topics/orders",
            "#/topics/orders/messages",
            "#/groups",
            "#/cluster",
            "#/users");
    private static final int MOST_BYTES = 250_000;
    private static final Duration SETTLING = Duration.ofSeconds(15);
    private static final Duration WATCHED = Duration.ofMinutes(1);
    private static final String RESOURCES =
            "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]";

    private final List<String> lines = new ArrayList<>();

    @Test
    void eachPageAndAConsoleThatIsOpen() throws Exception {
        makeTopic("orders", 4);
        put("orders", "{\"value\": \"one\"}", "{\"value\": \"two\"}");
        signIn(admin());
        line("page                         paint ms   shown ms        bytes");
        for (String page : PAGES) {
            measure(page);
        }
        visit("#/overview");
        line(String.format(Locale.ROOT, "overview open: %.2f %% of a processor", busyPercent()));
        driver().get("about:blank");
        line(String.format(Locale.ROOT, "no console:    %.2f %% of a processor", busyPercent()));
        Files.write(
                Path.of(System.getProperty("talos.root")).resolve(System.getProperty("talos.console.figures")), lines);
    }

    private void measure(String page) {
        visit(page);
        await(
                page + " is loaded",
                () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
        long shown = count("Math.round(performance.now())");
        long painted = count("Math.round(performance.getEntriesByName('first-contentful-paint')[0].startTime)");
        long bytes = count(RESOURCES + ".reduce((sum, each) => sum + each.encodedBodySize, 0)");
        line(String.format(Locale.ROOT, "%-26s %10d %10d %12d", page, painted, shown, bytes));
        assertThat(bytes).as(page).isLessThan(MOST_BYTES);
    }

    /** Returns the share of a processor that this process uses in a minute, in percent. */
    private static double busyPercent() {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        pass(SETTLING);
        long before = system.getProcessCpuTime();
        pass(WATCHED);
        return 100.0 * (system.getProcessCpuTime() - before) / WATCHED.toNanos();
    }

    /** Waits for a time, because a time is measured: there is nothing else to wait for. */
    private static void pass(Duration time) {
        Awaitility.await().pollDelay(time).atMost(time.multipliedBy(2)).until(() -> true);
    }

    private void line(String line) {
        System.out.println(line);
        lines.add(line);
    }
}
