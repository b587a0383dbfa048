// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.transfer.tls.TlsFailure;
import org.talos.server.transfer.tls.TransferTls;
import tlschannel.ClientTlsChannel;
import tlschannel.TlsChannel;

/** Begins TLS on a connection to another server. Immutable. */
final class TlsStream {
    private static final Logger LOG = LoggerFactory.getLogger(TlsStream.class);

    private TlsStream() {}

    /**
     * Shows this server's certificate and checks the other's. Blocks.
     *
     * @param address the intended server, which the certificate must name
     * @throws IOException the other server has no acceptable certificate, or does not accept TLS: the message has the
     *     reason
     */
    static ByteChannel begin(SocketChannel channel, InetSocketAddress address, TransferTls tls) throws IOException {
        TlsChannel stream = ClientTlsChannel.newBuilder(channel, tls.client(address.getHostString(), address.getPort()))
                .withReleaseBuffers(false) // connections are few, and used again and again
                .build();
        try {
            stream.handshake();
        } catch (AsynchronousCloseException e) {
            throw e; // closed by this server, because it took too long
        } catch (SSLException e) {
            sendAlert(stream.getSslEngine(), channel);
            throw new IOException(TlsFailure.sentence(e), e);
        } catch (IOException e) {
            throw channel.isOpen() ? new IOException(TlsFailure.NOT_TAKEN_THERE, e) : e;
        }
        tls.checkName(stream.getSslEngine().getSession());
        return stream;
    }

    /** Informs the other side why the handshake ends, for its log. */
    private static void sendAlert(SSLEngine failed, SocketChannel channel) {
        ByteBuffer alert = ByteBuffer.allocate(failed.getSession().getPacketBufferSize());
        try {
            var unused = failed.wrap(ByteBuffer.allocate(0), alert);
            var written = channel.write(alert.flip());
            LOG.debug("alert sent bytes={}", written);
        } catch (IOException e) {
            LOG.debug("no alert sent", e); // the connection may have ended; then the end is all that the other sees
        }
    }
}
