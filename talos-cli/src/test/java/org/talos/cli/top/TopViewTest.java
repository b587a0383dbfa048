// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopViewTest {
    private static final long SECOND = 1_000_000_000L;

    private final TopView view = new TopView("http://127.0.0.1:8080", ZoneOffset.UTC);

    private static Sample.Topic topic(String name, long put, long bytes) {
        return new Sample.Topic(name, 4, Optional.of(new Sample.Kept(put, put, bytes)), true);
    }

    private static Sample.Group group(String topic, String name, long committed, long lag) {
        return new Sample.Group(topic, name, 2, committed, OptionalLong.of(lag));
    }

    private static Sample sample(long second, List<Sample.Topic> topics, List<Sample.Group> groups) {
        return new Sample(
                second * SECOND,
                Instant.parse("2026-01-31T12:00:00Z").plusSeconds(second),
                topics,
                groups,
                topics.size());
    }

    private void twoSamples() {
        view.sampled(sample(
                0,
                List.of(topic("logs", 1_000, 1_000_000), topic("orders", 0, 0)),
                List.of(group("logs", "archive", 100, 900))));
        view.sampled(sample(
                2,
                List.of(topic("logs", 1_020, 1_020_000), topic("orders", 24_000, 48_000_000)),
                List.of(group("logs", "archive", 600, 420), group("orders", "shipping", 0, 24_000))));
    }

    private void press(Key... keys) {
        for (Key key : keys) {
            assertThat(view.pressed(key, 24)).isTrue();
        }
    }

    @Test
    void screenOf80ColumnsShowsRatesSizesAndLagWithTheBusiestFirst() {
        twoSamples();

        List<String> screen = view.screen(80, 24);

        assertThat(screen).hasSize(24).allMatch(line -> line.length() <= 80);
        assertThat(screen.subList(0, 6))
                .containsExactly(
                        "talos top  http://127.0.0.1:8080  12:00:02",
                        "2 topics, 2 groups: put 12.0k/s, 22.9 MiB/s; 46.7 MiB kept; lag 24.4k",
                        "",
                        "TOPIC                        PARTS [PUT/S]    BYTES/S      SIZE MESSAGES     LAG",
                        "orders                           4   12.0k   22.9 MiB  45.8 MiB    24.0k   24.0k",
                        "logs                             4    10.0   9.77 KiB   996 KiB     1020     420");
        assertThat(screen.get(23)).startsWith("q quit");
    }

    @Test
    void groupsAreShownByLag() {
        twoSamples();

        press(Key.GROUPS);

        assertThat(view.screen(80, 24).subList(3, 6))
                .containsExactly(
                        "GROUP                           OF TOPIC                MEMBERS   READ/S   [LAG]",
                        "shipping                        orders                        2        -   24.0k",
                        "archive                         logs                          2      250     420");
    }

    @Test
    void keysChangeOrderAndView() {
        twoSamples();

        press(Key.SORT);
        assertThat(view.screen(80, 24).get(3)).contains("[BYTES/S]");
        press(Key.REVERSE);
        assertThat(view.screen(80, 24).get(4)).startsWith("logs");
        press(Key.NEXT_VIEW);
        assertThat(view.screen(80, 24).get(3)).startsWith("GROUP");
        press(Key.NEXT_VIEW, Key.HELP);
        assertThat(view.screen(80, 24)).anyMatch(line -> line.startsWith("q          quit"));
        press(Key.HELP, Key.NONE);
        assertThat(view.screen(80, 24).get(3)).startsWith("TOPIC");
        assertThat(view.pressed(Key.QUIT, 24)).isFalse();
    }

    @Test
    void listThatIsLongerThanTheScreenIsScrolledAndNoFurtherThanToItsEnd() {
        List<Sample.Topic> many = new ArrayList<>();
        IntStream.range(0, 60).forEach(i -> many.add(topic(String.format(Locale.ROOT, "topic-%02d", i), 0, 0)));
        view.sampled(sample(0, many, List.of()));

        assertThat(view.screen(80, 24).get(4)).startsWith("topic-00");
        press(Key.DOWN, Key.PAGE_DOWN);
        assertThat(view.screen(80, 24).get(4)).startsWith("topic-20");
        press(Key.PAGE_DOWN, Key.PAGE_DOWN, Key.PAGE_DOWN);
        assertThat(view.screen(80, 24).get(22)).startsWith("topic-59");
        press(Key.PAGE_UP, Key.PAGE_UP, Key.PAGE_UP, Key.UP);
        assertThat(view.screen(80, 24).get(4)).startsWith("topic-00");
    }

    @Test
    void pausedPictureStandsStill() {
        twoSamples();
        press(Key.PAUSE);

        view.sampled(sample(4, List.of(topic("new", 1, 1)), List.of()));

        assertThat(view.screen(80, 24).get(0)).endsWith("12:00:02  paused");
        assertThat(view.screen(80, 24)).noneMatch(line -> line.startsWith("new"));
        press(Key.PAUSE);
        view.sampled(sample(6, List.of(topic("new", 1, 1)), List.of()));
        assertThat(view.screen(80, 24)).anyMatch(line -> line.startsWith("new"));
    }

    @Test
    void firstSampleHasNoRatesAndAFailureLeavesWhatWasShown() {
        view.sampled(sample(0, List.of(topic("orders", 5, 5)), List.of()));
        assertThat(view.screen(80, 24).get(4)).contains("orders").contains(" - ");

        view.failed("CONNECTION: no server at http://127.0.0.1:8080");

        assertThat(view.screen(80, 24).get(1)).startsWith("CONNECTION");
        assertThat(view.screen(80, 24).get(4)).startsWith("orders");
    }

    @Test
    void whatIsNotKnownIsNoZeroAndComesFirst() {
        Sample.Topic halfAsked = new Sample.Topic("many", 4, Optional.of(new Sample.Kept(100, 100, 1_000)), false);
        Sample.Topic notServed = new Sample.Topic("nowhere", 4, Optional.empty(), false);
        List<Sample.Group> groups = List.of(group("many", "g", 0, 100));
        Sample before = sample(0, List.of(halfAsked, notServed), groups);
        Sample now = sample(1, List.of(halfAsked, notServed), groups);
        view.sampled(before);
        view.sampled(now);

        List<String> screen = view.screen(80, 24);

        assertThat(screen.get(1)).endsWith("; 1000 B+ kept; lag 0+");
        assertThat(screen.subList(4, 6))
                .containsExactly(
                        "nowhere                          4       -          -         ?        ?       ?",
                        "many                             4       0        0 B    1000 B      100       ?");
        assertThat(TopDocument.of(before, now).topics())
                .containsExactly(
                        new TopDocument.Topic(
                                "many",
                                4,
                                OptionalDouble.of(0),
                                OptionalDouble.of(0),
                                OptionalLong.of(1_000),
                                OptionalLong.of(100),
                                OptionalLong.empty()),
                        new TopDocument.Topic(
                                "nowhere",
                                4,
                                OptionalDouble.empty(),
                                OptionalDouble.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty(),
                                OptionalLong.empty()));
    }

    /** As of a reset. */
    @Test
    void whatGoesBackIsNoNegativeRate() {
        view.sampled(sample(0, List.of(topic("orders", 500, 5)), List.of(group("orders", "g", 500, 0))));
        view.sampled(sample(1, List.of(topic("orders", 100, 5)), List.of(group("orders", "g", 0, 100))));

        assertThat(view.screen(80, 24).get(4)).doesNotContain("-4");
        press(Key.GROUPS);
        assertThat(view.screen(80, 24).get(4)).doesNotContain("-5");
    }

    @Test
    void smallTerminalIsFilledAndNotOverflown() {
        twoSamples();

        for (int width = 1; width < 130; width += 8) {
            for (int lines = 1; lines < 30; lines += 3) {
                List<String> screen = view.screen(width, lines);
                int most = width;
                assertThat(screen).hasSizeLessThanOrEqualTo(lines).allMatch(line -> line.length() <= most);
            }
        }
    }

    @Test
    void longNameIsCutWhereItCanBeSeen() {
        view.sampled(sample(0, List.of(topic("n".repeat(80), 5, 5)), List.of()));

        assertThat(view.screen(80, 24).get(4)).contains("nnn~ ").hasSizeLessThanOrEqualTo(80);
    }

    @Test
    void emptyClusterSaysWhatToDo() {
        view.sampled(sample(0, List.of(), List.of()));

        assertThat(view.screen(80, 24)).contains("no topics yet: talos topic create NAME");
    }
}
