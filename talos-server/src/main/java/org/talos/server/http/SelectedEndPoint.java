// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.client.ProxiedEndPoint;
import org.talos.server.http.client.ProxyHeader;
import org.talos.server.http.client.ProxyListener;
import org.talos.server.http.connection.PendingHeads;
import org.talos.server.http.connection.UnfinishedRequests;
import org.talos.server.http.fairness.SharedEvents;

/**
 * A connection that knows its selector, and can be watched for its end while nothing is read from it. Early bytes of
 * the client are kept, up to a few, for the next reader. For a trusted proxy, it reads the header of the PROXY protocol
 * first.
 *
 * <p>Thread-safe.
 */
final class SelectedEndPoint extends SocketChannelEndPoint implements ProxiedEndPoint {
    /** Enough for the closing messages of TLS. */
    private static final int EARLY_BYTES = 64;

    final SelectorTurn turn;
    volatile boolean isHeard; // and in the queue
    volatile boolean isReadOnSelector;
    volatile SharedEvents.@Nullable Connection events; // of HTTP/2

    private final SelectionKey selected;
    private final Object lock = new Object();

    private volatile @Nullable Runnable gone; // while it is watched; set under the lock

    @GuardedBy("lock")
    private @Nullable ByteBuffer early; // to be filled

    private final Set<SelectedEndPoint> heard;
    private final PendingHeads heads;
    private volatile PendingHeads.@Nullable Place pendingHead; // while it waits for the rest
    private volatile boolean hasEarly;
    private @Nullable OnSelector reader; // the last one's

    private @Nullable ProxyListener proxies; // while the header is expected; confined to the reader
    private @Nullable ByteBuffer header; // the received part, in the form in which Jetty reads; confined to the reader
    private volatile @Nullable ProxyHeader proxyHeader;

    /**
     * A connection that was accepted.
     *
     * @param heard where it is put when something comes
     * @param heads where incomplete heads are counted
     * @param proxies is notified of the header of the PROXY protocol; null if none is expected
     */
    SelectedEndPoint(
            SocketChannel channel,
            SelectorTurn selector,
            SelectionKey key,
            Scheduler scheduler,
            Set<SelectedEndPoint> heard,
            PendingHeads heads,
            @Nullable ProxyListener proxies) {
        super(channel, selector, key, scheduler);
        this.heard = heard;
        this.heads = heads;
        this.proxies = proxies;
        turn = selector;
        selected = key;
    }

    @Override
    public @Nullable ProxyHeader proxyHeader() {
        return proxyHeader;
    }

    /** Returns the client's address if a trusted proxy has named one, or that of the connection's other end. */
    @Override
    public SocketAddress getRemoteSocketAddress() {
        ProxyHeader known = proxyHeader;
        InetSocketAddress client = known == null ? null : known.client();
        return client == null ? super.getRemoteSocketAddress() : client;
    }

    /** Runs the task once the client has closed the connection, unless it is read before. */
    void watch(Runnable task) {
        synchronized (lock) {
            gone = task;
        }
        super.needsFillInterest();
    }

    @Override
    public @Nullable Runnable onSelected() {
        boolean readable = selected.isValid() && selected.isReadable();
        Runnable task = super.onSelected();
        if (readable && !getFillInterest().isInterested()) {
            look();
        }
        return task;
    }

    private void look() {
        Runnable ended = null;
        synchronized (lock) {
            ended = gone;
            if (ended == null) {
                return;
            }
            early = early == null ? ByteBuffer.allocate(EARLY_BYTES) : early;
            if (isClosedBehind(early)) {
                gone = null;
            } else {
                ended = null;
            }
            hasEarly = early.position() > 0;
            early = hasEarly ? early : null;
            if (ended == null && (early == null || early.hasRemaining())) {
                super.needsFillInterest();
            }
        }
        if (ended != null) {
            ended.run();
        }
    }

    /** Returns whether nothing comes any more behind the available bytes. */
    private boolean isClosedBehind(ByteBuffer target) {
        try {
            return getChannel().read(target) < 0;
        } catch (IOException e) {
            return true; // the next writer receives the reason
        }
    }

