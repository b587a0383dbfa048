// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.consumer.FetchedMessage;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class MessageFilterTest {
    /** A command that has the options. */
    @Command
    private static final class Filtered {
        @Mixin
        private MessageFilter filter = new MessageFilter();
    }

    private static boolean passes(byte[] body, String... options) {
        Filtered filtered = new Filtered();
        new CommandLine(filtered).parseArgs(options);
        filtered.filter.check();
        return filtered.filter.passes(
                new FetchedMessage("t", 0, 0, body, Optional.empty(), Map.of(), Optional.empty(), Instant.EPOCH));
    }

    private static boolean passes(String body, String... options) {
        return passes(body.getBytes(StandardCharsets.UTF_8), options);
    }

    @Test
    void withoutAnExpressionAllPass() {
        assertThat(passes("any")).isTrue();
    }

    private static boolean passesByKey(Optional<String> key, String... options) {
        Filtered filtered = new Filtered();
        new CommandLine(filtered).parseArgs(options);
        filtered.filter.check();
        return filtered.filter.passes(
                new FetchedMessage("t", 0, 0, new byte[] {'a'}, key, Map.of(), Optional.empty(), Instant.EPOCH));
    }

    @Test
    void keyIsTheWholeKey() {
        assertThat(passesByKey(Optional.of("order-17"), "--key", "order-17")).isTrue();
        assertThat(passesByKey(Optional.of("order-171"), "--key", "order-17")).isFalse();
        assertThat(passesByKey(Optional.empty(), "--key", "order-17")).isFalse();
        assertThat(passesByKey(Optional.of("order-17"), "--key", "order-17", "--grep", "b"))
                .isFalse();
    }

    @Test
    void expressionIsFoundInTheKey() {
        assertThat(passesByKey(Optional.of("order-17"), "--grep-key", "-1[67]$"))
                .isTrue();
        assertThat(passesByKey(Optional.of("ORDER-17"), "--grep-key", "order", "-i"))
                .isTrue();
        assertThat(passesByKey(Optional.of("bill-17"), "--grep-key", "order")).isFalse();
        assertThat(passesByKey(Optional.empty(), "--grep-key", ".*")).isFalse();
    }

    @Test
    void lettersOfUtf8AreLetters() {
        assertThat(passes("Grüße", "--grep", "^Gr.ße$")).isTrue();
        assertThat(passes("GRÜN", "--grep", "grün", "-i")).isTrue();
        assertThat(passes("GRÜN", "--grep", "grün")).isFalse();
    }

    /** As the log lines of many programs are. */
    @ParameterizedTest
    @ValueSource(strings = {"[Ll]atte", "latte$", " l", "caf. ", "e$"})
    void whatStandsBehindABrokenLetterIsFound(String regex) {
        assertThat(passes("café latte".getBytes(StandardCharsets.ISO_8859_1), "--grep", regex))
                .isTrue();
        assertThat(passes("café Latte".getBytes(StandardCharsets.ISO_8859_1), "--grep", regex, "-i"))
                .isTrue();
    }
}
