// SPDX-License-Identifier: Apache-2.0
package org.talos.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Messages that are put, found and downloaded at the console. */
@Tag("full") // browser
@Tag("servers")
class MessagesIT extends Reader {
    private static final By PLACES = By.cssSelector(".messages tbody tr th button");
    /** An order, a repeated name, numbers, and white space that JavaScript would write differently. */
    private static final String EXACT = "{\"b\": 1, \"2\":[ ],\"1\":12345678901234567890,\"b\":12.50}";

    @BeforeAll
    void fill() throws Exception {
        makeTopic("even", 4);
        String[] messages = IntStream.range(0, 20)
                .mapToObj(each -> "{\"value\": \"message " + each + "\"}")
                .toArray(String[]::new);
        for (int partition = 0; partition < 4; partition++) {
            put("even/partitions/" + partition, messages);
            passAMillisecond(); // the last partition has the newest
        }
        makeTopic("paged", 2);
        String[] old = IntStream.range(0, 3_000)
                .mapToObj(each -> "{\"value\": \"needle " + each + "\"}")
                .toArray(String[]::new);
        put("paged/partitions/0", old);
        passAMillisecond();
        put("paged/partitions/1", "{\"value\": \"other\"}", "{\"value\": \"needle newest\"}");
        makeTopic("found", 1);
        put(
                "found",
                "{\"value\": \"paid\", \"key\": \"order-17\", \"headers\": {\"trace\": \"4bf9\"}}",
                "{\"value\": \"sent\", \"key\": \"order-18\", \"headers\": {\"trace\": \"5cf0\"}}");
    }

    private void passAMillisecond() {
        long now = Instant.now().toEpochMilli();
        await("the clock has moved", () -> Instant.now().toEpochMilli() > now);
    }

    private List<String> values(String topic) throws IOException, InterruptedException {
        List<String> values = new ArrayList<>();
        JsonNode all = done("GET", "/v1/topics/" + topic + "/partitions/0/messages?from=earliest", "");
        all.get("messages").forEach(each -> values.add(each.get("value").asText()));
        return values;
    }

