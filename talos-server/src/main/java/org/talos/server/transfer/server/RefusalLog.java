// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.talos.server.runtime.time.Ticker;

/**
 * Decides which refused connections are logged: one of each address in a minute, so that a misconfigured server does
 * not fill the log, and one of all in a second, so that strangers do not. The latest 1,000 addresses are remembered.
 *
 * <p>Thread-safe.
 */
final class RefusalLog {
    static final Duration OF_ONE = Duration.ofMinutes(1);
    static final Duration OF_ALL = Duration.ofSeconds(1);
    private static final int REMEMBERED = 1_000;

    private final Ticker ticker;

    @GuardedBy("this")
    private long nextNanos;

    @GuardedBy("this")
    private final Map<String, Long> nextOf = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > REMEMBERED;
        }
    };

    RefusalLog(Ticker ticker) {
        this.ticker = ticker;
        nextNanos = ticker.nanos();
    }

    /** Returns the number of remembered addresses. */
    synchronized int remembered() {
        return nextOf.size();
    }

    /** Returns whether to log that a connection of this address was refused. */
    synchronized boolean isDue(SocketAddress peer) {
        String address = peer instanceof InetSocketAddress inet ? inet.getHostString() : String.valueOf(peer);
        long now = ticker.nanos();
        Long next = nextOf.get(address);
        if (now - nextNanos < 0 || (next != null && now - next < 0)) {
            return false;
        }
        nextNanos = now + OF_ALL.toNanos();
        nextOf.put(address, now + OF_ONE.toNanos());
        return true;
    }
}
