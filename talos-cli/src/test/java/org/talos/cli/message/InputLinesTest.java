// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.cli.CommandException;

/** Standard input of which nobody knows how long it is. */
@Timeout(60)
class InputLinesTest {
    private long read;

    @Test
    void lineWithoutAnEndIsReadNoFurtherThanALineMayBe() {
        InputLines lines = new InputLines(new Endless());

        assertThatThrownBy(lines::next)
                .isInstanceOf(CommandException.class)
                .hasMessage("line 1 is longer than 33554432 bytes (--file puts a whole file as one message)");

        assertThat(read).isBetween(32L << 20, 33L << 20);
    }

    /** Gives bytes forever. */
    private final class Endless extends InputStream {
        @Override
        public int read() {
            read++;
            return 'x';
        }

        @Override
        public int read(byte[] target, int from, int bytes) {
            Arrays.fill(target, from, from + bytes, (byte) 'x');
            read += bytes;
            return bytes;
        }
    }
}
