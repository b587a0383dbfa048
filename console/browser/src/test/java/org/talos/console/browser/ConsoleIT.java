// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.NoAlertPresentException;
import org.openqa.selenium.WebElement;

/** Tests the console with an administrator, and with a user of fewer rights. */
class ConsoleIT extends Reader {
    private static final String ORDERS = "/v1/topics/orders";
    private static final String GROUP = ORDERS + "/groups/shipping";
    private static final String EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    private static final int LARGE = 10 << 20;
    private static final long MOST_BYTES = 250_000; // of all pages, compressed
    private static final By SUBMIT = By.cssSelector("dialog[open] [type=submit]");
    private static final By ROWS = By.cssSelector(".messages tbody tr");

    /** All pages, by their addresses. */
    private static final List<String> PAGES = List.of(
            "#/overview",
            "#/topics",
            "#/topics/orders",
            "#/topics/orders?segments=0",
            "#/topics/orders/messages",
            "#/topics/orders/messages?text=order&m=0.0",
            "#/topics/orders/messages?mode=tail",
            "#/topics/orders/groups",
            "#/topics/orders/groups/shipping",
            "#/topics/orders/access",
            "#/topics/orders/settings",
            "#/groups",
            "#/cluster",
            "#/users",
            "#/nothing");

    @BeforeAll
    void fill() throws Exception {
        makeTopic("orders", 2);
        put(
                "orders",
                IntStream.range(0, 60)
                        .mapToObj(number -> String.format(
                                Locale.ROOT,
                                "{\"json\": {\"order\": %1$d, \"total\": %1$d.5}, \"key\": \"order-%1$d\"}",
                                number))
                        .toArray(String[]::new));
        JsonNode member = done("POST", GROUP + "/members", "{}");
        String path = GROUP + "/members/" + member.get("member").asText();
        JsonNode next = done("POST", path + "/fetch", "{\"maxMessages\": 100}").get("next");
        done("POST", path + "/commit", "{\"offsets\": " + next + "}");
        done("DELETE", path, "");
    }

    private long committed() throws IOException, InterruptedException {
        long sum = 0;
        for (JsonNode each : done("GET", GROUP, "").get("partitions")) {
            sum += each.path("committed").asLong();
        }
        return sum;
    }

    @Test
    void topicIsFoundAndItsMessagesAreBrowsedAndOpened() {
        signIn(admin());
        follow("Topics");
        type("filter", "order");
        follow("orders");
        follow("Messages");
        awaitText("50 messages");
        assertThat(driver().findElements(ROWS)).hasSize(50);

        WebElement first = driver().findElement(By.cssSelector(".messages tbody tr th button"));
        String place = first.getText().lines().findFirst().orElseThrow();
        first.click();

        awaitInDialog("Partition " + place.charAt(0) + ", offset " + place.substring(2));
        awaitInDialog("\"total\": ");
        assertThat(driver().getCurrentUrl()).endsWith("m=" + place.replace(':', '.'));
        driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
        awaitNoDialog();
        assertThat(driver().switchTo().activeElement().getText()).startsWith(place);
    }

    @Test
    void whatIsLookedForIsInTheAddressAndFoundByTheServer() {
        signIn(admin());
        visit("#/topics/orders/messages?from=earliest&jsonPath=" + "%24.order+%3E%3D+58");

        awaitText("2 matches in 60 messages");
        assertThat(driver().findElements(ROWS)).hasSize(2);
    }

    @Test
    void messageThatIsHtmlIsShownAsItWasPut() throws Exception {
        makeTopic("evil", 1);
        String text = EVIL.replace("\"", "\\\"");
        put(
                "evil",
                String.format(
                        Locale.ROOT,
                        "{\"value\": \"%1$s\", \"key\": \"%1$s\", \"tag\": \"%1$s\", \"headers\": {\"h\": \"%1$s\"}}",
                        text),
                String.format(Locale.ROOT, "{\"json\": {\"%1$s\": \"%1$s\"}}", text));
        signIn(admin());

        visit("#/topics/evil/messages?m=0.0");
        awaitInDialog(EVIL);
        visit("#/topics/evil/messages?m=0.1&view=json");
        awaitInDialog(EVIL);

        assertThat(count("document.querySelectorAll('main img, dialog img, #app script').length"))
                .isZero();
        assertThatThrownBy(() -> driver().switchTo().alert()).isInstanceOf(NoAlertPresentException.class);
    }

