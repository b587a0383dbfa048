// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.tls;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TlsConfig;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.tls.CertificateEnd;
import org.talos.server.tls.CertificateEnd.Use;
import org.talos.server.tls.CipherSuites;
import org.talos.server.tls.FileReloader;
import org.talos.server.tls.KeyStoreFile;

/**
 * TLS of the front end: its key store and its cipher suites. A thread reads the key store again when the file has
 * changed, and warns of the certificate's end. Open connections keep the certificate that they began with.
 *
 * <p>Thread-safe.
 */
public final class FrontTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FrontTls.class);

    private final TlsConfig config;
    private final CertificateEnd warnings;
    private final FileReloader reloader = new FileReloader("http.tls", new ConfiguredFile());
    private final CurrentKeys factory = new CurrentKeys();
    private volatile @Nullable KeyStoreFile loaded; // null without TLS

    @GuardedBy("this")
    private @Nullable ScheduledExecutorService thread; // null before the start and without TLS

    /** @param clock wall clock */
    public FrontTls(TlsConfig config, InstantSource clock) {
        this.config = config;
        warnings = new CertificateEnd(Use.CLIENTS, config.keyStore(), clock);
    }

    /** Returns whether the front end talks TLS. */
    public boolean enabled() {
        return config.enabled();
    }

    /** Returns the factory of the front end's engines, once {@link #load} has given it the keys. */
    public SslContextFactory.Server factory() {
        return factory;
    }

    /**
     * Reads the key store, if there is one.
     *
     * @throws IOException it cannot be used; the message names the setting and the remedy
     */
    public void load() throws IOException {
        if (!enabled()) {
            return;
        }
        KeyStoreFile keys = KeyStoreFile.read(config);
        factory.use(started(keys));
        loaded = keys;
        LOG.info(
                "certificate for clients read file={} subject={} serial={} ends={}",
                config.keyStore(),
                keys.certificate().getSubjectX500Principal(),
                keys.certificate().getSerialNumber().toString(16),
                keys.end());
    }

    private SslContextFactory.Server started(KeyStoreFile keys) throws IOException {
        SslContextFactory.Server started = new SslContextFactory.Server();
        started.setIncludeCipherSuites(CipherSuites.allowed().toArray(String[]::new));
        started.setKeyStore(keys.store());
        started.setKeyStorePassword(config.keyStorePassword());
        try {
            started.start();
        } catch (Exception e) {
            throw new IOException(
                    KeyStoreFile.SETTING + ": " + config.keyStore() + " cannot be used: " + e.getMessage(), e);
        }
        return started;
    }

    /**
     * Uses the key store for further connections if the file has changed. A file that cannot be used changes nothing.
     */
    public void reload() {
        reloader.reloadIfChanged();
    }

    /** The key store that the configuration names. Confined: one call at a time. */
    private final class ConfiguredFile implements FileReloader.Source {
        @Override
        public boolean isUnchanged() throws IOException {
            KeyStoreFile known = loaded;
            return known == null || known.isUnchanged(config);
        }

        @Override
        public void load() throws IOException {
            FrontTls.this.load();
        }
    }

    /** Returns when the certificate ends, in seconds since 1970, or 0 without TLS. */
    public long endSeconds() {
        return end().getEpochSecond();
    }

    private Instant end() {
        KeyStoreFile known = loaded;
        return known == null ? Instant.EPOCH : known.end();
    }

    /** Warns of the certificate's end, now and until this is closed, and looks for a new key store. */
    public synchronized void watch() {
        if (enabled() && thread == null) {
            warnings.look(end());
            ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(new NamedThreads("http-tls"));
            thread = looking;
            var unused = looking.scheduleWithFixedDelay(
                    this::look, FileReloader.INTERVAL_SECONDS, FileReloader.INTERVAL_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void look() {
        reload();
        warnings.look(end());
    }

    /** Ends the thread. May be called twice, and without a start. */
    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.shutdownNow();
        }
    }

    /**
     * Makes engines by the key store that was read last. Jetty's own way to read a key store again has a moment in
     * which an engine is made without the chosen cipher suites. Thread-safe.
     */
    private static final class CurrentKeys extends SslContextFactory.Server {
        private volatile SslContextFactory.@Nullable Server current; // set before the front end starts

        void use(SslContextFactory.Server started) {
            current = started;
        }

        private SslContextFactory.Server current() {
            return requireNonNull(current, "no key store was loaded");
        }

        @Override
        public SSLEngine newSSLEngine() {
            return current().newSSLEngine();
        }

        @Override
        public SSLEngine newSSLEngine(String host, int port) {
            return current().newSSLEngine(host, port);
        }

        @Override
        public SSLEngine newSSLEngine(InetSocketAddress address) {
            return current().newSSLEngine(address);
        }
    }
}
