// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.Durability;
import org.talos.server.runtime.FirstLine;
import org.talos.server.storage.hdfs.client.WrittenFile;

/**
 * A file that this server writes front to back, and flushes on request.
 *
 * <p>Confined: to one writing thread at a time.
 */
final class FlushedFile {
    private static final Logger LOG = LoggerFactory.getLogger(FlushedFile.class);
    private static final int COPY_BYTES = 64 << 10;

    private final Hdfs hdfs;
    private final Path path;
    private final WrittenFile out;
    private final byte[] copy = new byte[COPY_BYTES];
    private int replicas; // at the first flush
    private boolean flushed;

    FlushedFile(Hdfs hdfs, Path path, WrittenFile out) {
        this.hdfs = hdfs;
        this.path = path;
        this.out = out;
    }

    Path path() {
        return path;
    }

    /** Returns the bytes written so far. */
    long length() {
        return out.getPos();
    }

    void write(List<ByteBuffer> bytes) throws IOException {
        for (ByteBuffer each : bytes) {
            write(out, each, copy);
        }
    }

    /** Writes the bytes; the buffer's position does not move. */
    static void write(OutputStream out, ByteBuffer bytes, byte[] copy) throws IOException {
        if (bytes.hasArray()) {
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            return;
        }
        ByteBuffer left = bytes.duplicate();
        while (left.hasRemaining()) {
            int length = Math.min(copy.length, left.remaining());
            left.get(copy, 0, length);
            out.write(copy, 0, length);
        }
    }

    /** Returns once every replica has the written bytes: in its memory, or with fsync on its disk. */
    void flush(Durability durability) throws IOException {
        if (durability == Durability.FSYNC) {
            out.hsync();
        } else {
            out.hflush();
        }
        flushed = true;
        if (replicas == 0) {
            replicas = currentReplicas();
        }
    }

    /**
     * Returns whether some DataNodes have left since the first flush, or even all, which ends the stream between two
     * writes. A new file would have all of its replicas.
     */
    boolean hasLostReplicas() {
        try {
            return replicas > 0 && currentReplicas() < replicas;
        } catch (IOException e) {
            LOG.info("file closed for writes path={} cause={}", path, FirstLine.of(e));
            return true;
        }
    }

    private int currentReplicas() throws IOException {
        return out.replicas().orElse(replicas);
    }

    /** Closes the file with all written bytes. */
    void close() throws IOException {
        hdfs.close(out, path);
    }

    /** Closes the file after a failure, without waiting. */
    void abandon() {
        hdfs.abandon(out, path);
    }

    /** Like {@link #abandon}, and deletes the file if none of its bytes was ever flushed. */
    void discard() {
        abandon();
        if (!flushed) {
            hdfs.closeLater(() -> hdfs.deleteVain(path));
        }
    }
}
