// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HostPortHttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.frames.DataFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.util.Callback;
import org.talos.client.TalosEndpoint;

/**
 * A stream's client on a stream of HTTP/2 (RFC 8441), whose frames of WebSockets are written by hand. Confined: the
 * test, but for what Jetty calls.
 */
final class Http2Stream implements Stream.Listener, AutoCloseable {
    private static final int SECONDS = 20;

    private final boolean reads;
    private final CompletableFuture<MetaData.Response> answer = new CompletableFuture<>();
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(); // of frames that are not whole yet
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final Stream stream;

    private Http2Stream(Session session, HeadersFrame request, boolean reads) throws Exception {
        this.reads = reads;
        stream = session.newStream(request, this).get(SECONDS, TimeUnit.SECONDS);
    }

    /** A connection of HTTP/2 in the clear. */
    static Session connect(HTTP2Client client, TalosEndpoint server) throws Exception {
        return client.connect(
                        new InetSocketAddress(
                                InetAddress.getLoopbackAddress(), server.uri().getPort()),
                        new Session.Listener() {})
                .get(SECONDS, TimeUnit.SECONDS);
    }

    /** Asks for a stream, as a library would, but for the further headers, each a name and a value. */
    static Http2Stream open(Session session, TalosEndpoint server, String pathAndQuery, String... further)
            throws Exception {
        return new Http2Stream(session, request(server, pathAndQuery, "websocket", further), true);
    }

    /** One that takes nothing of what the server sends: the window of its HTTP/2 stream stays closed. */
    static Http2Stream deaf(Session session, TalosEndpoint server, String pathAndQuery) throws Exception {
        return new Http2Stream(session, request(server, pathAndQuery, "websocket"), false);
    }

    /** Asks to become something of that protocol. */
    static Http2Stream of(Session session, TalosEndpoint server, String pathAndQuery, String protocol)
            throws Exception {
        return new Http2Stream(session, request(server, pathAndQuery, protocol), true);
    }

    private static HeadersFrame request(TalosEndpoint server, String pathAndQuery, String protocol, String... further) {
        HttpFields.Mutable fields = HttpFields.build()
                .put("Authorization", StreamClient.basic(server))
                .put("Sec-WebSocket-Version", "13")
                .put("Sec-WebSocket-Protocol", StreamUpgrade.SUBPROTOCOL);
        for (int i = 0; i < further.length; i += 2) {
            fields.put(further[i], further[i + 1]);
        }
        HostPortHttpField authority =
                new HostPortHttpField("localhost:" + server.uri().getPort());
        return new HeadersFrame(
                new MetaData.ConnectRequest("http", authority, pathAndQuery, fields, protocol), null, false);
    }

    @Override
    public void onHeaders(Stream from, HeadersFrame frame, Callback callback) {
        if (frame.getMetaData() instanceof MetaData.Response head) {
            answer.complete(head);
        }
        if (frame.isEndStream()) {
            ended.complete(0);
        } else if (reads) {
            from.demand();
        }
        callback.succeeded();
    }

    @Override
    public void onDataAvailable(Stream from) {
        Stream.Data data = from.readData();
        if (data == null) {
            from.demand();
            return;
        }
        ByteBuffer piece = data.frame().getByteBuffer();
        byte[] some = new byte[piece.remaining()];
        piece.get(some);
        boolean last = data.frame().isEndStream();
        data.release();
        if (answer.join().getStatus() == 200) {
            take(some);
        } else {
            body.writeBytes(some);
        }
        if (last) {
            ended.complete(0);
        } else {
            from.demand();
        }
    }

    private void take(byte[] some) {
        bytes.writeBytes(some);
        ByteBuffer all = ByteBuffer.wrap(bytes.toByteArray());
        while (takeFrame(all)) {
            bytes.reset();
            bytes.write(all.array(), all.position(), all.remaining());
        }
    }

    /** Takes a frame that is whole; false, and nothing taken, if there is none. */
    private boolean takeFrame(ByteBuffer all) {
        ByteBuffer frame = all.duplicate();
        if (frame.remaining() < 2) {
            return false;
        }
        int first = frame.get() & 0xff;
        int length = frame.get();
        int more = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (frame.remaining() < more) {
            return false;
        }
        long size = more == 2 ? frame.getShort() & 0xffff : more == 8 ? frame.getLong() : length;
        if (frame.remaining() < size) {
            return false;
        }
        byte[] payload = new byte[(int) size];
        frame.get(payload);
        all.position(frame.position());
        takeFrame(first, payload);
        return true;
    }

    private void takeFrame(int first, byte[] payload) {
        if (first == RawStream.CLOSE) {
            closed.complete((int) ByteBuffer.wrap(payload).getShort());
        } else if ((first & 0x08) == 0) {
            message.writeBytes(payload);
            if ((first & 0x80) != 0) {
                received.add(new Received(message.toByteArray()));
                message.reset();
            }
        }
    }

    @Override
    public void onReset(Stream from, ResetFrame frame, Callback callback) {
        answer.completeExceptionally(new IllegalStateException("reset " + frame.getError()));
        ended.complete(frame.getError());
        callback.succeeded();
    }

    @Override
    public void onFailure(Stream from, int error, String reason, Throwable failure, Callback callback) {
        answer.completeExceptionally(failure);
        ended.complete(error);
        callback.succeeded();
    }

    int status() throws Exception {
        return answer.get(SECONDS, TimeUnit.SECONDS).getStatus();
    }

    /** A header of the answer; empty without one. */
    String header(String name) throws Exception {
        String value = answer.get(SECONDS, TimeUnit.SECONDS).getHttpFields().get(name);
        return value == null ? "" : value;
    }

    /** The body of an answer that is not a stream, once it has ended. */
    String body() throws Exception {
        ended.get(SECONDS, TimeUnit.SECONDS);
        return body.toString(UTF_8);
    }

    /** Sends a message in one frame. */
    void send(byte[] sent) throws Exception {
        frame(RawStream.BINARY, sent);
    }

    void frame(int first, byte[] payload) throws Exception {
        sendRaw(RawStream.framed(first, payload.length, payload));
    }

    void sendRaw(byte[] raw) throws Exception {
        stream.data(new DataFrame(stream.getId(), ByteBuffer.wrap(raw), false)).get(SECONDS, TimeUnit.SECONDS);
    }

    /** Ends the stream by a reset, without a word. */
    void reset() throws Exception {
        stream.reset(new ResetFrame(stream.getId(), 8)).get(SECONDS, TimeUnit.SECONDS);
    }

    /** The next message of that name; others are skipped. */
    Received next(String name) throws InterruptedException {
        while (true) {
            Received next = received.poll(SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no further message; closed: " + closed + ", ended: " + ended);
            }
            if (next.name().equals(name)) {
                return next;
            }
        }
    }

    int closeCode() throws Exception {
        return closed.get(SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until the HTTP/2 stream has ended. */
    void awaitEnd() throws Exception {
        ended.get(SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        stream.reset(new ResetFrame(stream.getId(), 8), Callback.NOOP);
    }
}
