// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Statements of the pages while a server does not answer, and about servers that are lost. */
@Tag("full") // browser
@Tag("servers")
class ServerDownIT extends Reader {
    private static final By GOOD = By.cssSelector("main .badge.good");

    private static final String OVERVIEW = """
            {"version": "1", "startedAt": "2026-01-01T00:00:00Z", "uptimeSeconds": 60, "ready": true, "server": "one",
             "checks": [], "warnings": [], "partitions": {"serving": 3}, "storage": {}, "events": [], "capacity": [],
             "processors": 4, "utilisation": 0.7}""";

    private static final String CLUSTER = """
            {"leader": "one", "withoutServer": 2, "workers": [],
             "servers": [
                {"server": "one", "state": "serving", "address": "one:8080", "partitions": 3, "ready": true,
                 "opening": 0, "failing": []},
                {"server": "two", "state": "delay_removed", "address": "", "partitions": 2}],
             "events": [
                {"at": "2026-01-01T00:00:00Z", "text": "two is away"},
                {"at": "2026-01-01T00:00:01Z", "text": "three is away"}]}""";

    private String faked = "";

    private void block(String... urls) {
        driver().executeCdpCommand("Network.enable", Map.of());
        driver().executeCdpCommand("Network.setBlockedURLs", Map.of("urls", List.of(urls)));
    }

    /** Answers what pages ask of a cluster, in place of the server, which is alone. */
    private void fakeCluster() {
        fake(String.format(Locale.ROOT, "{\"/v1/overview\": %s, \"/v1/cluster\": %s}", OVERVIEW, CLUSTER));
    }

    /** Answers requests in place of the server: JSON by path. */
    private void fake(String answers) {
        String script = String.format(Locale.ROOT, """
                const answers = %s;
                const asked = window.fetch;
                window.fetch = (address, init) => {
                    const answer = answers[new URL(address, location.href).pathname];
                    return answer === undefined ? asked(address, init)
                        : Promise.resolve(new Response(JSON.stringify(answer)));
                };
                """, answers);
        faked = String.valueOf(
                driver().executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
                        .get("identifier"));
    }

    @AfterEach
    void letTheServerAnswer() {
        block();
        if (!faked.isEmpty()) {
            driver().executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", faked));
            faked = "";
        }
    }

    @Test
    void healthOfAServerThatDoesNotAnswerIsUnknown() {
        expectComplaint("ERR_BLOCKED_BY_CLIENT");
        signIn(admin());
        visit("#/overview");
        await(By.xpath("//main//span[.='ready']"));

        block("*/v1/*");

        awaitText("The server cannot be reached.");
        await(By.xpath("//main//span[.='unknown']"));
        assertThat(driver().findElements(GOOD)).isEmpty();
        assertThat(driver().findElement(By.tagName("main")).getText()).doesNotContain("It may or may not");
    }

    @Test
    void serversOfAClusterThatDoesNotAnswerAreUnknownAndNotNone() {
        expectComplaint("ERR_BLOCKED_BY_CLIENT");
        signIn(admin());
        fake("{\"/v1/overview\": " + OVERVIEW + "}");
        block("*/v1/cluster");

        visit("#/overview");

        await(By.xpath("//div[contains(@class, 'tile')][dt='Servers'][.//a='–'][contains(., 'unknown')]"));
    }

    @Test
    void listThatIsNotCompleteNeverSaysThatThereIsNone() {
        signIn(admin());
        fake("{\"/v1/groups\": {\"groups\": [], \"total\": 0, \"complete\": false, \"ageMillis\": 1}}");

        visit("#/groups");

        awaitText("No match among the groups that were searched.");
        awaitText("some are missing here");
        assertThat(driver().findElement(By.tagName("main")).getText()).doesNotContain("There is no group");
    }

    @Test
    void onlyTheFailureOfAChangeSaysThatItMayHaveTakenEffect() throws Exception {
        expectComplaint("ERR_BLOCKED_BY_CLIENT");
        makeTopic("unreached", 1);
        signIn(admin());
        visit("#/topics/unreached/messages");
        press("Put");
        type("value", "paid");

        block("*/v1/*");
        submit();

        awaitInDialog("It may or may not have taken effect");
    }

    @Test
    void pageThatCannotBeLoadedIsTriedAgain() {
        expectComplaint("ERR_BLOCKED_BY_CLIENT");
        signIn(admin());
        visit("#/overview");
        block("*/pages/users.js", "*/v1/*");
        follow("Users and quotas");
        awaitText("This page could not be loaded.");
        press("Try again");
        awaitText("The server cannot be reached.");
        assertThat(driver().findElement(By.tagName("main")).getText()).doesNotContain("dynamically imported");

        block();
        press("Try again");

        await(By.id("own"));
        assertThat(driver().getCurrentUrl()).endsWith("#/users");
    }

    @Test
    void lostServerStaysVisibleUntilItIsForgotten() {
        signIn(admin());
        fakeCluster();
        visit("#/cluster");

        awaitText("Server three is lost.");
        await(By.xpath("//tr[th[normalize-space(.)='three']]//span[.='lost']"));
        await(By.xpath("//div[contains(@class, 'tile bad')][dt='Partitions without a server']"));
        assertThat(driver().findElements(By.xpath("//tr[th[normalize-space(.)='two']]//button")))
                .as("what is away cannot be drained")
                .isEmpty();
        expectAccessible();

        press("Forget: three");

        await(
                "three is forgotten",
                () -> driver().findElements(By.xpath("//tr[th[normalize-space(.)='three']]"))
                        .isEmpty());
        driver().executeScript("localStorage.clear()");
    }
}
