// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.SegmentDeletedException;

/**
 * A segment whose topic another server deletes while this one writes, as one that was held for long does. The client of
 * HDFS then asks for a block by whose number the NameNode knows nothing.
 */
@Timeout(60)
class SegmentFileTest {
    private static final SegmentName NAME = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);
    private static final String NO_BLOCK = "BP-1:blk_1_1 does not exist.";

    private final MemoryHdfs files = new MemoryHdfs();
    private final HdfsPaths paths = new HdfsPaths(new Path("/talos"));
    private SegmentFile segment;

    @BeforeEach
    void begin() throws Exception {
        files.mkdirs(paths.first(NAME).getParent());
        Hdfs hdfs = new Hdfs(files, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), (bytes, write, sync) -> {});
        segment = new SegmentFile.Maker(hdfs, new ReadStreams(hdfs), paths, 1, Durability.FSYNC)
                .make(NAME, 0, SegmentOptions.DEFAULT);
        segment.write(0, List.of(ByteBuffer.wrap("some".getBytes(UTF_8))));
    }

    private void failFlushes(IOException failure) {
        files.onFlush(path -> {
            throw failure;
        });
    }

    private static IOException refused() {
        return (IOException)
                new IOException(NO_BLOCK).initCause(new RemoteException(IOException.class.getName(), NO_BLOCK));
    }

    private void write() throws IOException {
        segment.write(4, List.of(ByteBuffer.wrap("more".getBytes(UTF_8))));
    }

    @Test
    void blockThatTheNameNodeKnowsNoMoreIsThatOfADeletedSegment() throws Exception {
        files.onFlush(path -> {
            files.delete(path, false);
            throw refused();
        });

        assertThatThrownBy(this::write)
                .isInstanceOf(SegmentDeletedException.class)
                .hasRootCauseMessage(NO_BLOCK);
    }

    @Test
    void blockThatTheNameNodeKnowsNoMoreIsAFailureWhereTheFileIsThere() {
        failFlushes(refused());

        assertThatThrownBy(this::write)
                .isNotInstanceOf(SegmentDeletedException.class)
                .hasMessage(NO_BLOCK);
    }

    @Test
    void failureOfDataNodesIsNoRefusal() {
        failFlushes(new IOException("all DataNodes are bad"));

        assertThatThrownBy(this::write).hasMessage("all DataNodes are bad");
    }
}
