// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.talos.bench.hostile.HeldConnections.Plan;
import org.talos.bench.hostile.HeldConnections.Use;
import org.talos.bench.hostile.wire.Http2;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The attacks within the rights of a user who owns a topic. */
final class OwnerAttacks {
    /** With a turn each fifth of a second, more than 1 KiB a second. */
    private static final int SLOW_PIECE_BYTES = 0x200;

    private static final int STREAMS = 128; // as many as the server allows

    private OwnerAttacks() {}

    /** Puts of one byte that bring MiBs in a field that no contract knows. */
    static Attacker unknownFields(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        List<MessageBlock> small = List.of(requests.block(1, 1, MessageCompressionType.NONE));
        return new RequestLoop(
                victim,
                tally,
                () -> requests.putWithUnknownField(small, "", requests.random().nextInt(1 << 20, 8 << 20)),
                1);
    }

    /** Bodies that claim to be long, or are in chunks, and come just faster than is refused. */
    static Attacker trickledBodies(Victim victim, Tally tally, HostileRequests requests) {
        byte[] piece = requests.randomBytes(SLOW_PIECE_BYTES);
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        100,
                        300,
                        () -> requests.headOfPut("Content-Length: " + (20 << 20)),
                        HeldConnections.write(() -> piece)));
    }

    /** The same in chunks without a last chunk. */
    static Attacker trickledChunks(Victim victim, Tally tally, HostileRequests requests) {
        byte[] chunk = new byte[SLOW_PIECE_BYTES + 7];
        System.arraycopy("200\r\n".getBytes(StandardCharsets.US_ASCII), 0, chunk, 0, 5);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        100,
                        300,
                        () -> requests.headOfPut("Transfer-Encoding: chunked"),
                        HeldConnections.write(() -> chunk)));
    }

    /** Bodies in chunks of odd sizes, as fast as they go. */
    static Attacker longBodies(Victim victim, Tally tally, HostileRequests requests) {
        return new LongBodies(victim, tally, requests);
    }

    /** A thousand tiny blocks in a put, or thousands of tiny messages in a block. */
    static Attacker tinyBlocks(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        List<MessageBlock> blocks = IntStream.range(0, 1_000)
                .mapToObj(i -> requests.block(1, i % 2, MessageCompressionType.NONE))
                .toList();
        List<MessageBlock> messages = List.of(requests.block(10_000, 1, MessageCompressionType.NONE));
        return new RequestLoop(
                victim, tally, () -> requests.put(requests.random().nextBoolean() ? blocks : messages, ""), 1);
    }

    /** Blocks as large as a put may be, and blocks of zeros that are small until they are read. */
    static Attacker hugeBlocks(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        List<MessageBlock> large = List.of(requests.block(1, 20 << 20, MessageCompressionType.NONE));
        List<MessageBlock> dense = List.of(requests.block(8, 1 << 20, MessageCompressionType.GZIP));
        return new RequestLoop(
                victim, tally, () -> requests.put(requests.random().nextInt(4) == 0 ? large : dense, ""), 1);
    }

    /** Small puts to many partitions, many of them the same again, sent before the last ones are answered. */
    static Attacker repeatedPuts(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        List<MessageBlock> block = List.of(requests.block(1, 100, MessageCompressionType.NONE));
        return new RequestLoop(
                victim,
                tally,
                () -> requests.put(block, "hostile#" + requests.random().nextInt(100_000)),
                50);
    }

    /** Puts and gets whose deadline passes while they are done. */
    static Attacker expiring(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        List<MessageBlock> block = List.of(requests.block(1, 10_000, MessageCompressionType.NONE));
        return new RequestLoop(
                victim,
                tally,
                () -> {
                    long soon = System.currentTimeMillis() + requests.random().nextInt(1, 10);
                    return requests.random().nextBoolean()
                            ? requests.putBy(block, "", soon)
                            : requests.getMessages(10 << 20, soon);
                },
                1);
    }

    /** Gets of much, whose answer is read a byte at a time. */
    static Attacker slowReaders(Victim victim, Tally tally, HostileRequests requests) {
        return readers(victim, tally, requests, HeldConnections.readOne());
    }

    /** Gets of much, whose answer is never read. */
    static Attacker deafReaders(Victim victim, Tally tally, HostileRequests requests) {
        return readers(victim, tally, requests, HeldConnections.nothing());
    }

    /** Streams of HTTP/2 whose answers may not be sent. */
    static Attacker closedWindows(Victim victim, Tally tally, HostileRequests requests) {
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(64, 200, () -> closedWindows(victim, requests), HeldConnections.readOne()));
    }

    /** Reads that wait long, for more than there is, and are cut. */
    static Attacker cutPolls(Victim victim, Tally tally, HostileRequests requests) {
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        300,
                        20,
                        () -> requests.get(requests.partitionPath()
                                + "/messages?from=latest&wait=60000&maxBytes=10485760&minBytes=10485760"),
                        HeldConnections.nothing()));
    }

    /** Streams of events that nobody reads. */
    static Attacker events(Victim victim, Tally tally, HostileRequests requests) {
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        100,
                        100,
                        () -> requests.get(requests.partitionPath() + "/events?from=earliest"),
                        HeldConnections.nothing()));
    }

    /** Lines without an end whose answers nobody reads; of some, not even a line has an end. */
    static Attacker endlessLines(Victim victim, Tally tally, HostileRequests requests) {
        byte[] lines = chunk("{\"value\":\"x\"}\n".repeat(500));
        byte[] noLine = chunk("x".repeat(8_000));
        Use write = HeldConnections.write(() -> requests.random().nextInt(4) == 0 ? noLine : lines);
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        50,
                        100,
                        () -> requests.head(
                                "POST",
                                requests.topicPath() + "/messages",
                                "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n"),
                        write));
    }

    /** Groups with a member each, which fetch much and wait. */
    static Attacker groups(Victim victim, Tally tally, HostileRequests requests) throws IOException {
        return new RequestLoop(
                victim,
                tally,
                () -> {
                    String group = requests.topicPath() + "/groups/g"
                            + requests.random().nextInt(50);
                    return switch (requests.random().nextInt(3)) {
                        case 0 -> requests.post(group + "/members", "{\"lease\": 10000}");
                        case 1 -> requests.get(group);
                        default -> requests.get(requests.topicPath() + "/groups");
                    };
                },
                1);
    }

    private static Attacker readers(Victim victim, Tally tally, HostileRequests requests, Use use) {
        return new HeldConnections(
                victim,
                tally,
                requests.random(),
                Plan.of(
                        150,
                        100,
                        () -> requests.random().nextBoolean()
                                ? requests.getMessages(10 << 20, 0)
                                : requests.get(
                                        requests.partitionPath() + "/messages?maxBytes=10485760&maxMessages=10000"),
                        use));
    }

    private static byte[] chunk(String text) {
        return (Integer.toHexString(text.length()) + "\r\n" + text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] closedWindows(Victim victim, HostileRequests requests) {
        Http2 connection = Http2.begin(victim.authority(), 0);
        for (int i = 0; i < STREAMS; i++) {
            var unused = connection.get(
                    requests.partitionPath() + "/messages?maxMessages=10&maxBytes=10000",
                    "authorization",
                    requests.authorization());
        }
        return connection.take();
    }
}
