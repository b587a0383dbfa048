// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.talos.bench.hostile.wire.ForeignBytesException;
import org.talos.bench.hostile.wire.FramesCheck;
import org.talos.bench.hostile.wire.Http2;
import org.talos.bench.hostile.wire.HttpCheck;
import org.talos.bench.hostile.wire.PrefixCheck;
import org.talos.bench.hostile.wire.RefusalCheck;
import org.talos.bench.hostile.wire.WebSocketCheck;

/** The ways of reading known messages; each read compares every byte. */
public enum KnownWay {
    /** Messages as bytes, on one connection. */
    HTTP_1("HTTP/1.1") {
        @Override
        boolean read(InetSocketAddress server, KnownMessages messages) throws IOException {
            try (Socket socket = connect(server)) {
                for (int i = 0; i < READS; i++) {
                    long offset = offset(KnownMessages.LARGE);
                    PrefixCheck body = new PrefixCheck(messages.bytes(KnownMessages.LARGE, offset));
                    HttpCheck answer = HttpCheck.of(() -> body);
                    byte[] request =
                            messages.request("GET", path(messages, KnownMessages.LARGE, offset), "Accept: */*\r\n");
                    Exchange.run(socket, request, answer, () -> answer.answers() > 0);
                    if (!HttpCheck.isSuccess(answer.status())) {
                        return false;
                    }
                    whole(body);
                }
            }
            return true;
        }
    },
    /** Messages as bytes, several streams on one connection. */
    HTTP_2("HTTP/2") {
        @Override
        boolean read(InetSocketAddress server, KnownMessages messages) throws IOException {
            try (Socket socket = connect(server)) {
                Http2 requests = Http2.open("localhost");
                long offset = offset(KnownMessages.LARGE);
                List<PrefixCheck> bodies = new ArrayList<>();
                FramesCheck answers = new FramesCheck(() -> {
                    bodies.add(new PrefixCheck(messages.bytes(KnownMessages.LARGE, offset)));
                    return bodies.get(bodies.size() - 1);
                });
                for (int i = 0; i < READS; i++) {
                    requests.get(
                            path(messages, KnownMessages.LARGE, offset), "authorization", messages.authorization());
                }
                Exchange.run(socket, requests.take(), answers, () -> answers.ended() >= READS);
                if (answers.refused() > 0) {
                    return false;
                }
                for (PrefixCheck each : bodies) {
                    whole(each);
                }
                return true;
            }
        }
    },
    /** Messages as server-sent events. */
    EVENTS("SSE") {
        @Override
        boolean read(InetSocketAddress server, KnownMessages messages) throws IOException {
            try (Socket socket = connect(server)) {
                KnownTexts texts = new KnownTexts(messages, KnownMessages.SMALL);
                HttpCheck answer = HttpCheck.of(texts::events);
                byte[] request = messages.request(
                        "GET",
                        messages.path(KnownMessages.SMALL) + "/events?from=earliest",
                        "Accept: text/event-stream\r\n");
                Exchange.run(socket, request, answer, () -> texts.isWhole() || answer.answers() > 0);
                return texts.isGood();
            }
        }
    },
    /** Messages as texts of a WebSocket. */
    STREAM("WebSocket") {
        @Override
        boolean read(InetSocketAddress server, KnownMessages messages) throws IOException {
            try (Socket socket = connect(server)) {
                KnownTexts texts = new KnownTexts(messages, KnownMessages.SMALL);
                HttpCheck opened = new HttpCheck(status -> status == SWITCHING ? texts.messages() : new RefusalCheck());
                byte[] request =
                        messages.request("GET", "/v1/topics/" + messages.topic() + "/stream", WebSocketCheck.upgrade());
                Exchange.run(socket, request, opened, () -> opened.status() > 0);
                if (opened.status() != SWITCHING) {
                    return false;
                }
                byte[] subscribe = WebSocketCheck.text("{\"type\":\"subscribe\",\"partition\":0,\"from\":0}");
                Exchange.run(socket, subscribe, opened, texts::isWhole);
                return texts.isGood();
            }
        }
    };

    private static final int READS = 10;
    private static final int SWITCHING = 101;
    private static final int CONNECT_MILLIS = 60_000;

    private final String label;

    KnownWay(String label) {
        this.label = label;
    }

    /** Returns the name for a person. */
    public String label() {
        return label;
    }

    /**
     * Reads known messages and compares them.
     *
     * @return false if the server refused
     * @throws ForeignBytesException the server sent other bytes
     * @throws IOException the server did not answer
     */
    abstract boolean read(InetSocketAddress server, KnownMessages messages) throws IOException;

    private static Socket connect(InetSocketAddress server) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(server, CONNECT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static void whole(PrefixCheck body) throws ForeignBytesException {
        if (!body.isWhole()) {
            throw new ForeignBytesException("a message that is too short", ByteBuffer.allocate(0));
        }
    }

    private static String path(KnownMessages messages, int partition, long offset) {
        return messages.path(partition) + "/messages/" + offset;
    }

    private static long offset(int partition) {
        return ThreadLocalRandom.current().nextInt(KnownMessages.count(partition));
    }
}
