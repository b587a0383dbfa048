// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
    private static final String LONG = "n".repeat(40_000);

    private static JsonObject read(String text) {
        return Json.readObject(ByteBuffer.wrap(text.getBytes(UTF_8)));
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
            JsonObject object = read(form.formatted(LONG));
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
