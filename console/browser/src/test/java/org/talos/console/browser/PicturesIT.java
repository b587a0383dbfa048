// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;

/**
 * Makes the pictures of docs/console.md: each page in light, dark, and on a phone. Runs only when it is told where they
 * are to be put, which CONTRIBUTING.md says how.
 */
@Timeout(600)
@EnabledIfSystemProperty(named = "talos.pictures", matches = ".+")
class PicturesIT extends Reader {
    private static final int COLOURS = 64; // of a picture: enough for text, and a quarter of the size
    private static final Map<String, String> PAGES = new TreeMap<>(Map.of(
            "overview", "#/overview",
            "topics", "#/topics",
            "topic", "#/topics/orders",
            "messages", "#/topics/orders/messages",
            "message", "#/topics/orders/messages?m=0.7",
            "tail", "#/topics/orders/messages?mode=tail",
            "group", "#/topics/orders/groups/shipping",
            "access", "#/topics/orders/access",
            "cluster", "#/cluster",
            "users", "#/users"));

    private final Path folder = Path.of(System.getProperty("talos.root"), System.getProperty("talos.pictures", ""));

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 4);
        makeTopic("payments", 8);
        makeTopic("audit-log", 1);
        done("POST", "/v1/users", "{\"user\": \"ann\", \"teams\": [\"CI1\"]}");
        done("PUT", "/v1/topics/orders/permissions/ann", "{\"put\": true, \"get\": true}");
        done("PUT", "/v1/quotas/users/ann", "{\"topics\": 20, \"putBytesPerSecond\": 50000000, \"space\": 10000000000}");
        putOrders(200);
        String group = "/v1/topics/orders/groups/shipping";
        JsonNode member = done("POST", group + "/members", "{}");
        String path = group + "/members/" + member.get("member").asText();
        JsonNode next = done("POST", path + "/fetch", "{\"maxMessages\": 150}").get("next");
        done("POST", path + "/commit", "{\"offsets\": " + next + "}");
    }

    private void putOrders(int count) throws IOException, InterruptedException {
        put("orders", IntStream.range(0, count)
                .mapToObj(number -> """
                        {"json": {"order": %1$d, "customer": {"name": "Ann", "city": "Berlin"}, "total": %1$d.5,
                        "items": [{"sku": "A-%1$d", "amount": 2}]}, "key": "order-%2$d", "headers": {"trace": "4bf92f35"}}"""
                        .formatted(number, number % 37))
                .toArray(String[]::new));
    }

    @Test
    void eachPageInLightAndDarkAndOnAPhone() throws Exception {
        Files.createDirectories(folder);
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
        driver().executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
    }

    private void picture(String address, String theme, String name) throws IOException, InterruptedException {
        driver().executeScript("localStorage.setItem('talos.theme', arguments[0])", theme);
        visit(address);
        await(name + " is loaded", () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
        if (address.endsWith("mode=tail")) {
            await(By.xpath("//*[@role='status'][.='live']"));
            putOrders(40);
            awaitText("40 received");
        }
        await("charts are drawn", () -> driver().findElements(By.cssSelector(".plot:not(:has(canvas))")).isEmpty());
        await("all is asked for", new Quiet(Duration.ofMillis(600))::reached);
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(driver().getScreenshotAs(OutputType.BYTES)));
        ImageIO.write(fewColours(image), "png", folder.resolve("console-" + name + ".png").toFile());
    }

    /** Whether the browser has loaded nothing for a while, by its own clock. Confined: one test. */
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

    /** The picture with the colours that it has most, each of the others as the nearest of them. */
    private static BufferedImage fewColours(BufferedImage image) {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (int y = 0; y < image.getHeight(); y++) {
            for (int x = 0; x < image.getWidth(); x++) {
                counts.merge(image.getRGB(x, y) & 0xffffff, 1, Integer::sum);
            }
        }
        int[] most = counts.entrySet().stream()
                .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
                .limit(COLOURS)
                .mapToInt(Map.Entry::getKey)
                .toArray();
        byte[][] parts = new byte[3][most.length];
        for (int index = 0; index < most.length; index++) {
            Color colour = new Color(most[index]);
            parts[0][index] = (byte) colour.getRed();
            parts[1][index] = (byte) colour.getGreen();
            parts[2][index] = (byte) colour.getBlue();
        }
        IndexColorModel model = new IndexColorModel(8, most.length, parts[0], parts[1], parts[2]);
        BufferedImage small = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
        Graphics2D graphics = small.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_DITHERING, RenderingHints.VALUE_DITHER_DISABLE);
        graphics.drawImage(image, 0, 0, null);
        graphics.dispose();
        return small;
    }
}
