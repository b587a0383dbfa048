// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.transfer.wire.Frame;
import org.talos.thrift.ErrorCode;

/**
 * Reads that wait for messages at one server: all on one connection, answered in whatever order, so that however many
 * wait they hold one thread.
 *
 * <p>Thread-safe.
 */
final class WaitingReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WaitingReads.class);
    private static final String LOST = "the connection to the partition's server ended";

    private final ClientPool clients;
    private final int most;
    private final MemoryBudget memory;
    private final Ticker ticker;
    private final NamedThreads threads;

    @GuardedBy("this")
    private @Nullable Connection current;

    WaitingReads(ClientPool clients, int most, MemoryBudget memory, Ticker ticker, NamedThreads threads) {
        this.clients = clients;
        this.most = most;
        this.memory = memory;
        this.ticker = ticker;
        this.threads = threads;
    }

    /** Sends it; may block, as connecting and writing do. */
    void send(PendingRequest<?> exchange) throws IOException, TException {
        connection().send(exchange);
    }

    private synchronized Connection connection() throws IOException {
        Connection connection = current;
        if (connection == null || connection.ended) {
            connection = new Connection(clients.connect());
            current = connection;
            threads.newThread(connection::receive).start();
        }
        return connection;
    }

    @Override
    public synchronized void close() {
        Connection connection = current;
        if (connection != null) {
            clients.end(connection.client);
        }
    }

    /** One connection with its reader. Thread-safe. */
    private final class Connection {
        private final Client client;
        private final Map<Long, PendingRequest<?>> waiting = new ConcurrentHashMap<>();
        private volatile boolean ended;

        Connection(Client client) {
            this.client = client;
        }

        void send(PendingRequest<?> exchange) throws IOException, TException {
            if (waiting.size() >= most) {
                exchange.failed(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many reads wait for the partition's server");
                return;
            }
            try {
                write(exchange);
            } catch (IOException e) {
                clients.end(client); // what was half written can't be taken back
                throw e;
            }
            if (ended) { // its reader may have looked for those to tell before this one was there
                exchange.failed(ErrorCode.PARTITION_NOT_SERVING, LOST);
            }
        }

        private synchronized void write(PendingRequest<?> exchange) throws IOException, TException {
            long id = client.nextId();
            ForwardContext hop = exchange.hop();
            List<ByteBuffer> message =
                    exchange.request().message(id, hop.caller(), hop.deadlineNanos() - ticker.nanos());
            exchange.onAbandoned(client::close); // or a server that reads nothing would keep this thread
            if (!exchange.beginWriting()) {
                throw new IOException("the time for a read ended as it was about to be written");
            }
            waiting.put(id, exchange);
            client.send(id, message);
            exchange.onAbandoned(() -> waiting.remove(id));
            if (exchange.isOver()) {
                waiting.remove(id);
            }
        }

        private void receive() {
            try {
                while (true) {
                    Frame frame = client.receive();
                    try {
                        deliver(frame);
                    } finally {
                        memory.release(Client.reserved(frame.bytes()));
                    }
                }
            } catch (IOException e) {
                LOG.debug("connection of waiting reads ended", e); // the reads say so, each to its own client
            } finally {
                ended = true;
                clients.end(client);
                waiting.values().forEach(each -> each.failed(ErrorCode.PARTITION_NOT_SERVING, LOST));
                waiting.clear();
            }
        }

        private void deliver(Frame frame) throws IOException {
            PendingRequest<?> exchange = waiting.remove(frame.id());
            if (exchange != null) { // else it came after its deadline
                var unused = RemoteHost.end(exchange, frame);
            }
        }
    }
}