    /** One at a time asks for it. */
    @Override
    public void fillInterested(Callback callback) {
        beginHead();
        super.fillInterested(isReadOnSelector ? onSelector(callback) : callback);
    }

    @Override
    public boolean tryFillInterested(Callback callback) { // that of TLS
        beginHead();
        return super.tryFillInterested(isReadOnSelector ? onSelector(callback) : callback);
    }

    private void beginHead() {
        if (UnfinishedRequests.isInHead(getConnection())) {
            PendingHeads.Place place = heads.placeOf(UnfinishedRequests.headBeganNanos(getConnection()));
            pendingHead = place;
            heads.begin(place, this);
        }
    }

    private void endHead() {
        PendingHeads.Place place = pendingHead;
        if (place != null) {
            pendingHead = null;
            heads.end(place);
        }
    }

    @Override
    public void onClose(@Nullable Throwable cause) {
        endHead();
        heard.remove(this);
        super.onClose(cause);
    }

    private Callback onSelector(Callback callback) {
        OnSelector known = reader;
        if (known == null || known.getCallback() != callback) {
            known = new OnSelector(callback);
            reader = known;
        }
        return known;
    }

    @Override
    public int fill(ByteBuffer buffer) throws IOException {
        endHead();
        ProxyListener listener = proxies;
        if (listener != null) {
            int filled = fillHeader(listener);
            if (filled <= 0) {
                return filled;
            }
        }
        if (hasEarly || gone != null) {
            synchronized (lock) {
                gone = null;
                if (early != null) {
                    return fillEarly(buffer, early.flip());
                }
            }
        }
        int filled = super.fill(buffer);
        if (filled > 0) {
            heard();
        }
        return filled;
    }

    /**
     * Reads the available part of the header. Returns more than 0 once it is complete, otherwise the result of the
     * read.
     */
    private int fillHeader(ProxyListener listener) throws IOException {
        ByteBuffer bytes = header == null ? BufferUtil.allocate(ProxyHeader.MOST_BYTES) : header;
        header = bytes;
        int filled = super.fill(bytes);
        ProxyHeader read = filled <= 0 ? null : read(listener, bytes);
        if (read == null) {
            return Math.min(filled, 0);
        }
        InetSocketAddress client = read.client();
        if (client != null && !listener.admits(getChannel(), client.getAddress())) {
            throw new IOException("a client behind a proxy has too many connections");
        }
        proxyHeader = read.isOfProxy() ? null : read;
        proxies = null;
        header = null;
        keep(bytes);
        return filled;
    }

    private @Nullable ProxyHeader read(ProxyListener listener, ByteBuffer bytes) throws IOException {
        try {
            return ProxyHeader.read(bytes);
        } catch (IOException e) {
            listener.refused(super.getRemoteSocketAddress(), e);
            throw e;
        }
    }

    /** Keeps the bytes behind the header for the next reader. */
    private void keep(ByteBuffer rest) {
        if (rest.hasRemaining()) {
            synchronized (lock) {
                early = ByteBuffer.allocate(rest.remaining()).put(rest);
                hasEarly = true;
            }
        }
    }

    void heard() {
        if (!isHeard && !isReadOnSelector) { // there no heads come
            isHeard = true;
            heard.add(this);
        }
    }

    @GuardedBy("lock")
    private int fillEarly(ByteBuffer buffer, ByteBuffer from) {
        notIdle();
        heard();
        int filled = BufferUtil.append(buffer, from);
        from.compact();
        hasEarly = from.position() > 0;
        early = hasEarly ? from : null;
        return filled;
    }

    @Override
    protected void needsFillInterest() {
        if (hasEarly) {
            turn.execute(getFillInterest()::fillable);
        } else {
            super.needsFillInterest();
        }
    }

    /**
     * Reads without a thread of its own, where Jetty wakes another one whenever there is something to read. Immutable.
     */
    private static final class OnSelector extends Callback.Nested {
        OnSelector(Callback reading) {
            super(reading);
        }

        @Override
        public InvocationType getInvocationType() {
            return InvocationType.NON_BLOCKING;
        }
    }
}