    @Test
    void tailShowsAThousandMessagesAsTheyComeAndKeepsThePageSmall() throws Exception {
        makeTopic("clicks", 3);
        signIn(admin());
        visit("#/topics/clicks/messages?mode=tail");
        await(By.xpath("//*[@role='status'][.='live']"));

        for (int hundred = 0; hundred < 10; hundred++) {
            String[] messages = new String[100];
            Arrays.fill(messages, "{\"value\": \"click\"}");
            put("clicks", messages);
        }

        awaitText("1,000 received");
        assertThat(driver().findElements(ROWS)).hasSizeLessThan(100);
        press("Pause");
        put("clicks", "{\"value\": \"while paused\"}");
        assertThat(driver().findElement(By.className("tail-count")).getText()).isEqualTo("1,000 received");
        press("Resume");
        awaitText("1,001 received");
        assertThat(driver().findElement(By.cssSelector(".messages tbody td.value"))
                        .getText())
                .isEqualTo("while paused");
        type("contains", "nothing like it");
        awaitText("Nothing received so far matches the filter.");
        awaitText("1,000 do not match"); // all that are kept
        put("clicks", "{\"value\": \"nothing like it\"}");
        awaitText("1 matches");
    }

    @Test
    void tailThatIsPausedStaysSoInAnotherPartition() throws Exception {
        makeTopic("halted", 2);
        signIn(admin());
        visit("#/topics/halted/messages?mode=tail");
        await(By.xpath("//*[@role='status'][.='live']"));
        press("Pause");
        await(By.xpath("//*[@role='status'][.='paused']"));

        choose("partition", "1");
        await("the address has the partition", () -> driver().getCurrentUrl().contains("p=1"));
        await(By.xpath("//*[@role='status'][.='paused']"));
        put("halted/partitions/1", "{\"value\": \"while paused\"}");
        assertThat(driver().findElement(By.className("tail-count")).getText()).isEqualTo("0 received");

        press("Resume");
        awaitText("1 received");
    }

    @Test
    void chartOfANewServerHasMinutesOnItsAxis() {
        signIn(admin());

        assertThat(called("parts/chart.js", "timeRange([], 1000, 5)")).isEqualTo(List.of(700L, 1000L));
        assertThat(called("parts/chart.js", "timeRange(Array(721), 4000, 5)")).isEqualTo(List.of(400L, 4000L));
    }

    @Test
    void sizeIsInTheLargestUnitThatItFills() {
        signIn(admin());

        assertThat(called("format.js", "bytes(1048500)")).isEqualTo("1 MiB"); // and not 1,024 KiB
        assertThat(called("format.js", "bytes(1047000)")).isEqualTo("1,022 KiB");
        assertThat(called("format.js", "bytes(1023)")).isEqualTo("1,023 B");
    }

    @Test
    void topicWithoutMessagesSaysSo() throws Exception {
        makeTopic("empty", 1);
        signIn(admin());
        visit("#/topics/empty/messages");

        awaitText("This topic has no messages yet.");
        assertThat(driver().findElement(By.tagName("main")).getText()).doesNotContain("Search complete");
    }

    @Test
    void topicIsNotMadeWithARetentionThatNoneMayHave() {
        signIn(admin());
        visit("#/topics");
        press("New topic");
        type("topic", "short");
        retype("retention", "0.01"); // days

        awaitInDialog("Enter 1 hour to 365 days.");
        assertThat(driver().findElement(SUBMIT).isEnabled()).isFalse();
    }

    @Test
    void messagesArePutByTheForm() throws Exception {
        makeTopic("by-form", 1);
        signIn(admin());
        visit("#/topics/by-form/messages");
        press("Put");
        type("value", "paid");
        type("key", "order-17");
        type("headers", "trace: 4bf92f35");

        submit();

        awaitInDialog("partition 0, offset 0");
        JsonNode message = done("GET", "/v1/topics/by-form/partitions/0/messages", "")
                .get("messages")
                .get(0);
        assertThat(message.get("value").asText()).isEqualTo("paid");
        assertThat(message.get("key").asText()).isEqualTo("order-17");
        assertThat(message.get("headers").get("trace").asText()).isEqualTo("4bf92f35");
    }

    @Test
    void largeMessageIsShownInPart() throws Exception {
        makeTopic("large", 1);
        putText("large", "x".repeat(LARGE));
        signIn(admin());

        visit("#/topics/large/messages?m=0.0");

        awaitInDialog("Only the first 64 KiB of 10 MiB are loaded.");
        press("Load more");
        awaitInDialog("Only the first 512 KiB of 10 MiB are loaded.");
        press("Hexadecimal");
        awaitInDialog("00000000  78 78 78");
        assertThat(count("document.querySelectorAll('.hex .line').length")).isLessThan(100);
        assertThat(count("performance.getEntriesByType('resource').reduce((sum, each) => sum + each.transferSize, 0)"))
                .isLessThan(LARGE / 4);
    }

