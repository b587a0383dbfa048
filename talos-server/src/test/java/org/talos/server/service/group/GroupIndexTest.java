// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.service.ControlFixture.assertRefused;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.GroupRecord;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.Failures;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.service.group.GroupIndex.Snapshot;
import org.talos.server.simulation.MemoryRows;
import org.talos.thrift.ErrorCode;

class GroupIndexTest {
    private static final long NO_DEADLINE = Duration.ofDays(1).toNanos();

    @AutoClose
    private final TimerWheel timers = TimerWheel.started(SystemTime.ticker());

    private final Queue<Runnable> workers = new ArrayDeque<>();
    private final MemoryRows rows = new MemoryRows();
    private Groups groups;
    private TopicDirectory directory;
    private TopicRecord topic;
    private GroupIndex index;
    private long nanos;
    private Duration perCall = Duration.ZERO; // of the store
    private int calls; // likewise
    private boolean fails; // likewise
    private boolean refuses; // the pool

    @BeforeEach
    void open() throws Exception {
        MetadataStore store = rows.view(new MemoryRows.Faults() {
            @Override
            public void before(Runnable write) throws MetadataException {
                calls++;
                nanos += perCall.toNanos();
                if (fails) {
                    throw new MetadataException(MetadataException.Reason.UNAVAILABLE, Effect.NONE, "away");
                }
            }
        });
        groups = new Groups(store);
        directory = TopicDirectory.load(new Topics(store));
        topic = new TopicRecord(
                "orders",
                "0123456789abcdef0123456789abcdef",
                "alice",
                2,
                2,
                86_400,
                Map.of(),
                Map.of(),
                1_700_000_000_000L,
                0,
                null,
                null,
                List.of());
        assertThat(directory.create(topic)).isTrue();
        own("shop");
        index = new GroupIndex(
                directory,
                new GroupIndex.Tables(groups, new Offsets(store)),
                (deadline, reading) -> run(reading),
                timers,
                () -> nanos,
                1 << 20);
        calls = 0;
    }

    private void own(String group) throws MetadataException {
        GroupRecord row = new GroupRecord("alice", Map.of(), Map.of(), Map.of());
        assertThat(groups.save(topic.topicId(), group, row, 0)).isPresent();
    }

    private CompletionStage<Snapshot> run(Callable<Snapshot> reading) {
        if (refuses) {
            return CompletableFuture.failedFuture(
                    TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests wait"));
        }
        CompletableFuture<Snapshot> result = new CompletableFuture<>();
        workers.add(() -> {
            try {
                result.complete(reading.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private CompletableFuture<Snapshot> all() {
        return index.all(NO_DEADLINE + SystemTime.ticker().nanos()).toCompletableFuture();
    }

    /** Returns the groups of all topics, which workers read if that is due. */
    private Snapshot read() throws Exception {
        CompletableFuture<Snapshot> all = all();
        for (Runnable each = workers.poll(); each != null; each = workers.poll()) {
            each.run();
        }
        return all.get(10, TimeUnit.SECONDS);
    }

    private static List<String> names(Snapshot read) {
        return read.topics().stream()
                .flatMap(each -> each.groups().stream())
                .map(GroupIndex.Entry::group)
                .sorted()
                .toList();
    }

    @Test
    void callersWaitForOneReadingWithoutAThread() throws Exception {
        CompletableFuture<Snapshot> one = all();
        CompletableFuture<Snapshot> other = all();

        assertThat(workers).hasSize(1);
        assertThat(one).isNotDone();
        assertThat(other).isNotDone();

        assertThat(names(read())).containsExactly("shop");
        assertThat(one.get(10, TimeUnit.SECONDS)).isSameAs(other.get(10, TimeUnit.SECONDS));
    }

    @Test
    void rowsAreReadForATwentiethOfTheTimeAtMost() throws Exception {
        perCall = Duration.ofSeconds(1);
        read();
        int reading = calls; // and so many seconds
        own("late");
        index.remove(topic, "shop"); // nor does a deletion make it sooner
        calls = 0;

        nanos += Duration.ofSeconds(20L * reading - 3).toNanos();
        assertThat(names(read())).containsExactly("shop");
        assertThat(calls).isZero();

        nanos += Duration.ofSeconds(3).toNanos();
        assertThat(names(read())).containsExactly("late", "shop");
        assertThat(calls).isEqualTo(reading);
    }

    @Test
    void failureIsSharedAndTheNextReadingComesSoon() throws Exception {
        fails = true;
        assertThatThrownBy(this::read).hasRootCauseInstanceOf(MetadataException.class);
        fails = false;
        int failed = calls;

        assertThatThrownBy(this::read).hasRootCauseInstanceOf(MetadataException.class);
        assertThat(calls).isEqualTo(failed);
        nanos += Duration.ofSeconds(1).toNanos();
        assertThat(names(read())).containsExactly("shop");
    }

    @Test
    void refusalByThePoolIsNotKept() throws Exception {
        refuses = true;
        assertThatThrownBy(this::read).isInstanceOf(ExecutionException.class);
        refuses = false;

        assertThat(names(read())).containsExactly("shop");
    }

    @Test
    void callerWaitsNoLongerThanItsDeadline() {
        CompletableFuture<Snapshot> late =
                index.all(SystemTime.ticker().nanos()).toCompletableFuture();

        assertRefused(ErrorCode.REQUEST_PROCESS_TIMEOUT, () -> {
            try {
                late.get(10, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw Failures.of(e);
            }
        });
        assertThat(all()).isNotDone();
    }

    @Test
    void deletedGroupIsLeftOutUntilAReadingThatBeganLater() throws Exception {
        GroupIndex.Entry shop = read().topics().get(0).groups().iterator().next();
        assertThat(index.isRemoved(topic, shop)).isFalse();
        nanos += Duration.ofSeconds(1).toNanos();
        CompletableFuture<Snapshot> begun = all();

        index.remove(topic, "shop");
        assertThat(index.isRemoved(topic, shop)).isTrue();

        read();
        assertThat(begun).isDone();
        assertThat(index.isRemoved(topic, shop)).isFalse(); // the reading began after it: it has what is stored
    }
}
