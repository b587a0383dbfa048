// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.talos.bench.hostile.HeldConnections.Plan;
import org.talos.bench.hostile.wire.Check;
import org.talos.bench.hostile.wire.FramesCheck;
import org.talos.bench.hostile.wire.Http2;
import org.talos.bench.hostile.wire.HttpCheck;
import org.talos.bench.hostile.wire.OwnJsonCheck;
import org.talos.bench.hostile.wire.RefusalCheck;
import org.talos.bench.hostile.wire.WebSocketCheck;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Reads of the attacker's own messages, whose answers are many times longer than what was stored, and topics that are
 * many times longer than usual.
 */
final class ReadAttacks {
    private static final int[] CONTROL_BYTES = {27 << 20, 54 << 20}; // what blocks hold at most, by heap
    private static final int PLAIN_BYTES = 1_000_000;
    private static final int PLAIN_COUNT = 48;
    private static final int READ_BYTES = 1 << 20;
    private static final int ATTRIBUTES = 60;
    private static final int ATTRIBUTE_BYTES = 4 << 10;
    private static final int SWITCHING = 101;
    private static final int GETS = 100;
    private static final AtomicLong NEXT_TOPIC = new AtomicLong();

    private ReadAttacks() {}

    /** Stores what these attacks read: in partition 0 compressed blocks, in 1 plain messages. */
    static void prepare(Victim victim) throws IOException {
        Tally tally = new Tally();
        HostileRequests requests = new HostileRequests(victim, tally, new byte[0], victim.seed()).large();
        byte[] plain = control(PLAIN_BYTES);
        for (int bytes : CONTROL_BYTES) {
            MessageBlock block = HostileRequests.block(control(bytes), MessageCompressionType.GZIP);
            try (Attacker puts = requests.loop(1, () -> requests.putTo(0, block))) {
                puts.round();
            }
        }
        try (Attacker puts =
                requests.loop(1, () -> requests.post(path(requests, 1, "/messages"), "application/x-control", plain))) {
            for (int i = 0; i < PLAIN_COUNT; i++) {
                puts.round();
            }
        }
        if (tally.counts().refused() > 0) {
            throw new IOException(tally.counts().refused() + " puts of the attacker's own messages were refused");
        }
    }

    private static byte[] control(int count) {
        byte[] control = new byte[count];
        Arrays.fill(control, OwnJsonCheck.CONTENT);
        return control;
    }

    private static String path(HostileRequests requests, int partition, String rest) {
        return requests.topicPath() + "/partitions/" + partition + rest;
    }

    /**
     * Reads a compressed block in each format, which is thousands of times as long then, on connections read slowly.
     */
    static Attacker largeReads(HostileRequests own) {
        HostileRequests requests = own.large();
        return requests.held(read(40, 50, () -> largeRead(requests)).checking(ReadAttacks::ownJson));
    }

    private static byte[] largeRead(HostileRequests requests) {
        int offset = requests.random().nextInt(CONTROL_BYTES.length);
        String messages = path(requests, 0, "/messages?from=" + offset);
        return switch (requests.random().nextInt(7)) {
            case 0 -> requests.get(messages);
            case 1 -> requests.head("GET", messages, "Accept: application/x-ndjson\r\n");
            case 2 -> requests.head("GET", path(requests, 0, "/messages/" + offset), "Accept: application/json\r\n");
            case 3 -> requests.get(path(requests, 0, "/events?from=" + offset));
            case 4 -> requests.get(requests.topicPath() + "/search?from=earliest");
            case 5 -> requests.get(requests.topicPath() + "/search?direction=backward");
            default -> stream(requests);
        };
    }

    private static byte[] stream(HostileRequests requests) {
        byte[] head = requests.head("GET", requests.topicPath() + "/stream?window=67108864", WebSocketCheck.upgrade());
        byte[] subscribe = WebSocketCheck.text(
                "{\"type\":\"subscribe\",\"partition\":" + requests.random().nextInt(2) + ",\"from\":\"earliest\"}");
        return HostileRequests.joined(head, subscribe);
    }

    private static Check ownJson() {
        return new HttpCheck(status -> {
            if (status == SWITCHING) {
                return new WebSocketCheck(new OwnJsonCheck(), () -> {});
            }
            return HttpCheck.isSuccess(status) ? new OwnJsonCheck() : new RefusalCheck();
        });
    }

    /** Gets as much as a get may have, one after another, and reads it. */
    static Attacker largeGets(HostileRequests own) throws IOException {
        HostileRequests requests = own.large();
        return RequestLoop.ofOwnJson(requests.victim(), requests.tally(), () -> largeGet(requests));
    }

    /** The same at once on many connections, read slowly. */
    static Attacker heldGets(HostileRequests own) {
        HostileRequests requests = own.large();
        return requests.held(read(300, 50, () -> largeGet(requests)).checking(ReadAttacks::ownJson));
    }

    private static byte[] largeGet(HostileRequests requests) {
        String lines = requests.random().nextInt(3) == 0 ? "Accept: application/x-ndjson\r\n" : "";
        return requests.head(
                "GET", path(requests, 1, "/messages?from=earliest&maxMessages=100&maxBytes=10485760"), lines);
    }

    /** Gets on all streams of a connection at once. */
    static Attacker http2Gets(HostileRequests own) {
        HostileRequests requests = own.large();
        return requests.held(
                read(20, 10, () -> getOnStreams(requests)).checking(() -> new FramesCheck(OwnJsonCheck::new)));
    }

    private static Plan read(int connections, int turns, Supplier<byte[]> request) {
        return Plan.of(connections, turns, request, HeldConnections.readUpTo(READ_BYTES));
    }

    private static byte[] getOnStreams(HostileRequests requests) {
        String path = path(requests, 1, "/messages?from=earliest&maxMessages=1&maxBytes=10000");
        return requests.getAll(Http2.open(requests.victim().authority()), GETS, () -> path);
    }

    /** Creates topics with attributes as long as they may be, until they are refused, and tries again. */
    static Attacker topics(HostileRequests own) throws IOException {
        HostileRequests requests = own.large();
        String value = "x".repeat(ATTRIBUTE_BYTES);
        String attributes = IntStream.range(0, ATTRIBUTES)
                .mapToObj(i -> "\"attribute-" + i + "\":\"" + value + "\"")
                .collect(Collectors.joining(",", "{", "}"));
        return requests.loop(
                1,
                () -> requests.post(
                        "/v1/topics",
                        "{\"name\":\"attributes-" + NEXT_TOPIC.incrementAndGet() + "\",\"partitions\":1,\"attributes\":"
                                + attributes + "}"));
    }
}
