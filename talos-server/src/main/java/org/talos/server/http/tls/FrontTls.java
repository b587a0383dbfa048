// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.tls;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.Scheduler;
import org.talos.server.config.TlsConfig;
import org.talos.server.tls.CertificateEnd;
import org.talos.server.tls.CertificateEnd.Use;
import org.talos.server.tls.CipherSuites;
import org.talos.server.tls.KeyStoreFile;

/**
 * TLS of the front end: its key store, its cipher suites, and a look at the certificate's end each hour.
 *
 * <p>Thread-safe.
 */
public final class FrontTls {
    private static final int LOOK_HOURS = 1;

    private final TlsConfig config;
    private final CertificateEnd warnings;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private volatile Instant end = Instant.EPOCH;

    /** @param clock wall clock */
    public FrontTls(TlsConfig config, InstantSource clock) {
        this.config = config;
        warnings = new CertificateEnd(Use.CLIENTS, config.keyStore(), clock);
        factory.setIncludeCipherSuites(CipherSuites.allowed().toArray(String[]::new));
    }

    /** Returns whether the front end talks TLS. */
    public boolean enabled() {
        return config.enabled();
    }

    /** Returns what makes the front end's engines, once {@link #load} has given it the keys. */
    public SslContextFactory.Server factory() {
        return factory;
    }

    /**
     * Reads the key store, if there is one.
     *
     * @throws IOException it cannot be used. The message names the setting and says what to do
     */
    public void load() throws IOException {
        if (enabled()) {
            KeyStoreFile keys = KeyStoreFile.read(config);
            factory.setKeyStore(keys.store());
            factory.setKeyStorePassword(config.keyStorePassword());
            end = keys.end();
        }
    }

    /** Returns when the certificate ends, in seconds since 1970, or 0 without TLS. */
    public long endSeconds() {
        return end.getEpochSecond();
    }

    /** Warns of the certificate's end, now and as long as the scheduler runs. */
    public void watch(Scheduler scheduler) {
        if (enabled()) {
            warnings.look(end);
            var unused = scheduler.schedule(() -> watch(scheduler), LOOK_HOURS, TimeUnit.HOURS);
        }
    }
}
