// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import org.talos.bench.tls.ServerKey;
import org.talos.client.ClientConfig;
import org.talos.client.TalosEndpoint;
import tlschannel.ClientTlsChannel;
import tlschannel.NeedsReadException;
import tlschannel.TlsChannel;

/** TLS to a server whose certificate is made for one run. Immutable. */
final class OwnTls implements Transport {
    private final ServerKey key;

    private OwnTls(ServerKey key) {
        this.key = key;
    }

    /**
     * Makes the server's key.
     *
     * @param folder of the key; {@link #close} deletes it
     */
    static OwnTls make(Path folder) throws IOException, InterruptedException {
        return new OwnTls(ServerKey.make(folder));
    }

    @Override
    public Map<String, String> ofServer() {
        return key.settings();
    }

    @Override
    public ClientConfig client(TalosEndpoint server) {
        return ClientConfig.of(server).withTls(key.trusting());
    }

    @Override
    public ByteChannel begin(SocketChannel connected) throws IOException {
        SSLEngine engine = key.trusting()
                .createSSLEngine(ServerKey.ADDRESS, connected.socket().getPort());
        engine.setUseClientMode(true);
        TlsChannel channel = ClientTlsChannel.newBuilder(connected, engine).build();
        channel.handshake();
        return new Records(channel);
    }

    @Override
    public void close() throws IOException {
        key.close();
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
