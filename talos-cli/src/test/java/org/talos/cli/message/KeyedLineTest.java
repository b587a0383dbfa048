// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.cli.CommandException;
import org.talos.client.producer.OutgoingMessage;

class KeyedLineTest {
    private static OutgoingMessage read(String separator, byte[] line) throws CommandException {
        return new KeyedLine(separator).read(line).message();
    }

    @ParameterizedTest
    @CsvSource({
        "':',   'order-17:paid: yes', order-17, 'paid: yes'",
        "'=>',  'k=v=>=>w',           k=v,      '=>w'",
        "'\\t', 'clé\tgröße',         clé,      größe",
        "':',   'k:',                 k,        ''"
    })
    void keyIsWhatIsBeforeTheFirstSeparator(String separator, String line, String key, String value) throws Exception {
        OutgoingMessage message = read(separator, line.getBytes(UTF_8));

        assertThat(message.key()).contains(key);
        assertThat(message.body()).isEqualTo(value.getBytes(UTF_8));
    }

    @Test
    void emptyKeyIsNone() throws Exception {
        assertThat(read(":", ":paid".getBytes(UTF_8)).key()).isEmpty();
    }

    @Test
    void valueIsBytesAndTheKeyIsText() throws Exception {
        assertThat(read(":", new byte[] {'k', ':', (byte) 0xff}).body()).containsExactly(0xff);
        assertThatThrownBy(() -> read(":", new byte[] {(byte) 0xff, ':', 'v'}))
                .isInstanceOf(CommandException.class)
                .hasMessage("the key is not UTF-8");
    }

    @Test
    void lineWithoutASeparatorAndNoSeparatorAreRefused() {
        assertThatThrownBy(() -> read(":", "paid".getBytes(UTF_8)))
                .isInstanceOf(CommandException.class)
                .hasMessage("no ':' (expected: a key, ':' and a value)");
        assertThatThrownBy(() -> read("", "paid".getBytes(UTF_8))).isInstanceOf(CommandException.class);
    }
}
