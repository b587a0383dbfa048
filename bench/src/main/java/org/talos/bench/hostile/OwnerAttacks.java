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
    static Attacker unknownFields(HostileRequests requests) throws IOException {
        List<MessageBlock> small = List.of(requests.block(1, 1, MessageCompressionType.NONE));
        return requests.loop(
                1,
                () -> requests.putWithUnknownField(small, "", requests.random().nextInt(1 << 20, 8 << 20)));
    }

    /** Bodies that claim to be long, or are in chunks, and come just faster than is refused. */
    static Attacker trickledBodies(HostileRequests requests) {
        byte[] piece = requests.randomBytes(SLOW_PIECE_BYTES);
        return trickled(requests, "Content-Length: " + (20 << 20), piece);
    }

    /** The same in chunks without a last chunk. */
    static Attacker trickledChunks(HostileRequests requests) {
        byte[] chunk = new byte[SLOW_PIECE_BYTES + 7];
        System.arraycopy("200\r\n".getBytes(StandardCharsets.US_ASCII), 0, chunk, 0, 5);
        chunk[chunk.length - 2] = '\r';
        chunk[chunk.length - 1] = '\n';
        return trickled(requests, "Transfer-Encoding: chunked", chunk);
    }

    private static Attacker trickled(HostileRequests requests, String framing, byte[] piece) {
        Use write = HeldConnections.write(() -> piece);
        return requests.held(Plan.of(100, 300, () -> requests.headOfPut(framing), write));
    }

    /** Bodies in chunks of odd sizes, as fast as they go. */
    static Attacker longBodies(HostileRequests requests) {
        return new LongBodies(requests);
    }

    /** A thousand tiny blocks in a put, or thousands of tiny messages in a block. */
    static Attacker tinyBlocks(HostileRequests requests) throws IOException {
        List<MessageBlock> blocks = IntStream.range(0, 1_000)
                .mapToObj(i -> requests.block(1, i % 2, MessageCompressionType.NONE))
                .toList();
        List<MessageBlock> messages = List.of(requests.block(10_000, 1, MessageCompressionType.NONE));
        return requests.loop(1, () -> requests.put(requests.random().nextBoolean() ? blocks : messages, ""));
    }

    /** Blocks as large as a put may be, and blocks of zeros that are small until they are read. */
    static Attacker hugeBlocks(HostileRequests requests) throws IOException {
        List<MessageBlock> large = List.of(requests.block(1, 20 << 20, MessageCompressionType.NONE));
        List<MessageBlock> dense = List.of(requests.block(8, 1 << 20, MessageCompressionType.GZIP));
        return requests.loop(1, () -> requests.put(requests.random().nextInt(4) == 0 ? large : dense, ""));
    }

    /** Small puts to many partitions, many of them the same again, sent before the last ones are answered. */
    static Attacker repeatedPuts(HostileRequests requests) throws IOException {
        List<MessageBlock> block = List.of(requests.block(1, 100, MessageCompressionType.NONE));
        return requests.loop(
                50, () -> requests.put(block, "hostile#" + requests.random().nextInt(100_000)));
    }

    /** Puts and gets whose deadline passes while they are done. */
    static Attacker expiring(HostileRequests requests) throws IOException {
        List<MessageBlock> block = List.of(requests.block(1, 10_000, MessageCompressionType.NONE));
        return requests.loop(1, () -> {
            long soon = System.currentTimeMillis() + requests.random().nextInt(1, 10);
            return requests.random().nextBoolean()
                    ? requests.putBy(block, "", soon)
                    : requests.getMessages(10 << 20, soon);
        });
    }

    /** Gets of much, whose answer is read a byte at a time. */
    static Attacker slowReaders(HostileRequests requests) {
        return readers(requests, HeldConnections.readOne());
    }

    /** Gets of much, whose answer is never read. */
    static Attacker deafReaders(HostileRequests requests) {
        return readers(requests, HeldConnections.nothing());
    }

    /** Streams of HTTP/2 whose answers may not be sent. */
    static Attacker closedWindows(HostileRequests requests) {
        return requests.held(Plan.of(64, 200, () -> closedStreams(requests), HeldConnections.readOne()));
    }

    /** Reads that wait long, for more than there is, and are cut. */
    static Attacker cutPolls(HostileRequests requests) {
        String query = "/messages?from=latest&wait=60000&maxBytes=10485760&minBytes=10485760";
        return unread(requests, 300, 20, query);
    }

    /** Streams of events that nobody reads. */
    static Attacker events(HostileRequests requests) {
        return unread(requests, 100, 100, "/events?from=earliest");
    }

    private static Attacker unread(HostileRequests requests, int connections, int turns, String query) {
        return requests.held(Plan.of(
                connections, turns, () -> requests.get(requests.partitionPath() + query), HeldConnections.nothing()));
    }

    /** Lines without an end whose answers nobody reads; of some, not even a line has an end. */
    static Attacker endlessLines(HostileRequests requests) {
        byte[] lines = chunk("{\"value\":\"x\"}\n".repeat(500));
        byte[] noLine = chunk("x".repeat(8_000));
        Use write = HeldConnections.write(() -> requests.random().nextInt(4) == 0 ? noLine : lines);
        String headers = "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n";
        return requests.held(
                Plan.of(50, 100, () -> requests.head("POST", requests.topicPath() + "/messages", headers), write));
    }

    /** Groups with a member each, which fetch much and wait. */
    static Attacker groups(HostileRequests requests) throws IOException {
        return requests.loop(1, () -> {
            String group =
                    requests.topicPath() + "/groups/g" + requests.random().nextInt(50);
            return switch (requests.random().nextInt(3)) {
                case 0 -> requests.post(group + "/members", "{\"lease\": 10000}");
                case 1 -> requests.get(group);
                default -> requests.get(requests.topicPath() + "/groups");
            };
        });
    }

    private static Attacker readers(HostileRequests requests, Use use) {
        String query = "/messages?maxBytes=10485760&maxMessages=10000";
        return requests.held(Plan.of(
                150,
                100,
                () -> requests.random().nextBoolean()
                        ? requests.getMessages(10 << 20, 0)
                        : requests.get(requests.partitionPath() + query),
                use));
    }

    private static byte[] chunk(String text) {
        return (Integer.toHexString(text.length()) + "\r\n" + text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] closedStreams(HostileRequests requests) {
        Http2 connection = Http2.begin(requests.victim().authority(), 0);
        return requests.getAll(
                connection, STREAMS, () -> requests.partitionPath() + "/messages?maxMessages=10&maxBytes=10000");
    }
}
