// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.message.MessageBlocks;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.search.SearchSource.Asked;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.http.rest.stream.StreamSource.Piece;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The order in which a search backwards gives matches of several partitions, and the memory that they wait in. */
@Timeout(60)
class BackwardWalkTest {
    private static final int LARGE = 100_000;

    private final Map<Integer, CountedLog> logs = new TreeMap<>();
    private final List<String> given = new ArrayList<>(); // each as partition:offset
    private final MemoryBudget budget = new MemoryBudget(64 << 20);

    /** Appends a block whose messages have these texts. */
    private void append(int partition, long time, MessageCompressionType type, String... texts) {
        log(partition).append(block(time, type, texts));
    }

    private CountedLog log(int partition) {
        return logs.computeIfAbsent(partition, CountedLog::new);
    }

    private static MessageBlock block(long time, MessageCompressionType type, String... texts) {
        List<Message> messages = Arrays.stream(texts)
                .map(text -> new Message(ByteBuffer.wrap(text.getBytes(UTF_8))))
                .toList();
        return MessageBlocks.write(messages, type, 1).setAppendTimestamp(time);
    }

    private static Asked asked(String text) {
        BytePattern part = new BytePattern(text.getBytes(UTF_8));
        return asked(Optional.of(part), List.of());
    }

    private static Asked asked(Optional<BytePattern> text, List<SearchCondition> conditions) {
        SearchFilter filter = new SearchFilter(Optional.empty(), Optional.empty(), text, Optional.empty(), conditions);
        return new Asked("orders", filter, Form.AUTO, 100, Long.MAX_VALUE, Duration.ofMinutes(1), 2 * LARGE);
    }

    private BackwardWalk walk(RequestMemory memory, String text, Map<Integer, Long> from) {
        return walk(memory, asked(text), from);
    }

    private BackwardWalk walk(RequestMemory memory, Asked asked, Map<Integer, Long> from) {
        List<Range> ranges = logs.keySet().stream()
                .filter(from::containsKey)
                .map(each -> new Range(new PartitionName("orders", each), 0, from.getOrDefault(each, 0L)))
                .toList();
        return new BackwardWalk(new BlockMessages(), memory, asked, ranges);
    }

    private Map<Integer, Long> ends() {
        Map<Integer, Long> ends = new TreeMap<>();
        logs.forEach((number, log) -> ends.put(number, log.end()));
        return ends;
    }

    /** Reads and searches one slice as the source of a search does; returns the blocks that were skipped. */
    private long step(BackwardWalk walk, RequestMemory memory, long most) {
        Fetch fetch = walk.nextRead();
        Fetched found = log(fetch.partition().number()).read(fetch);
        try (RequestMemory waiting = memory.part()) {
            if (!waiting.tryReserve(found.bytes())) {
                walk.tryFree();
                waiting.reserve(found.bytes());
            }
            SearchWalk.Looked looked = walk.look(found, waiting, most);
            take(looked.lines().with(null));
            return looked.skipped();
        }
    }

    private void take(Piece piece) {
        ByteBuffer target = ByteBuffer.allocate(1 << 20);
        Body body = piece.body();
        while (!body.isDone()) {
            body.fill(target);
        }
        piece.release().run();
        for (String line : new String(target.array(), 0, target.position(), UTF_8).split("\n")) {
            if (!line.isEmpty()) {
                given.add(line.replaceAll("^\\{\"partition\":(\\d+),\"offset\":(\\d+),.*", "$1:$2"));
            }
        }
    }

