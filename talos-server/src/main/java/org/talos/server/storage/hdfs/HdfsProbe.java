// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.time.Ticker;

/**
 * Reports whether HDFS answers: each call checks it in the background, and returns the last result. No call waits.
 *
 * <p>Thread-safe.
 */
final class HdfsProbe {
    private final Hdfs hdfs;
    private final Path path;
    private final Duration timeout;
    private final Ticker ticker;

    @GuardedBy("this")
    private boolean asked;

    @GuardedBy("this")
    private long askedNanos;

    @GuardedBy("this")
    private @Nullable String failure;

    HdfsProbe(Hdfs hdfs, Path path, Duration timeout, Ticker ticker) {
        this.hdfs = hdfs;
        this.path = path;
        this.timeout = timeout;
        this.ticker = ticker;
    }

    /** Returns why HDFS cannot be used, if that is so. */
    synchronized Optional<String> failure() {
        if (!asked) {
            askedNanos = ticker.nanos();
            asked = hdfs.ask(this::ask);
        } else if (ticker.nanos() - askedNanos > timeout.toNanos()) {
            return Optional.of("HDFS has not answered for " + timeout.toSeconds() + " s");
        }
        return Optional.ofNullable(failure);
    }

    private void ask() {
        String answer = null;
        try {
            if (!hdfs.exists(path)) {
                answer = "HDFS has no directory " + path;
            }
        } catch (IOException | RuntimeException | Error e) { // any: nothing would be asked again
            answer = "HDFS cannot be used: " + FirstLine.of(e);
        }
        synchronized (this) {
            asked = false;
            failure = answer;
        }
    }
}
