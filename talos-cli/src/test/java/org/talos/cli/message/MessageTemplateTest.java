// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.cli.CommandException;
import org.talos.client.consumer.FetchedMessage;

class MessageTemplateTest {
    private static final FetchedMessage MESSAGE = new FetchedMessage(
            "orders",
            3,
            17,
            "größe".getBytes(UTF_8),
            Optional.of("clé"),
            Map.of("trace", "4b", "color", "red"),
            Optional.empty(),
            Instant.ofEpochMilli(1_769_860_800_000L));

    private static byte[] written(String template, FetchedMessage message) throws Exception {
        var out = new ByteArrayOutputStream();
        MessageTemplate.of(template).write(message, out);
        return out.toByteArray();
    }

    @Test
    void everyFieldIsThatOfTheMessage() throws Exception {
        assertThat(new String(written("%t/%p@%o %T %k=%v (%S) [%h] 100%%\\n", MESSAGE), UTF_8))
                .isEqualTo("orders/3@17 1769860800000 clé=größe (7) [color=red,trace=4b] 100%\n");
    }

    @Test
    void escapesAreTheirBytes() throws Exception {
        assertThat(written("\\t\\r\\0\\\\\\xff€\\n", MESSAGE))
                .containsExactly('\t', '\r', 0, '\\', 0xff, 0xe2, 0x82, 0xac, '\n');
    }

    @Test
    void valueIsItsBytesAndWhatIsNotThereIsNothing() throws Exception {
        byte[] noText = {(byte) 0xff, 0, '\n'};
        FetchedMessage bare =
                new FetchedMessage("t", 0, 0, noText, Optional.empty(), Map.of(), Optional.empty(), Instant.EPOCH);

        assertThat(written("%k|%h|%v", bare)).containsExactly('|', '|', 0xff, 0, '\n');
    }

    @ParameterizedTest
    @ValueSource(strings = {"%x", "50%", "\\q", "\\", "\\x1"})
    void whatIsUnknownIsRefused(String template) {
        assertThatThrownBy(() -> MessageTemplate.of(template))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("expected: ");
    }
}
