// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.storage.hdfs.client.ReadStream;

/**
 * Files that are open for reading, the recently used ones; each is opened once and read by all.
 *
 * <p>Thread-safe.
 */
final class ReadStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadStreams.class);
    private static final int MAX_STREAMS = 128;
    private static final int ATTEMPTS = 3;

    private final Hdfs hdfs;

    @GuardedBy("this")
    private final Map<Path, ReadStream> streams = new LinkedHashMap<>(MAX_STREAMS, 0.75f, true);

    public ReadStreams(Hdfs hdfs) {
        this.hdfs = hdfs;
    }

    /**
     * Fills the target. If a file was opened before it had these bytes, or a DataNode has gone, it is opened again.
     *
     * @param position in the file
     * @param end position up to which the file certainly has bytes, the target's among them
     * @throws FileNotFoundException it is missing
     */
    void read(Path path, long position, ByteBuffer target, long end) throws IOException {
        int start = target.position();
        for (int attempt = 1; ; attempt++) {
            ReadStream stream = stream(path);
            try {
                stream.read(position, target, end);
                return;
            } catch (IOException e) {
                target.position(start);
                forget(path, stream);
                if (attempt == ATTEMPTS || e instanceof FileNotFoundException) {
                    throw e;
                }
                LOG.debug("reopening file path={}", path, e);
            }
        }
    }

    private ReadStream stream(Path path) throws IOException {
        synchronized (this) {
            ReadStream open = streams.get(path);
            if (open != null) {
                return open;
            }
        }
        ReadStream opened = new ReadStream(hdfs.open(path));
        List<ReadStream> surplus = new ArrayList<>();
        synchronized (this) {
            ReadStream earlier = streams.put(path, opened);
            if (earlier != null) {
                surplus.add(earlier);
            }
            for (Iterator<ReadStream> oldest = streams.values().iterator(); streams.size() > MAX_STREAMS; ) {
                surplus.add(oldest.next());
                oldest.remove();
            }
        }
        surplus.forEach(ReadStreams::close); // a thread that reads one of them opens it again
        return opened;
    }

    private void forget(Path path, ReadStream stream) {
        synchronized (this) {
            streams.remove(path, stream);
        }
        close(stream);
    }

    /** The file is about to be cut or deleted. */
    void forget(Path path) {
        ReadStream stream;
        synchronized (this) {
            stream = streams.remove(path);
        }
        if (stream != null) {
            close(stream);
        }
    }

    private static void close(ReadStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            LOG.debug("file not closed cleanly", e);
        }
    }

    @Override
    public void close() {
        List<ReadStream> all;
        synchronized (this) {
            all = List.copyOf(streams.values());
            streams.clear();
        }
        all.forEach(ReadStreams::close);
    }
}
