// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.runtime.client.NetworkTurnover;
import org.talos.server.transfer.HeldRequests;
import org.talos.server.transfer.TransferFixture;

/** Tests how long a connection is kept whose other side reads slowly. Time is the channel's own. */
@Timeout(60)
class ServerConnectionTest {
    private static final int STEP_SECONDS = 5;
    private static final int MUCH = 1 << 20; // more than may wait until a channel is not writable

    private final TransferFixture fixture = new TransferFixture();
    private Peer peer;

    @BeforeEach
    void open() throws Exception {
        TransferServer.Handshakes handshakes = new TransferServer.Handshakes(
                TransferFixture.KEY,
                fixture.tls(TransferFixture.NO_TLS),
                Duration.ofDays(1).toNanos(),
                new NetworkTurnover<>(1));
        peer = new Peer(new ServerConnection(new TransferServer.Shared(
                handshakes,
                new LocalRequests(new HeldRequests(), TransferFixture.TICKER),
                16 << 20,
                fixture.memory,
                TransferFixture.TICKER,
                new TransferMetrics(new Metrics(TransferFixture.TICKER)),
                new RefusalLog(TransferFixture.TICKER))));
        peer.freezeTime();
    }

    @AfterEach
    void close() throws Exception {
        var unused = peer.close();
        fixture.close();
    }

    /** The other side, which takes as many bytes as the test says. Confined: one test. */
    private static final class Peer extends EmbeddedChannel {
        private int takes;

        Peer(ChannelHandler connection) {
            super(connection);
        }

        @Override
        protected void doWrite(ChannelOutboundBuffer out) {
            while (takes > 0 && out.current() instanceof ByteBuf each) {
                int now = Math.min(takes, each.readableBytes());
                out.removeBytes(now);
                takes -= now;
            }
        }

        void reads(int bytes) {
            takes += bytes;
            flush();
        }

        void send(int bytes) {
            var unused = writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
        }

        void pass() {
            advanceTimeBy(STEP_SECONDS, TimeUnit.SECONDS);
            runScheduledPendingTasks();
        }
    }

    @Test
    void connectionOfWhichAnswersAlwaysWaitIsKeptWhileTheyAreRead() {
        peer.send(MUCH);

        for (int step = 0; step < 100; step++) {
            peer.send(1_000);
            peer.reads(1_000);
            peer.pass();
        }

        assertThat(peer.isWritable()).isFalse();
        assertThat(peer.isOpen()).isTrue();
    }

    @Test
    void connectionOfWhichNothingIsReadIsEndedThoughFurtherAnswersCome() {
        peer.send(MUCH);
        peer.reads(1_000);
        for (int step = 0; step < 5; step++) {
            peer.send(1_000);
            peer.pass();
        }
        assertThat(peer.isOpen()).isTrue();

        peer.pass();
        peer.pass();

        assertThat(peer.isOpen()).isFalse();
    }

    @Test
    void connectionOfWhichAllWasReadIsKeptHoweverLongNothingIsAsked() {
        peer.send(MUCH);
        peer.pass();
        peer.reads(2 * MUCH);

        for (int step = 0; step < 100; step++) {
            peer.pass();
        }

        assertThat(peer.isOpen()).isTrue();
    }
}
