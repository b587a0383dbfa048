// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Records operations in the order in which their processes learn of their ends, in memory and in a file that is
 * complete even if this program is killed.
 *
 * <p>Thread-safe.
 */
public final class Recorder implements AutoCloseable {
    private final long began = System.nanoTime();

    @GuardedBy("this")
    private final BufferedWriter file;

    @GuardedBy("this")
    private final List<Operation> operations = new ArrayList<>();

    @GuardedBy("this")
    private final Texts texts = new Texts();

    /** A new history, in a file of its own. */
    public Recorder(Path file) throws IOException {
        this.file = Files.newBufferedWriter(file);
    }

    /** The start of an operation, for {@link #since}. Immutable. */
    public record Moment(long nanos, long wall) {}

    /** The present moment. */
    public Moment now() {
        return new Moment(System.nanoTime() - began, System.currentTimeMillis());
    }

    /** The span from that moment until now. */
    public Span since(Moment start) {
        Moment end = now();
        return new Span(start.nanos(), end.nanos(), start.wall(), end.wall());
    }

    /** Records an operation that has ended. */
    public synchronized void add(Operation operation) {
        Operation numbered = texts.once(operation.numbered(operations.size()));
        operations.add(numbered);
        try {
            HistoryFile.write(file, numbered);
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a run without its history is worth nothing
        }
    }

    /** All operations recorded so far. */
    public synchronized List<Operation> operations() {
        return List.copyOf(operations);
    }

    @Override
    public synchronized void close() throws IOException {
        file.close();
    }
}
