// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.By;

/**
 * Makes the pictures of docs/console.md: each page in light, dark, and on a phone; those of a cluster are made where
 * one is, by ConsoleDrainIT of the module integration. Runs only when a place for them is named, which CONTRIBUTING.md
 * says how.
 */
@Timeout(600)
@EnabledIfSystemProperty(named = "talos.pictures", matches = ".+")
class PicturesIT extends Reader {
    private static final int POINTS = 24; // two minutes, so that there is something to draw
    private static final Map<String, String> PAGES = new TreeMap<>(Map.of(
            "overview", "#/overview",
            "topics", "#/topics",
            "topic", "#/topics/orders",
            "messages", "#/topics/orders/messages",
            "message", "#/topics/orders/messages?m=0.7",
            "tail", "#/topics/orders/messages?mode=tail",
            "group", "#/topics/orders/groups/shipping",
            "access", "#/topics/orders/access",
            "users", "#/users"));

    private long putSoFar;
    private final Path folder =
            Path.of(System.getProperty("talos.root")).resolve(System.getProperty("talos.pictures", ""));

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 4);
        makeTopic("payments", 8);
        makeTopic("audit-log", 1);
        done("POST", "/v1/users", "{\"user\": \"ann\", \"teams\": [\"CI1\"]}");
        done("PUT", "/v1/topics/orders/permissions/ann", "{\"put\": true, \"get\": true}");
        done(
                "PUT",
                "/v1/quotas/users/ann",
                "{\"topics\": 20, \"putBytesPerSecond\": 50000000, \"space\": 10000000000}");
        putOrders(200);
        String group = "/v1/topics/orders/groups/shipping";
        JsonNode member = done("POST", group + "/members", "{}");
        String path = group + "/members/" + member.get("member").asText();
        JsonNode next = done("POST", path + "/fetch", "{\"maxMessages\": 150}").get("next");
        done("POST", path + "/commit", "{\"offsets\": " + next + "}");
        Awaitility.await()
                .atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(700))
                .until(() -> {
                    putOrders(20 + (int) (putSoFar % 37));
                    done("GET", "/v1/topics/orders/history", "");
                    done("GET", group + "/history", "");
                    done("GET", "/v1/topics/orders/partitions/0/messages?maxMessages=20", "");
                    return points() >= POINTS;
                });
    }

    /** Returns the number of points in the server's history. */
    private long points() throws IOException, InterruptedException {
        JsonNode figure = done("GET", "/v1/overview/history?figures=putsPerSecond", "")
                .get("figures")
                .get("putsPerSecond");
        return StreamSupport.stream(figure.spliterator(), false)
                .filter(each -> !each.isNull())
                .count();
    }

    private void putOrders(int count) throws IOException, InterruptedException {
        putSoFar += count;
        put(
                "orders",
                IntStream.range(0, count)
                        .mapToObj(number -> String.format(Locale.ROOT, """
                        {"json": {"order": %1$d, "customer": {"name": "Ann", "city": "Berlin"}, "total": %1$d.5,
                        "items": [{"sku": "A-%1$d", "amount": 2}]}, "key": "order-%2$d", "headers": {"trace": "4bf92f35"}}""", number, number % 37))
                        .toArray(String[]::new));
    }

    @Test
    void eachPageInLightAndDarkAndOnAPhone() throws Exception {
        Files.createDirectories(folder);
        Picture.prepare(driver());
        signIn(admin());
        for (String theme : new String[] {"light", "dark"}) {
            view(1280, 900, false);
            for (Map.Entry<String, String> page : PAGES.entrySet()) {
                picture(page.getValue(), theme, page.getKey() + "-" + theme);
            }
        }
        view(390, 844, true);
        for (Map.Entry<String, String> page : PAGES.entrySet()) {
            picture(page.getValue(), "light", page.getKey() + "-phone");
        }
        assertThat(folder).isDirectoryContaining("glob:**overview-phone.png");
    }

    private void view(int width, int height, boolean mobile) {
        driver().executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
    }

    private void picture(String address, String theme, String name) throws IOException, InterruptedException {
        driver().executeScript("localStorage.setItem('talos.theme', arguments[0])", theme);
        visit(address);
        await(
                name + " is loaded",
                () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
        if (address.endsWith("mode=tail")) {
            await(By.xpath("//*[@role='status'][.='live']"));
            putOrders(40);
            awaitText("40 received");
        }
        await(
                "charts are drawn",
                () -> driver().findElements(By.cssSelector(".plot:not(:has(canvas))"))
                        .isEmpty());
        await("all is asked for", new Quiet(Duration.ofMillis(600))::reached);
        Picture.take(driver()).write(folder.resolve("console-" + name + ".png"));
    }

    /** A condition that the browser has loaded nothing for a while, by its own clock. Confined: one test. */
    private final class Quiet {
        private final long millis;

        Quiet(Duration length) {
            millis = length.toMillis();
        }

        boolean reached() {
            return Boolean.TRUE.equals(driver().executeScript("""
                    const last = Math.max(...performance.getEntriesByType("resource").map(each => each.responseEnd));
                    return performance.now() - last > arguments[0];
                    """, millis));
        }
    }
}