    @Test
    void groupShowsByWhatItsMemberJoined() throws Exception {
        String member = done("POST", GROUP + "/members", "{}").get("member").asText();
        signIn(admin());
        visit("#/topics/orders/groups/shipping");

        await(By.xpath(String.format(Locale.ROOT, "//tr[th[normalize-space(.)='%s']]/td[.='REST']", member)));
        done("DELETE", GROUP + "/members/" + member, "");
    }

    @Test
    void groupIsResetAfterAPreviewAndPutBack() throws Exception {
        expectComplaint("status of 409"); // there is no reset yet
        signIn(admin());
        visit("#/topics/orders/groups/shipping");
        press("Undo the last reset …");
        awaitInDialog("The group has no reset that can be undone.");
        assertThat(driver().findElement(SUBMIT).isEnabled()).isFalse();
        press("Cancel");
        awaitNoDialog();
        press("Reset …");
        press("Preview");
        awaitInDialog("60 messages will be read again.");
        assertThat(committed()).isEqualTo(60);

        press("Reset now");
        awaitNoDialog();
        assertThat(committed()).isZero();

        press("Undo the last reset …");
        awaitInDialog("60 messages will be skipped.");
        press("Undo reset");
        awaitNoDialog();
        assertThat(committed()).isEqualTo(60);
    }

    @Test
    void topicIsDeletedOnceItsNameIsTyped() throws Exception {
        makeTopic("old", 1);
        put("old", "{\"value\": \"kept until now\"}");
        signIn(admin());
        visit("#/topics/old/settings");
        press("Delete the topic");
        awaitInDialog("1 message, ");
        WebElement delete = await(By.cssSelector("dialog[open] [type=submit]"));
        assertThat(delete.isEnabled()).isFalse();

        driver().switchTo().activeElement().sendKeys("old");
        delete.click();

        awaitText("Topic old has been deleted.");
        assertThat(rest("GET", "/v1/topics/old", "").statusCode()).isEqualTo(404);
    }

    @Test
    void selectedTopicsAreDeletedTogether() throws Exception {
        makeTopic("bulk-1", 1);
        makeTopic("bulk-2", 1);
        signIn(admin());
        visit("#/topics?q=bulk-");
        for (String topic : List.of("bulk-1", "bulk-2")) {
            await(By.cssSelector("[aria-label='Select topic " + topic + "']")).click();
        }
        awaitText("2 topics selected");
        press("Delete …");
        awaitInDialog("bulk-2");
        assertThat(driver().findElement(SUBMIT).isEnabled()).isFalse();

        type("count", "2");
        submit();

        awaitText("Done for 2 topics.");
        assertThat(rest("GET", "/v1/topics/bulk-1", "").statusCode()).isEqualTo(404);
        assertThat(rest("GET", "/v1/topics/bulk-2", "").statusCode()).isEqualTo(404);
    }

    @Test
    void messagesBeforeAnOffsetAreDeletedAfterAPreview() throws Exception {
        makeTopic("long", 1);
        put("long", "{\"value\": \"first\"}");
        put("long", "{\"value\": \"second\"}");
        put("long", "{\"value\": \"third\"}");
        signIn(admin());
        visit("#/topics/long/settings");
        press("Delete messages");
        choose("before", "offset");
        type("offset", "2");
        press("Preview");
        awaitInDialog("2 messages, ");
        assertThat(rest("GET", "/v1/topics/long", "").body()).contains("\"start\":0");

        press("Delete now");

        awaitText("2 messages have been deleted.");
        assertThat(rest("GET", "/v1/topics/long", "").body()).contains("\"start\":2");
    }

    @Test
    void newKeyIsShownOnceAndOpensWhatItsUserMayRead() throws Exception {
        makeTopic("for-ann", 1);
        put("for-ann", "{\"value\": \"hello ann\"}");
        signIn(admin());
        visit("#/users");
        press("New user");
        type("user", "ann");
        press("Create");
        Key ann = new Key(
                await(By.cssSelector("dialog[open] [data-access]")).getText(),
                await(By.cssSelector("dialog[open] [data-secret]")).getText());
        driver().switchTo().activeElement().sendKeys(Keys.ESCAPE, Keys.ESCAPE);
        awaitInDialog(ann.secretKey());
        press("I have saved it");
        awaitNoDialog();
        assertThat(driver().findElements(By.cssSelector("[data-secret]"))).isEmpty();
        done("PUT", "/v1/topics/for-ann/permissions/ann", "{\"get\": true}");
        expectComplaint("status of 401"); // of what the page had asked for by itself when the session ended
        press("Sign out");

        await(By.id("sign-in"));
        enter(ann);
        visit("#/topics");
        awaitText("1 topic");
        assertThat(driver().findElements(By.linkText("Cluster"))).isEmpty();
        follow("for-ann");
        follow("Messages");
        awaitText("hello ann");
        expectComplaint("status of 403");
        expectComplaint("status of 404");
        visit("#/topics/orders/messages");
        await(By.cssSelector("main [role=alert]"));
        visit("#/topics/for-ann/messages");
        press("Put");
        type("value", "not allowed");
        submit();
        awaitInDialog("You may not do this.");
    }