    /** Partition and offset of each row that is drawn. */
    private List<String> places() {
        return driver().findElements(PLACES).stream()
                .map(each -> each.getText().lines().findFirst().orElse(""))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "'',                   1:10 2:0 3:0 3:19, 50", // the newest
        "?n=25,                2:15 2:19 3:0 3:19, 25",
        "?from=latest-20&n=25, 2:15 2:19 3:0 3:19, 25",
        "?from=earliest&n=25,  0:0 3:0 0:6 3:6,   28",
        "?from=latest-3,       0:17 3:17 0:19 3:19, 12",
        "?from=latest-,        1:10 2:0 3:0 3:19, 50", // a number that is left empty
        "?from=latest-0,       1:10 2:0 3:0 3:19, 50", // and wrong ones
        "?from=latest-x,       1:10 2:0 3:0 3:19, 50",
    })
    void pageHasTheNewestOfAllPartitionsOrEvenlyManyOfEach(String range, String shown, int count) {
        signIn(admin());
        visit("#/topics/even/messages" + range);

        awaitText(count + " messages");
        assertThat(places()).hasSize(count).contains(shown.split(" "));
    }

    @Test
    void lastNoneOfEachPartitionIsRefusedAtTheField() {
        signIn(admin());
        visit("#/topics/even/messages");
        choose("from", "before");
        retype("before", "0");

        awaitText("Enter a whole number of at least 1.");
        assertThat(driver().findElement(By.cssSelector("form[role=search] button[type=submit]"))
                        .isEnabled())
                .isFalse();
        retype("before", "3");
        press("Show");

        awaitText("12 messages");
    }

    private void awaitPlaces(int count, String first, String last) {
        await(count + " rows from " + first + " to " + last, () -> {
            List<String> shown = places();
            return shown.size() == count
                    && shown.get(0).equals(first)
                    && shown.get(count - 1).equals(last);
        });
    }

    @Test
    void newestMatchIsOnTheFirstPageAndOlderOnesAreBehindIt() {
        signIn(admin());
        visit("#/topics/paged/messages?text=needle&n=25");

        awaitPlaces(25, "1:1", "0:2976");
        awaitText("More matches may follow.");
        follow("Older");
        awaitPlaces(25, "0:2975", "0:2951");
        follow("To the newest");
        awaitPlaces(25, "1:1", "0:2976");
    }

    @Test
    void olderMessagesAreBehindTheNewestUntilThereIsNone() {
        signIn(admin());
        visit("#/topics/even/messages?n=25");
        awaitPlaces(25, "3:19", "2:15");

        follow("Older");
        awaitPlaces(25, "2:14", "1:10");
        follow("Older");
        awaitPlaces(25, "1:9", "0:5");
        follow("Older");

        awaitPlaces(5, "0:4", "0:0");
        await(
                "the search has ended",
                () -> driver().findElements(By.cssSelector(".spin")).isEmpty());
        assertThat(driver().findElements(By.linkText("Older"))).isEmpty();
    }

    @Test
    void lastBeforeTheEndAreSearchedFromTheEndAndNoFurther() {
        signIn(admin());
        visit("#/topics/paged/messages?from=latest-30&text=needle&n=25");

        awaitPlaces(25, "1:1", "0:2976");
        follow("Older");

        awaitPlaces(6, "0:2975", "0:2970");
    }

    @Test
    void filteredDownloadHasTheNewestInTheOrderInWhichTheyWerePut(@TempDir Path folder) throws Exception {
        driver().executeCdpCommand(
                        "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        signIn(admin());
        visit("#/topics/paged/messages?text=needle");
        press("Download");
        awaitInDialog("Messages at most");
        retype("count", "3");
        submit();

        Path file = folder.resolve("paged.jsonl");
        await("the file is there", () -> Files.exists(file));

        assertThat(Files.readAllLines(file))
                .hasSize(3)
                .satisfiesExactly(
                        line -> assertThat(line).contains("needle 2998"),
                        line -> assertThat(line).contains("needle 2999"),
                        line -> assertThat(line).contains("needle newest"));
    }

    @ParameterizedTest
    @CsvSource({
        "key=order-17,       0:0",
        "header=trace:5cf0,  0:1",
        "text=pai,           0:0",
        "from=0&to=0:1,      0:0", // no time, but REST takes it
        "from=2h&to=1h,      ''",
    })
    void whatTheAddressAsksForIsShown(String query, String place) {
        signIn(admin());
        visit("#/topics/found/messages?" + query);

        await(
                query + " has found " + place,
                () -> driver().findElements(By.cssSelector(".spin")).isEmpty()
                        && !driver().findElements(By.className("messages")).isEmpty());
        assertThat(places()).isEqualTo(place.isEmpty() ? List.of() : List.of(place));
    }

    @ParameterizedTest
    @CsvSource({
        "#/constructor,                                   Page not found,        ''",
        "#/topics/found/constructor,                      No page has this address., ''",
        "#/topics/found/messages?from=2026-13-45T00:00Z,  bad-request, status of 400",
    })
    void addressThatLeadsNowhereIsSaidToDoSo(String address, String text, String complaint) {
        if (!complaint.isEmpty()) {
            expectComplaint(complaint);
        }
        signIn(admin());
        visit(address);

        awaitText(text);
        follow("Topics");
        await(By.xpath("//h1[.='Topics']"));
    }

    @Test
    void jsonIsPutAsItIsWritten() throws Exception {
        makeTopic("json", 1);
        signIn(admin());
        visit("#/topics/json/messages");
        press("Put");
        choose("form", "json");
        type("value", EXACT);

        submit();

        awaitInDialog("partition 0, offset 0");
        assertThat(values("json")).containsExactly(EXACT);
    }

    @Test
    void jsonIsShownAsItIsStored() throws Exception {
        makeTopic("stored", 1);
        putText("stored", EXACT);
        signIn(admin());

        visit("#/topics/stored/messages?m=0.0&view=json");

        awaitInDialog("12345678901234567890");
        assertThat(driver().findElements(By.cssSelector(".json-name")).stream().map(WebElement::getText))
                .containsExactly("\"b\"", "\"2\"", "\"1\"", "\"b\"");
        visit("#/topics/stored/messages?m=0.0&view=text");
        awaitInDialog(EXACT);
    }

    @Test
    void headerThatIsTypedTwiceIsRefusedBeforeOneOfItsValuesIsLost() throws Exception {
        makeTopic("headers", 1);
        signIn(admin());
        visit("#/topics/headers/messages");
        press("Put");
        type("value", "paid");
        type("headers", "trace: 1\nTrace: 2");

        submit();

        awaitInDialog("Header Trace appears twice");
        assertThat(values("headers")).isEmpty();
    }

    @Test
    void linesArePutAndThoseThatAreNoMessageAreRefused() throws Exception {
        makeTopic("lines", 1);
        signIn(admin());
        visit("#/topics/lines/messages");
        press("Put");
        choose("how", "lines");
        type("lines", "{\"json\": " + EXACT + ", \"key\": \"k\", \"offset\": 9, \"size\": 3}\n");

        type("lines", "{\"value\": \"pa\", \"truncated\": true}");
        submit();
        awaitInDialog("Line 2 has only the beginning of a message.");
        retype("lines", "null");
        submit();
        awaitInDialog("Line 1 is not JSON.");
        retype("lines", "{\"json\": " + EXACT + ", \"key\": \"k\", \"offset\": 9, \"size\": 3}\n{\"value\": \"paid\"}");
        submit();

        awaitInDialog("partition 0, offset 1");
        assertThat(values("lines")).containsExactly(EXACT, "paid");
    }

    @Test
    void putThatIsPressedAgainIsAnotherOnlyOnceItWasStored() throws Exception {
        makeTopic("twice", 1);
        signIn(admin());
        visit("#/topics/twice/messages");
        press("Put");
        type("value", "first");
        submit();
        awaitInDialog("partition 0, offset 0");
        type("key", "ä".repeat(200)); // more than 256 bytes
        expectComplaint("status of 400");
        submit();
        awaitInDialog("bad-request");
        retype("key", Keys.BACK_SPACE.toString());

        submit();

        awaitInDialog("partition 0, offset 1");
        assertThat(values("twice")).containsExactly("first", "first");
    }

    @Test
    void downloadHasTheNewestOfAllPartitionsInLinesThatCanBePut(@TempDir Path folder) throws Exception {
        driver().executeCdpCommand(
                        "Browser.setDownloadBehavior", Map.of("behavior", "allow", "downloadPath", folder.toString()));
        signIn(admin());
        visit("#/topics/even/messages");
        press("Download");
        awaitInDialog("Messages at most");
        retype("count", "10"); // three of each partition, as two would be fewer
        submit();

        Path file = folder.resolve("even.jsonl");
        await("the file is there", () -> Files.exists(file));
        List<String> lines = Files.readAllLines(file);

        assertThat(lines)
                .hasSize(12)
                .allMatch(line -> line.contains("\"size\":"))
                .anyMatch(line -> line.startsWith("{\"partition\":3,\"offset\":19,"));
        makeTopic("copy", 1);
        visit("#/topics/copy/messages");
        press("Put");
        choose("how", "lines");
        type("lines", String.join("\n", lines));
        submit();
        awaitInDialog("partition 0, offset 11");
        assertThat(values("copy")).contains("message 17", "message 19").doesNotContain("message 16");
    }
}
