// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns once a day of a certificate that has ended or ends soon. The server continues to use it: whether to refuse it
 * is up to the other side.
 *
 * <p>Thread-safe.
 */
public final class CertificateEnd {
    /** Length of the time before the end in which there are warnings. */
    public static final Duration AHEAD = Duration.ofDays(30);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateEnd.class);
    private static final Duration INTERVAL = Duration.ofDays(1);

    private final Use use;
    private final String file;
    private final InstantSource clock;

    @GuardedBy("this")
    private @Nullable Instant warned;

    /** The purpose of a certificate. */
    public enum Use {
        /** The front end shows it to clients. */
        CLIENTS(KeyStoreFile.SETTING, "clients", "put a new one into the file, which is read again"),
        /** Servers of a cluster show it to each other. */
        SERVERS("transfer.tls.certificateFile", "other servers", "replace the files, which are read again");

        private final String setting;
        private final String readers;
        private final String remedy;

        Use(String setting, String readers, String remedy) {
            this.setting = setting;
            this.readers = readers;
            this.remedy = remedy;
        }
    }

    /** @param file path of the certificate, for operators */
    public CertificateEnd(Use use, String file, InstantSource clock) {
        this.use = use;
        this.file = file;
        this.clock = clock;
    }

    /** Returns the warning about a certificate with this end, or empty if it is not due. */
    public Optional<String> warning(Instant end) {
        Instant now = clock.instant();
        if (end.isAfter(now.plus(AHEAD))) {
            return Optional.empty();
        }
        String what = hasEnded(end)
                ? " has ended, and " + use.readers + " refuse it"
                : " ends in " + Duration.between(now, end).toDays() + " days, and " + use.readers
                        + " refuse it from then on";
        return Optional.of(use.setting + ": the certificate in " + file + what + ": " + use.remedy);
    }

    /** Returns whether the end has passed. */
    public boolean hasEnded(Instant end) {
        return !end.isAfter(clock.instant());
    }

    /** Logs the warning, if there is one and none was logged within a day. */
    public synchronized void look(Instant end) {
        Instant now = clock.instant();
        if (warned != null && warned.plus(INTERVAL).isAfter(now)) {
            return;
        }
        warning(end).ifPresent(sentence -> {
            warned = now;
            LOG.warn("{} ends={}", sentence, end);
        });
    }
}
