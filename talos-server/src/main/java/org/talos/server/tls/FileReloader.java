// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the files of a TLS port again when they have changed. Unusable files are logged once, until they fail in
 * another way, and the port continues with the previous files.
 *
 * <p>Thread-safe.
 */
public final class FileReloader {
    /** Seconds from one check of the files to the next. */
    public static final int INTERVAL_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(FileReloader.class);

    private final String section;
    private final Source source;

    @GuardedBy("this")
    private @Nullable String lastFailure;

    /** The files of a port. Calls come one at a time. */
    public interface Source {
        /**
         * Returns whether the files still have the contents that were read last.
         *
         * @throws IOException a file cannot be read
         */
        boolean isUnchanged() throws IOException;

        /**
         * Reads the files, and uses them for further connections. After a failure, the previous ones stay in use.
         *
         * @throws IOException the files cannot be used; the message names the setting and the remedy
         */
        void load() throws IOException;
    }

    /** @param section of the configuration that names the files, such as {@code http.tls} */
    public FileReloader(String section, Source source) {
        this.section = section;
        this.source = source;
    }

    /** Loads the files if they have changed. Does not throw. */
    public synchronized void reloadIfChanged() {
        try {
            if (!source.isUnchanged()) {
                source.load();
            }
            lastFailure = null;
        } catch (IOException | RuntimeException | Error e) { // an Error too: they would never be read again
            if (!e.toString().equals(lastFailure)) {
                lastFailure = e.toString();
                LOG.warn("changed files of {} cannot be used, the earlier ones stay in use: {}", section, lastFailure);
            }
        }
    }
}
