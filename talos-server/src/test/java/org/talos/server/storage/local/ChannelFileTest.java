// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes of every size at every place, past the page cache and through it, mixed. */
class ChannelFileTest {
    private static final long SEED = Long.getLong("talos.test.seed", 7);
    private static final int WRITES = 60;

    @TempDir
    private Path directory;

    private final Staging staging = new Staging();

    @Test
    void fileHoldsWhatWasWrittenWhicheverWayItWent() throws Exception {
        Random random = new Random(SEED);
        Path path = directory.resolve("file");
        byte[] expected = new byte[0];
        try (ChannelFile file = new ChannelFile(path, staging, StandardOpenOption.CREATE_NEW)) {
            for (int i = 0; i < WRITES; i++) {
                byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 5_000 : 3 << 20)];
                random.nextBytes(bytes);
                int position = expected.length;
                if (random.nextBoolean()) {
                    file.writeThrough(position, cut(bytes, random));
                } else {
                    file.write(position, cut(bytes, random));
                }
                expected = Arrays.copyOf(expected, position + bytes.length);
                System.arraycopy(bytes, 0, expected, position, bytes.length);
                assertThat(read(file, position, bytes.length))
                        .as("seed %d write %d", SEED, i)
                        .isEqualTo(bytes);
            }
            assertThat(file.size()).isEqualTo(expected.length);
        }

        assertThat(Files.readAllBytes(path)).isEqualTo(expected);
    }

    @Test
    void buffersKeepTheirPositions() throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(100_000).position(10);
        try (ChannelFile file = new ChannelFile(directory.resolve("file"), staging, StandardOpenOption.CREATE_NEW)) {
            file.writeThrough(0, List.of(bytes));
        }

        assertThat(bytes.position()).isEqualTo(10);
    }

    /** As on a network file system whose blocks are larger than ours: it opens the file, and takes no write. */
    @Test
    void fileSystemThatRefusesADirectWriteGetsItThroughThePageCache() throws Exception {
        byte[] bytes = new byte[3 << 20];
        new Random(SEED).nextBytes(bytes);
        Path path = directory.resolve("file");
        try (ChannelFile file =
                new ChannelFile(path, staging, ChannelFileTest::refusing, StandardOpenOption.CREATE_NEW)) {
            file.writeThrough(0, List.of(ByteBuffer.wrap(bytes, 0, 2 << 20)));
            file.writeThrough(2 << 20, List.of(ByteBuffer.wrap(bytes, 2 << 20, 1 << 20)));
        }

        assertThat(Files.readAllBytes(path)).isEqualTo(bytes);
    }

    private static FileChannel refusing(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE);
        channel.close();
        return channel;
    }

    @Test
    void stagingBeginsAtABlockAndIsUsedAgain() {
        ByteBuffer first = staging.take();
        ByteBuffer second = staging.take();
        assertThat(first.alignmentOffset(0, Staging.BLOCK_BYTES)).isZero();
        assertThat(first.capacity()).isEqualTo(Staging.BYTES);
        staging.giveBack(first);

        assertThat(staging.take()).isSameAs(first).isNotSameAs(second);
    }

    private static List<ByteBuffer> cut(byte[] bytes, Random random) {
        List<ByteBuffer> pieces = new ArrayList<>();
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(bytes.length - at, 1 + random.nextInt(200_000));
            pieces.add(ByteBuffer.wrap(bytes, at, length));
            at += length;
        }
        return pieces;
    }

    private static byte[] read(ChannelFile file, long position, int length) throws Exception {
        ByteBuffer target = ByteBuffer.allocate(length);
        file.read(position, target);
        return target.array();
    }
}
