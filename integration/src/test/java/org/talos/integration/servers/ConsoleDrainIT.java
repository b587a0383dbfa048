// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriver;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.support.ui.Wait;
import org.openqa.selenium.support.ui.WebDriverWait;
import org.talos.client.TalosEndpoint;
import org.talos.console.browser.Chromium;
import org.talos.console.browser.Picture;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;

/** A server of three is drained, resumed and given a partition at the console of another. */
@WithDevCluster
@Timeout(300)
@Tag("full") // browser
@Tag("servers")
class ConsoleDrainIT {
    private static final int PARTITIONS = 6;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final DevCluster daemons;
    private TestCluster cluster;
    private Chromium chromium;

    ConsoleDrainIT(DevCluster daemons) {
        this.daemons = daemons;
    }

    @BeforeEach
    void start() throws Exception {
        assumeTrue(Chromium.missing().isEmpty(), () -> Chromium.missing().orElse(""));
        cluster = new TestCluster(daemons, directory);
        cluster.startThree("orders", PARTITIONS);
        chromium = Chromium.open(Files.createDirectory(directory.resolve("profile")), "en");
    }

    @AfterEach
    void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private ChromeDriver driver() {
        return chromium.driver();
    }

    /** Repeats a check while the page redraws the element. */
    private Wait<WebDriver> soon() {
        return new WebDriverWait(driver(), SOON).ignoring(StaleElementReferenceException.class);
    }

    private WebElement await(String xpath) {
        return soon().until(browser -> browser.findElements(By.xpath(xpath)).stream()
                .filter(WebElement::isDisplayed)
                .findFirst()
                .orElse(null));
    }

    /** Clicks a button of the row of a server or a partition. */
    private void press(String row, String button) {
        await(String.format(
                        Locale.ROOT,
                        "//tr[th[starts-with(normalize-space(.), '%s')]]//button[starts-with(normalize-space(.), '%s')]",
                        row,
                        button))
                .click();
    }

    private void confirm() {
        await("//dialog[@open]//button[@type='submit']").click();
        soon().until(browser ->
                browser.findElements(By.cssSelector("dialog[open]")).isEmpty());
    }

    private String cell(String row, String text) {
        return String.format(
                Locale.ROOT, "//tr[th[starts-with(normalize-space(.), '%s')]]/td[normalize-space(.)='%s']", row, text);
    }

    private void signIn(TalosEndpoint endpoint) {
        driver().get(endpoint.uri().resolve("/console/#/cluster?topic=orders").toString());
        await("//input[@name='accessKey']").sendKeys(endpoint.accessKey());
        await("//input[@name='secretKey']").sendKeys(endpoint.secretKey());
        await("//form[@id='sign-in']//button[@type='submit']").click();
    }

    /** Makes the pictures of docs/console.md, when a place for them is named. */
    private void pictures() throws IOException {
        String folder = System.getProperty("talos.pictures", "");
        if (folder.isEmpty()) {
            return;
        }
        Picture.prepare(driver());
        Path images = Path.of(System.getProperty("talos.root")).resolve(folder);
        for (String theme : List.of("light", "dark", "phone")) {
            boolean phone = theme.equals("phone");
            driver().executeCdpCommand(
                            "Emulation.setDeviceMetricsOverride",
                            Map.of(
                                    "width",
                                    phone ? 390 : 1280,
                                    "height",
                                    phone ? 844 : 900,
                                    "deviceScaleFactor",
                                    1,
                                    "mobile",
                                    phone));
            driver().executeScript("document.documentElement.dataset.theme = arguments[0]", phone ? "light" : theme);
            Picture.take(driver()).write(images.resolve("console-cluster-" + theme + ".png"));
        }
        driver().executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
    }

    @Test
    void serverIsDrainedResumedAndGivenAPartition() throws Exception {
        signIn(cluster.endpoint("one"));
        await(cell("three", "2"));
        await(cell("three", "ready"));

        pictures();
        press("three", "Drain");
        confirm();

        await("//tr[th[starts-with(normalize-space(.), 'three')]]//span[.='drained: no partitions left']");
        cluster.awaitStatus("one", Map.of("one", "serving 3", "three", "drained 0", "two", "serving 3"));

        press("three", "Resume");
        confirm();
        await("//tr[th[starts-with(normalize-space(.), 'three')]]//span[.='serving']");
        cluster.awaitEven(PARTITIONS / 3);

        String other = await("//tr[th[normalize-space(.)='0']]/td[1]").getText().equals("one") ? "two" : "one";
        press("0", "Move");
        await(String.format(Locale.ROOT, "//dialog[@open]//select[@name='server']/option[@value='%s']", other))
                .click();
        confirm();
        await(cell("0", other));
        assertThat(chromium.complaints(each -> false)).isEmpty();
    }
}