    private void search(String text) {
        try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                BackwardWalk walk = walk(memory, text, ends())) {
            while (!walk.isDone()) {
                step(walk, memory, Long.MAX_VALUE);
            }
        }
    }

    @Test
    void newestMatchOfAllPartitionsComesFirst() {
        append(0, 10, MessageCompressionType.NONE, "a");
        append(1, 20, MessageCompressionType.GZIP, "a", "b", "a");
        append(0, 30, MessageCompressionType.NONE, "a", "b");
        append(1, 40, MessageCompressionType.NONE, "b");
        append(0, 50, MessageCompressionType.NONE, "b", "a", "b");
        append(2, 35, MessageCompressionType.NONE, "a");

        search("a");

        assertThat(given).containsExactly("0:4", "2:0", "0:1", "1:2", "1:0", "0:0");
    }

    @Test
    void partitionWhoseNewestMatchIsFarBackDoesNotHideNewerOnesOfOthers() {
        append(0, 1, MessageCompressionType.NONE, "a");
        for (int i = 0; i < 2_000; i++) {
            append(0, 1_000 + i, MessageCompressionType.NONE, "b".repeat(1_000));
        }
        append(1, 500, MessageCompressionType.NONE, "a");

        search("a");

        assertThat(given).containsExactly("1:0", "0:0");
    }

    @Test
    void matchesThatAreFoundAndNotGivenAreBeforeThePosition() {
        append(0, 10, MessageCompressionType.NONE, "a", "a", "a");
        append(1, 20, MessageCompressionType.NONE, "a", "b");
        append(2, 5, MessageCompressionType.NONE, "b");
        String position = "0:3,1:2,2:1";
        while (!position.isEmpty()) {
            Map<Integer, Long> from = new TreeMap<>();
            for (String each : position.split(",")) {
                int colon = each.indexOf(':');
                from.put(Integer.valueOf(each.substring(0, colon)), Long.valueOf(each.substring(colon + 1)));
            }
            try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                    BackwardWalk walk = walk(memory, "a", from)) {
                int size = given.size();
                while (!walk.isDone() && given.size() == size) {
                    step(walk, memory, 1);
                }
                position = walk.isDone() ? "" : walk.position();
            }
        }

        assertThat(given).containsExactly("1:0", "0:2", "0:1", "0:0");
    }

    @Test
    void matchesThatWaitAreGivenOnceABoundEndsTheSearch() {
        append(0, 10, MessageCompressionType.NONE, "b", "a");
        append(1, 20, MessageCompressionType.NONE, "b", "a");
        append(1, 30, MessageCompressionType.NONE, "b", "b");
        try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                BackwardWalk walk = walk(memory, "a", ends())) {
            step(walk, memory, 100);
            assertThat(given).isEmpty();

            take(walk.takeRest(100).with(null));

            assertThat(given).containsExactly("0:1");
            assertThat(walk.position()).isEqualTo("1:4");
        }
    }

    @Test
    void unreadableBlockIsSkippedAndThoseBeforeAndBehindItAreSearched() {
        MessageBlock broken = block(20, MessageCompressionType.GZIP, "a", "a");
        byte[] bytes = broken.getMessageBlock();
        Arrays.fill(bytes, 10, bytes.length - 8, (byte) -1);
        append(0, 10, MessageCompressionType.NONE, "a");
        log(0).append(broken.setMessageBlock(ByteBuffer.wrap(bytes)));
        append(0, 30, MessageCompressionType.NONE, "a");
        long skipped = 0;

        try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                BackwardWalk walk = walk(memory, "a", ends())) {
            while (!walk.isDone()) {
                skipped += step(walk, memory, 100);
            }
        }

        assertThat(given).containsExactly("0:3", "0:0");
        assertThat(skipped).isEqualTo(1);
    }

    @Test
    void emptyPartitionEndsAtOnce() {
        append(0, 10, MessageCompressionType.NONE, "a");
        log(1);

        search("a");

        assertThat(given).containsExactly("0:0");
        assertThat(log(1).reads()).isZero();
    }

    @Test
    void littleMoreIsReadThanTheNewestMatchesThatAreAskedFor() {
        for (int i = 0; i < 10_000; i++) {
            append(0, i, MessageCompressionType.NONE, "a".repeat(100));
        }

        try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                BackwardWalk walk = walk(memory, "a", ends())) {
            while (given.size() < 50) {
                step(walk, memory, 50L - given.size());
            }
        }

        assertThat(given).hasSize(50).startsWith("0:9999", "0:9998");
        assertThat(log(0).reads()).isEqualTo(3);
        assertThat(log(0).readBytes()).isLessThan(log(0).storedBytes() / 100);
    }

    @Test
    void manyMatchesOfManyPartitionsAreReadTwiceAtMost() {
        for (int i = 0; i < 1_000; i++) {
            for (int partition = 0; partition < 16; partition++) {
                append(partition, i, MessageCompressionType.NONE, "a".repeat(200));
            }
        }

        search("a");

        assertThat(given).hasSize(16_000).doesNotHaveDuplicates();
        assertThat(logs.values())
                .allSatisfy(log -> assertThat(log.readBytes()).isLessThanOrEqualTo(2 * log.storedBytes()));
    }

    @Test
    void expensiveExpressionEndsASliceAndTheRestIsSearchedByFurtherReads() {
        String[] texts = new String[8];
        Arrays.fill(texts, "x".repeat(LARGE));
        append(0, 10, MessageCompressionType.GZIP, texts);
        String expression = "(x|y)*".repeat(40) + "z";
        List<SearchCondition> conditions = ConditionParser.parse(
                "[{\"field\": \"value\", \"is\": \"matches\", \"text\": \"" + expression + "\"}]");
        int reads = 0;

        try (RequestMemory memory = new RequestMemory(budget.of("ann"));
                BackwardWalk walk = walk(memory, asked(Optional.empty(), conditions), ends())) {
            while (!walk.isDone()) {
                step(walk, memory, 100);
                reads++;
            }
        }

        assertThat(given).isEmpty();
        assertThat(reads).isGreaterThan(1);
    }

    @Test
    void matchesThatWaitGiveTheirMemoryBackWhenTheWalkIsClosed() {
        append(0, 10, MessageCompressionType.NONE, "a".repeat(LARGE));
        append(1, 20, MessageCompressionType.NONE, "a".repeat(LARGE));
        RequestMemory memory = new RequestMemory(budget.of("ann"));
        BackwardWalk walk = walk(memory, "a", ends());
        step(walk, memory, 100);
        assertThat(given).isEmpty();
        assertThat(budget.used()).isGreaterThan(LARGE);

        walk.close();

        assertThat(budget.used()).isZero();
    }

    /** Returns whether a search with this memory gives all matches. */
    private boolean isEnough(long bytes) {
        MemoryBudget small = new MemoryBudget(bytes);
        given.clear();
        try (RequestMemory memory = new RequestMemory(small.of("ann"));
                BackwardWalk walk = walk(memory, "a", ends())) {
            while (!walk.isDone()) {
                step(walk, memory, 100);
            }
            return given.size()
                    == logs.values().stream().mapToLong(CountedLog::end).sum();
        } catch (RequestMemory.ExhaustedException e) {
            return false;
        } finally {
            assertThat(small.used()).isZero();
        }
    }

    private long leastMemory() {
        long bytes = LARGE;
        while (!isEnough(bytes)) {
            bytes += LARGE / 10;
        }
        return bytes;
    }

    @Test
    void manyPartitionsNeedNoMoreMemoryThanOne() {
        append(0, 100, MessageCompressionType.NONE, "a".repeat(LARGE));
        append(0, 200, MessageCompressionType.NONE, "a".repeat(LARGE));
        long ofOne = leastMemory();
        for (int i = 1; i < 5; i++) {
            append(i, 100 + i, MessageCompressionType.NONE, "a".repeat(LARGE));
            append(i, 200 + i, MessageCompressionType.NONE, "a".repeat(LARGE));
        }

        assertThat(isEnough(ofOne + LARGE / 10)).isTrue();

        assertThat(given).containsExactly("4:1", "3:1", "2:1", "1:1", "0:1", "4:0", "3:0", "2:0", "1:0", "0:0");
    }
}
