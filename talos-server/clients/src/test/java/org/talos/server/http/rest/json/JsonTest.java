// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
    private static final String LONG = "n".repeat(40_000);

    private static JsonObject read(String text) {
        return Json.readObject(ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    /** Eighty bytes of a tree for an empty object, which is two as text. */
    @Test
    void memoryOfABodyIsThatOfItsTree() {
        long empty = JsonMemory.of(bytes("[" + "{},".repeat(100_000) + "{}]"));
        long text = JsonMemory.of(bytes("[\"" + "{[,\\\"".repeat(100_000) + "\"]"));

        assertThat(empty).isGreaterThan(100_000L * (80 + 3 * 4));
        assertThat(text).as("what stands in a text is none").isLessThan(100_000L * 5 * 8 + 1_000);
    }

    @Test
    void memoryIsTheSameInPieces() {
        String text = "{\"a\\\\\":[{},\"\\\",{\"]}";
        JsonMemory pieces = new JsonMemory();
        for (int at = 0; at < text.length(); at++) {
            pieces.add(bytes(text.substring(at, at + 1)));
        }

        assertThat(pieces.bytes()).isEqualTo(JsonMemory.of(bytes(text)));
        assertThat(pieces.bytes()).isEqualTo(4L * text.length() + 5 * 100); // all, two objects, a list, a comma
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"n" : 1.50, "e": 1e400, "a": [1, 2]}  | {"n":1.50,"e":1e400,"a":[1,2]}
            [ ]                                    | []
            "text"                                 | "text"
            -0                                     | -0
            null                                   | null
            "half \\ud800 of a pair"                | "half \\ud800 of a pair"
            "𝄞é \\u0041"                            | "𝄞é \\u0041"
            {"a b" : "c \\" , d"}                   | {"a b":"c \\" , d"}
            """)
    void valueGoesOnAsItCameOnOneLine(String given, String passedOn) {
        assertThat(Json.isValue(bytes(given))).isTrue();
        assertThat(Rendered.text(new CompactJson(bytes(given)))).isEqualTo(passedOn);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{} {}",
                "1 2",
                "{\"a\":}",
                "nul",
                "[1}",
                "1e99999999999",
                "\u0001",
                "\"\\x\"",
                "\"\\",
                "\ufeff1",
                "[\"\u0001\"]"
            })
    void whatIsNoValueIsNotPassedOn(String given) {
        assertThat(Json.isValue(bytes(given))).isFalse();
    }

    @Test
    void valueThatIsTooDeepIsNotPassedOn() {
        assertThat(Json.isValue(bytes("[".repeat(32) + "]".repeat(32)))).isTrue();
        assertThat(Json.isValue(bytes("[".repeat(33) + "]".repeat(33)))).isFalse();
    }

    @Test
    void lookingThroughAValueKeepsNothingOfIt() {
        ByteBuffer objects = bytes("[" + "{},".repeat(1 << 18) + "{}]");
        ByteBuffer text = bytes("\"" + "\\n".repeat(1 << 20) + "\"");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(Json.isValue(objects) && Json.isValue(text)).isTrue(); // loads what it needs
        long before = threads.getCurrentThreadAllocatedBytes();

        assertThat(Json.isValue(objects) && Json.isValue(text)).isTrue();

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64 << 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0.", "1e", "-"})
    void digitsAreNotCollected(String begin) {
        ByteBuffer number = bytes("[" + begin + "1".repeat(4 << 20) + "]");
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(Json.isValue(number)).isFalse();
        long before = threads.getCurrentThreadAllocatedBytes();

        assertThat(Json.isValue(number)).isFalse();

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(512 << 10);
    }

    @Test
    void namesThatClientsMakeUpAreNotKept() {
        List<WeakReference<String>> names = IntStream.range(0, 100)
                .mapToObj(i -> new WeakReference<>(name(LONG + i)))
                .toList();

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            System.gc();
            return names.stream().allMatch(each -> each.get() == null);
        });
    }

    /** The name itself as it was read. */
    private static String name(String name) {
        return read("{\"texts\": {\"" + name + "\": \"\"}}")
                .texts("texts")
                .keySet()
                .iterator()
                .next();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"%s\": 1}", "{\"texts\": {\"%s\": 1}}", "{\"texts\": {\"%1$s\": \"\", \"%1$s\": \"\"}}"})
    void refusalHasTheBeginningOfALongName(String form) {
        ProblemException refused = catchThrowableOfType(ProblemException.class, () -> {
            JsonObject object = read(String.format(Locale.ROOT, form, LONG));
            var unused = object.texts("texts");
            object.end();
        });

        assertThat(refused.problem().detail()).contains("nnn…").hasSizeLessThan(400);
    }

    @Test
    void beginningOfANameEndsBehindAWholeCharacter() {
        String shown = JsonObject.shown("x" + "𝄞".repeat(300));

        assertThat(shown).isEqualTo("x" + "𝄞".repeat(199) + "…");
    }
}
