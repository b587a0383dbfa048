// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes of a segment in memory. */
class UnwrittenPiecesTest {
    private final UnwrittenPieces pieces = new UnwrittenPieces();

    private static ByteBuffer bytes(int length, int value) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) value);
        }
        return bytes;
    }

    @Test
    void smallBuffersOfAnAppendAreOnePieceAndOnlyDurableOnesAreWritten() {
        pieces.add(List.of(bytes(10, 1), bytes(20, 2), bytes(1_000, 3)));
        pieces.add(List.of(bytes(30, 4)));
        assertThat(pieces.end()).isEqualTo(1_060);

        UnwrittenPieces.Run run = pieces.run(0, 1_030);
        assertThat(run.bytes()).extracting(ByteBuffer::remaining).containsExactly(30, 1_000);
        assertThat(run.end()).isEqualTo(1_030);

        pieces.removeFirst(run.bytes().size());
        assertThat(pieces.run(1_030, 1_030).bytes()).isEmpty();
        assertThat(pieces.run(1_030, 1_060).end()).isEqualTo(1_060);
    }

    @Test
    void durableBytesAreReadFromAnyPosition() {
        pieces.add(List.of(bytes(600, 1), bytes(600, 2)));
        pieces.add(List.of(bytes(600, 3)));
        ByteBuffer target = ByteBuffer.allocate(800);

        pieces.copy(500, target, 1_200);

        assertThat(target.position()).isEqualTo(700);
        assertThat(target.get(99)).isEqualTo((byte) 1);
        assertThat(target.get(100)).isEqualTo((byte) 2);
    }

    @Test
    void cutDropsWhatIsBehindAPositionAndMovesTheEnd() {
        pieces.add(List.of(bytes(10, 1)));
        pieces.add(List.of(bytes(20, 2)));

        assertThat(pieces.cut(10)).isEqualTo(20);
        assertThat(pieces.end()).isEqualTo(10);
        pieces.removeTo(10);
        assertThat(pieces.end()).isEqualTo(10);
        assertThat(pieces.clear()).isZero();
    }
}
