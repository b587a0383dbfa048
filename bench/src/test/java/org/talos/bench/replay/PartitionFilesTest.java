// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionFilesTest {
    private final List<ReadableByteChannel> opened = new ArrayList<>();

    private BareFile file(String text) {
        return () -> {
            var channel = Channels.newChannel(new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII)));
            opened.add(channel);
            return channel;
        };
    }

    private static String next(PartitionFiles files) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(4);
        int bytes = files.read(piece);
        return new String(piece.array(), 0, bytes, StandardCharsets.US_ASCII);
    }

    @Test
    void piecesContinueFromFileToFileAndBeginAgainAfterTheLast() throws IOException {
        PartitionFiles files = new PartitionFiles(List.of(file("abcdef"), file(""), file("ghi")), 9);

        assertThat(List.of(next(files), next(files), next(files), next(files)))
                .containsExactly("abcd", "efgh", "i", "abcd");
    }

    @Test
    void filesAreClosedAtTheirEndAndWithTheReader() throws IOException {
        PartitionFiles files = new PartitionFiles(List.of(file("abcde"), file("fghijk")), 11);
        assertThat(next(files) + next(files)).isEqualTo("abcdefgh");

        assertThat(opened).extracting(ReadableByteChannel::isOpen).containsExactly(false, true);

        files.close();
        assertThat(opened).extracting(ReadableByteChannel::isOpen).containsExactly(false, false);
    }

    @Test
    void filesWithLessThanWasPutAreRefused() {
        PartitionFiles files = new PartitionFiles(List.of(file("abc")), 4);

        assertThatThrownBy(() -> next(files))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3 bytes (expected: more than the 4 of its messages)");
    }
}
