// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Arrays;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Stands between clients and a server of TLS, and passes on what they say, in a form that a test says. Thread-safe. */
final class Relay implements AutoCloseable {
    private static final int HEADER_BYTES = 5;
    private static final int ALERT = 21;

    private final ServerSocket listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final URI server;
    private final Greeting greeting;
    private final Form form;
    private final Queue<Integer> ofClients = new ConcurrentLinkedQueue<>(); // kinds of records

    /** The talk with a client before anything is passed on. */
    interface Greeting {
        void with(InputStream in, OutputStream out) throws IOException;
    }

    /** The treatment of the server's records. */
    enum Form {
        AS_THEY_ARE,
        BYTE_BY_BYTE,
        WITHOUT_ALERTS
    }

    Relay(URI server, Form form) throws IOException {
        this(server, form, (in, out) -> {});
    }

    Relay(URI server, Form form, Greeting greeting) throws IOException {
        this.server = server;
        this.form = form;
        this.greeting = greeting;
        threads.execute(() -> {
            while (!listening.isClosed()) {
                try {
                    Socket client = listening.accept();
                    open.add(client);
                    threads.execute(() -> relay(client));
                } catch (IOException e) {
                    return; // closed
                }
            }
        });
    }

    private void relay(Socket client) {
        try (client;
                Socket behind = new Socket(Proxy.NO_PROXY)) {
            open.add(behind);
            behind.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()));
            client.setTcpNoDelay(true);
            greeting.with(client.getInputStream(), client.getOutputStream());
            threads.execute(() -> upwards(client, behind));
            InputStream in = behind.getInputStream();
            for (byte[] record = record(in); record.length > 0; record = record(in)) {
                write(record, client.getOutputStream());
            }
        } catch (IOException e) {
            return; // one of both has gone, and the other goes with it
        }
    }

    private void upwards(Socket client, Socket behind) {
        try (behind) {
            InputStream in = client.getInputStream();
            for (byte[] record = record(in); record.length > 0; record = record(in)) {
                ofClients.add((int) record[0]);
                behind.getOutputStream().write(record);
            }
        } catch (IOException e) {
            return; // as above
        }
    }

    /** The next record; empty at the end. */
    private static byte[] record(InputStream in) throws IOException {
        byte[] header = in.readNBytes(HEADER_BYTES);
        if (header.length < HEADER_BYTES) {
            return new byte[0];
        }
        byte[] body = in.readNBytes((header[3] & 0xFF) << 8 | (header[4] & 0xFF));
        byte[] record = Arrays.copyOf(header, header.length + body.length);
        System.arraycopy(body, 0, record, header.length, body.length);
        return record;
    }

    private void write(byte[] record, OutputStream out) throws IOException {
        if (form == Form.BYTE_BY_BYTE) {
            for (byte each : record) {
                out.write(each);
            }
        } else if (form == Form.AS_THEY_ARE || record[0] != ALERT) {
            out.write(record);
        }
    }

    /** Returns whether a client has sent an alert that can be seen as one, as the close notification of TLS 1.2. */
    boolean hasSeenAnAlert() {
        return ofClients.contains(ALERT);
    }

    /** Reads to the end of a head. */
    static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException();
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** Its port. */
    int port() {
        return listening.getLocalPort();
    }

    /** The server's name, by this way. */
    URI uri() {
        return URI.create("https://127.0.0.1:" + port());
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket each : open) {
            each.close();
        }
        threads.shutdownNow();
    }
}
