// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.talos.client.ClientConfig;
import org.talos.client.TalosEndpoint;
import org.talos.launcher.local.Keytool;
import tlschannel.ClientTlsChannel;
import tlschannel.NeedsReadException;
import tlschannel.TlsChannel;

/** TLS to a server whose certificate is made for one run. Immutable. */
final class OwnTls implements Transport {
    private static final String PASSWORD = "of-a-key-that-is-deleted-with-the-run";
    private static final String ALIAS = "server";
    private static final String ADDRESS = "127.0.0.1";

    private final Path store;
    private final SSLContext trusted;

    private OwnTls(Path store, SSLContext trusted) {
        this.store = store;
        this.trusted = trusted;
    }

    /**
     * Makes the server's key.
     *
     * @param folder of the key; {@link #close} deletes it
     */
    static OwnTls make(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("idle-" + ProcessHandle.current().pid() + ".p12");
        Files.deleteIfExists(store);
        Keytool.makeKey(store, PASSWORD, ALIAS, "-dname", "CN=" + ADDRESS, "-ext", "san=ip:" + ADDRESS);
        try {
            return new OwnTls(store, trusting(store));
        } catch (GeneralSecurityException e) {
            throw new IOException("the server's certificate can't be trusted: " + e.getMessage(), e);
        }
    }

    private static SSLContext trusting(Path store) throws GeneralSecurityException, IOException {
        KeyStore own = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, own.getCertificate(ALIAS));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @Override
    public Map<String, String> ofServer() {
        return Map.of("HTTP_TLS_KEYSTORE", store.toString(), "HTTP_TLS_KEYSTOREPASSWORD", PASSWORD);
    }

    @Override
    public ClientConfig client(TalosEndpoint server) {
        return ClientConfig.of(server).withTls(trusted);
    }

    @Override
    public ByteChannel begin(SocketChannel connected) throws IOException {
        SSLEngine engine = trusted.createSSLEngine(ADDRESS, connected.socket().getPort());
        engine.setUseClientMode(true);
        TlsChannel channel = ClientTlsChannel.newBuilder(connected, engine).build();
        channel.handshake();
        return new Records(channel);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(store);
    }

    /** Reads to the end of what has come, since no selector knows of a record that has been read in part. */
    private record Records(TlsChannel channel) implements ByteChannel {
        @Override
        public int read(ByteBuffer target) throws IOException {
            int before = target.position();
            try {
                int last = channel.read(target);
                while (last > 0 && target.hasRemaining()) {
                    last = channel.read(target);
                }
                return last < 0 && target.position() == before ? last : target.position() - before;
            } catch (NeedsReadException e) {
                return target.position() - before; // that is all for now
            }
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            return channel.write(source);
        }

        @Override
        public boolean isOpen() {
            return channel.isOpen();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
