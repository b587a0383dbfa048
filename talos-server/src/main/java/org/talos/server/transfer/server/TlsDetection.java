// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.talos.server.runtime.client.ClientNetwork;
import org.talos.server.transfer.tls.TransferTls;

/**
 * Begins TLS if the first byte of the other side is that of its handshake. The hello of this side was sent before that,
 * and a plain reply to it begins with another byte.
 *
 * <p>Confined: its connection's event loop.
 */
final class TlsDetection extends ChannelInboundHandlerAdapter {
    private final TransferTls tls;

    TlsDetection(TransferTls tls) {
        this.tls = tls;
    }

    /** Returns whether bytes begin with a handshake record of TLS. */
    static boolean isTls(byte first) {
        return first == 22;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
        ByteBuf first = (ByteBuf) received;
        if (first.isReadable() && isTls(first.getByte(first.readerIndex()))) {
            String network = ClientNetwork.of(context.channel().remoteAddress());
            context.pipeline().replace(this, "tls", tls.server(context.alloc(), network));
            context.pipeline().fireChannelRead(received); // from the beginning, for the handler of TLS
        } else {
            context.pipeline().remove(this);
            context.fireChannelRead(received);
        }
    }
}
