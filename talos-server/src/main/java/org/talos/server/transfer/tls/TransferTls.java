// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TransferTlsConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.tls.CertificateEnd;
import org.talos.server.tls.CertificateEnd.Use;
import org.talos.server.tls.FileReloader;

/**
 * TLS between servers: whether it is used, and its certificates. A thread checks for changed files every 10 s. It logs
 * unusable files, and keeps using the previous ones. Open connections stay as they are.
 *
 * <p>Thread-safe.
 */
public final class TransferTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransferTls.class);
    private static final int HANDSHAKES_OF_NETWORK = 1;

    private final TransferTlsConfig config;
    private final CertificateEnd warnings;
    private final PeerNames names;
    private final FileReloader reloader = new FileReloader("transfer.tls", new ConfiguredFiles());
    private final @Nullable ScheduledExecutorService thread; // none without TLS
    private final @Nullable FairThreads handshakes; // likewise
    private volatile @Nullable Loaded loaded; // null without TLS

    /** The files, and the contexts that were built from them. Immutable. */
    private record Loaded(TlsFiles files, SslContext client, SslContext server) {}

    private TransferTls(TransferTlsConfig config, InstantSource clock) throws IOException {
        this.config = config;
        warnings = new CertificateEnd(Use.SERVERS, config.certificateFile(), clock);
        names = new PeerNames(config.allowedNames());
        if (config.mode() == TlsMode.NONE) {
            thread = null;
            handshakes = null;
            return;
        }
        load(TlsFiles.read(config));
        ScheduledExecutorService looking = Executors.newSingleThreadScheduledExecutor(new NamedThreads("transfer-tls"));
        thread = looking;
        handshakes = new FairThreads("transfer-handshake", HANDSHAKES_OF_NETWORK);
        var unused = looking.scheduleWithFixedDelay(this::look, 0, FileReloader.INTERVAL_SECONDS, TimeUnit.SECONDS);
    }

    /**
     * Reads the files, if TLS is used.
     *
     * @throws IOException a file cannot be used; the message names it and the remedy
     */
    public static TransferTls start(TransferTlsConfig config, InstantSource clock) throws IOException {
        return new TransferTls(config, clock);
    }

    private void load(TlsFiles files) throws IOException {
        loaded = new Loaded(files, files.client(config.verifyHostName()), files.server());
        LOG.info(
                "certificate for other servers read file={} subject={} serial={} ends={}",
                config.certificateFile(),
                files.own().getSubjectX500Principal(),
                files.own().getSerialNumber().toString(16),
                files.own().getNotAfter().toInstant());
    }

    private void look() {
        reload();
        warnings.look(end());
    }

    private Instant end() {
        return loaded().files.own().getNotAfter().toInstant();
    }

    /** Returns when this server's certificate ends, in seconds since 1970, or 0 without TLS. */
    public long endSeconds() {
        return mode() == TlsMode.NONE ? 0 : end().getEpochSecond();
    }

    /**
     * Returns when the certificate of a configuration with TLS ends.
     *
     * @throws IOException a file cannot be used; the message names it and the remedy
     */
    public static Instant endIn(TransferTlsConfig config) throws IOException {
        return TlsFiles.read(config).own().getNotAfter().toInstant();
    }

    /** Reloads the files if they have changed. */
    void reload() {
        reloader.reloadIfChanged();
    }

    /** The files that the configuration names. Confined: one call at a time. */
    private final class ConfiguredFiles implements FileReloader.Source {
        @Override
        public boolean isUnchanged() throws IOException {
            return loaded().files.areUnchanged(config);
        }

        @Override
        public void load() throws IOException {
            TransferTls.this.load(TlsFiles.read(config));
        }
    }

    private Loaded loaded() {
        return requireNonNull(loaded, "transfer.tls.mode: none");
    }

    /** Returns whether connections of other servers may or must have TLS. */
    public TlsMode mode() {
        return config.mode();
    }

    /**
     * Returns whether a connection to another server uses TLS.
     *
     * @param required by the other server
     * @throws IOException the connection must use TLS, and cannot; the message has the remedy
     */
    public boolean beginsWith(boolean required) throws IOException {
        if (required && mode() == TlsMode.NONE) {
            throw new IOException(TlsFailure.REQUIRED_THERE);
        }
        return required || mode() == TlsMode.REQUIRE;
    }

    /**
     * The requesting end of one connection.
     *
     * @param host that is meant, whose name the other's certificate must have
     */
    public SSLEngine client(String host, int port) {
        return loaded().client.newEngine(ByteBufAllocator.DEFAULT, host, port);
    }

    /**
     * The accepting end of one connection.
     *
     * @param network of the other end: networks take turns at the signatures, so that strangers do not delay servers
     */
    public SslHandler server(ByteBufAllocator buffers, String network) {
        FairThreads threads = requireNonNull(handshakes);
        return loaded().server.newHandler(buffers, task -> threads.execute(network, task)); // off the event loop
    }

    /**
     * Checks the names in the certificate of the other side, whose authority, dates and host were checked before.
     *
     * @throws IOException none of them is allowed
     */
    public void checkName(SSLSession session) throws IOException {
        names.check(session);
    }

    /** Ends the threads. Open connections continue. May be called twice. */
    @Override
    public void close() {
        ScheduledExecutorService running = thread;
        if (running != null) {
            running.shutdownNow();
        }
        FairThreads threads = handshakes;
        if (threads != null) {
            threads.close();
        }
    }
}