    private List<String> listed() {
        return driver().findElements(By.cssSelector("main tbody th a")).stream()
                .map(WebElement::getText)
                .toList();
    }

    @Test
    void topicsAreSearchedSortedAndCountedByTheServer() throws Exception {
        makeTopic("listed-few", 1);
        makeTopic("listed-most", 1);
        makeTopic("listed-none", 1);
        put("listed-few", "{\"value\": \"1\"}");
        put("listed-most", "{\"value\": \"1\"}", "{\"value\": \"2\"}");
        signIn(admin());

        await("the messages are measured", () -> {
            visit("#/topics?q=listed&sort=-messages");
            awaitText("3 topics");
            return listed().equals(List.of("listed-most", "listed-few", "listed-none"));
        });
        click(By.xpath("//th/button[starts-with(normalize-space(.), 'Messages')]"));
        await("the other direction", () -> listed().equals(List.of("listed-none", "listed-few", "listed-most")));
        assertThat(driver().getCurrentUrl()).endsWith("sort=messages");

        visit("#/topics");
        await(By.linkText("orders"));
        type("filter", "LISTED-FEW");
        awaitText("1 topic");
        await("the only one", () -> listed().equals(List.of("listed-few")));
        assertThat(count("performance.getEntriesByType('resource')"
                        + ".filter(each => each.name.includes('contains=')).length"))
                .isBetween(1L, 9L); // fewer than the keys
        retype("filter", "listed-absent");
        awaitText("No topic matches the filter.");
        awaitText("0 topics");
    }

    @Test
    void groupsOfAllTopicsAreFoundWithTheirLag() throws Exception {
        makeTopic("lagging", 1);
        put("lagging", "{\"value\": \"1\"}", "{\"value\": \"2\"}");
        done("POST", "/v1/topics/lagging/groups/late/members", "{}");
        signIn(admin());

        await("the group is listed", () -> {
            visit("#/groups?q=lagging%20LATE&sort=-lag");
            await(By.cssSelector("main tbody tr"));
            return listed().contains("late");
        });

        awaitText("1 group");
        assertThat(driver().findElement(By.cssSelector("main tbody tr td:last-child"))
                        .getText())
                .isEqualTo("2");
        visit("#/topics/lagging/groups");
        await(By.linkText("late"));
    }

    @Test
    void keysLeadToPagesOnceTheFirstOfThemIsPressed() {
        signIn(admin());
        await(By.tagName("h1"));
        driver().findElement(By.tagName("body")).sendKeys("t");
        assertThat(driver().getCurrentUrl()).doesNotContain("#/topics");

        driver().findElement(By.tagName("body")).sendKeys("gt");

        await(By.xpath("//h1[.='Topics']"));
        assertThat(driver().getCurrentUrl()).endsWith("#/topics");
    }

    @Test
    void axeFindsNothingOnAnyPageInLightAndDarkAndAllOfThemAreSmall() throws Exception {
        Set<String> files = new TreeSet<>();
        signIn(admin());
        for (String page : PAGES) {
            visit(page);
            await(
                    page + " is loaded",
                    () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
            for (String theme : List.of("light", "dark")) {
                driver().executeScript("document.documentElement.dataset.theme = arguments[0]", theme);
                assertThat(Accessibility.violations(driver()))
                        .as(page + ", " + theme)
                        .isEmpty();
            }
            files.addAll(loaded());
        }

        long bytes = 0;
        for (String file : files) {
            bytes += compressedSize(file);
        }
        assertThat(files).anyMatch(file -> file.endsWith("/app.js")).anyMatch(file -> file.contains("uPlot"));
        assertThat(bytes).isBetween(1L, MOST_BYTES);
    }

    /** The files of which the page consists. */
    @SuppressWarnings("unchecked")
    private List<String> loaded() {
        return (List<String>) Objects.requireNonNull(driver().executeScript("""
                return performance.getEntries().filter(each => ["navigation", "resource"].includes(each.entryType))
                    .map(each => each.name.replace(/#.*/, "")).filter(each => each.includes("/console/"));
                """));
    }
}
