// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.HTTP2StreamEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Removes the stream of a WebSocket over HTTP/2 from its session once the WebSocket has ended. Jetty leaves it there
 * for as long as the connection lives (issue 15657 of Jetty): it would keep its memory, which is counted nowhere, and
 * hold up a stop. The stream stays for a moment, because Jetty counts each frame for a stream that does not exist, and
 * ends a connection with many of them.
 *
 * <p>Thread-safe.
 */
public final class EndedTunnels implements Connection.Listener {
    /** The time after which a client knows of the end and sends nothing more. */
    private static final long STAY_MILLIS = 1_000;

    private final Scheduler scheduler;
    private final int most;
    private final AtomicInteger staying = new AtomicInteger();

    /**
     * Creates those of one connector, of which they are a bean.
     *
     * @param most streams that stay for a moment
     */
    public EndedTunnels(Scheduler scheduler, int most) {
        this.scheduler = scheduler;
        this.most = most;
    }

    @Override
    public void onOpened(Connection connection) {}

    @Override
    public void onClosed(Connection connection) {
        if (connection.getEndPoint() instanceof EndPoint.Wrapper wrapper
                && wrapper.unwrap() instanceof HTTP2StreamEndPoint tunnel
                && !tunnel.isOpen()
                && tunnel.getTransport() instanceof HTTP2Stream stream) {
            StreamData.drop(stream);
            if (staying.incrementAndGet() <= most) {
                var unused = scheduler.schedule(() -> remove(stream), STAY_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                remove(stream);
            }
        }
    }

    private void remove(HTTP2Stream stream) {
        staying.decrementAndGet();
        StreamData.drop(stream);
        stream.getSession().removeStream(stream);
    }
}
