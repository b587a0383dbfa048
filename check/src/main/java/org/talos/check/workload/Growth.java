// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicChange;
import org.talos.client.admin.TopicDescription;

/**
 * Creates a topic that gets one partition after another while two clients put to it and two members of a group that
 * begins at latest read it. A new partition is put to at once. When the group has been given everything that is due to
 * it, the topic is deleted, and all begins again with another topic and another group.
 *
 * <p>Confined: its thread, but for the other clients' own.
 */
final class Growth implements Runnable {
    private static final String NAME = "growing-";
    private static final String GROUP = "late-";
    private static final int FIRST_PARTITIONS = 2;
    private static final int MOST_PARTITIONS = 12;
    private static final int MEMBERS = 2;
    private static final int EARLY_PUTS = 4;
    private static final int MOST_CALLS = 300;
    private static final int GROW_ONE_IN = 15;
    private static final int WATCH_ONE_IN = 10;
    private static final int MOST_VALUES = 3;
    private static final int MOST_TRIES = 10;
    private static final long PACE_MILLIS = 120;
    private static final long PAUSE_MILLIS = 200;
    private static final long ENDED_SECONDS = 60;

    private final Recorder recorder;
    private final Diary diary;
    private final Clients clients;
    private final TalosAdmin admin;
    private final Deletions deletions;
    private final Values values;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private int lives;
    private @Nullable Life unfinished;

    /**
     * The clients of the topics. Immutable.
     *
     * @param means how those of the SDK reach the servers
     * @param sdk makes a client of the SDK
     * @param rest makes a client over REST that begins with that server
     * @param threads run the clients that are there at the same time
     * @param lease of the members
     * @param deletedForAll how long a server may continue with a topic that another server has deleted
     */
    record Clients(
            String means,
            Supplier<TalosClient> sdk,
            IntFunction<RestCalls> rest,
            ExecutorService threads,
            Duration lease,
            Duration deletedForAll) {}

    /** A topic and its group. Thread-safe. */
    private static final class Life {
        private final TopicDescription topic; // as it was created
        private final Member.Group group;
        private final CountDownLatch over = new CountDownLatch(1);
        private volatile int partitions; // those that are known to exist

        Life(TopicDescription topic, String group) {
            this.topic = topic;
            this.group = new Member.Group(topic.name(), group, topic.resourceName() + "/", Member.Group.LATEST);
            partitions = topic.partitions();
        }

        private String key() {
            return group.key();
        }

        private List<Mark> marks() {
            return IntStream.range(0, partitions)
                    .mapToObj(partition -> Mark.at(key() + partition, 0))
                    .toList();
        }

        private TopicDescription now() {
            return new TopicDescription(
                    topic.name(),
                    topic.resourceName(),
                    topic.owner(),
                    partitions,
                    topic.retention(),
                    topic.attributes());
        }
    }

    Growth(Recorder recorder, Clients clients, Values values, SplittableRandom random, CountDownLatch end) {
        this.recorder = recorder;
        this.clients = clients;
        this.values = values;
        this.random = random;
        this.end = end;
        diary = new Diary(recorder);
        admin = new TalosAdmin(clients.sdk().get());
        deletions = new Deletions(diary, admin, clients.means(), clients.deletedForAll(), end);
    }

    @Override
    public void run() {
        while (Diary.pause(end, PACE_MILLIS)) {
            Life life = created();
            if (life == null) {
                continue;
            }
            use(life);
            Ending ending = Ending.during(recorder, life.key(), life.partitions, end);
            if (end.getCount() == 0 || !isReadToTheEnd(life, ending)) {
                unfinished = life;
                return;
            }
            var unused = deletions.delete(
                    life.topic.name(), life.marks().stream().map(Mark::key).toList());
        }
    }

    /** Creates the next topic; null if that fails. A creation without an answer may have happened. */
    private @Nullable Life created() {
        Recorder.Moment start = diary.now();
        TopicDescription topic = createdOrFound(NAME + lives);
        if (topic == null) {
            return null;
        }
        Life life = new Life(topic, GROUP + lives);
        lives++;
        diary.add(diary.done(Kind.CREATE, Outcome.OK, start, clients.means()).at(life.marks()));
        return life;
    }

    private @Nullable TopicDescription createdOrFound(String name) {
        try {
            return admin.createTopic(NewTopic.of(name, FIRST_PARTITIONS));
        } catch (TalosClientException e) {
            try {
                return admin.describeTopic(name);
            } catch (TalosClientException unknown) {
                return null; // the next round tries again
            }
        }
    }

    private void use(Life life) {
        SdkCaller caller = caller(life);
        for (int left = EARLY_PUTS; left > 0; left--) {
            put(life, diary, caller, random.nextInt(life.partitions), random);
        }
        diary.add(diary.done(Kind.LATEST, Outcome.OK, diary.now(), "")
                .inGroup(life.group.name())
                .at(life.marks()));
        List<Future<?>> others = others(life);
        Watcher watcher = watcher(life);
        for (int left = MOST_CALLS; left > 0 && Diary.pause(end, random.nextLong(PACE_MILLIS)); left--) {
            if (random.nextInt(GROW_ONE_IN) == 0 && life.partitions < MOST_PARTITIONS && grown(life)) {
                caller.close();
                caller = caller(life);
                put(life, diary, caller, life.partitions - 1, random);
            } else if (random.nextInt(WATCH_ONE_IN) == 0) {
                watcher.poll();
            } else {
                put(life, diary, caller, random.nextInt(life.partitions), random);
            }
        }
        caller.close();
        life.over.countDown();
        others.forEach(Growth::await);
    }

    private List<Future<?>> others(Life life) {
        List<Future<?>> others = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            others.add(clients.threads().submit(member(life, new Diary(recorder), i)));
        }
        Diary own = new Diary(recorder);
        SplittableRandom dice = random.split();
        others.add(clients.threads().submit(() -> {
            Caller caller = RestCaller.byPartition(clients.rest().apply(1), life.topic.name(), life.key());
            while (Diary.pause(life.over, dice.nextLong(PACE_MILLIS))) {
                put(life, own, caller, dice.nextInt(life.partitions), dice);
            }
        }));
        return others;
    }

    private static void await(Future<?> client) {
        try {
            var unused = client.get(ENDED_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a client of a growing topic did not end as it should: " + e, e);
        }
    }

    private SdkCaller caller(Life life) {
        return new SdkCaller(clients.means(), clients.sdk().get(), life.now(), life.key());
    }

    private Member member(Life life, Diary own, int first) {
        return new Member(
                own, () -> clients.rest().apply(first), life.group, random.split(), life.over, clients.lease());
    }

    private Watcher watcher(Life life) {
        return new Watcher(
                new Diary(recorder), clients.rest().apply(0), life.topic.name(), life.group.name(), life.key(), end);
    }

    /** Puts values together, repeated until they are stored: a new partition may not be served yet. */
    private void put(Life life, Diary own, Caller caller, int partition, SplittableRandom dice) {
        Caller.Put put = caller.prepare(
                partition,
                Stream.generate(values::next)
                        .limit(1 + dice.nextInt(MOST_VALUES))
                        .toList());
        Answer answer = own.send(caller, put);
        for (int left = MOST_TRIES; !answer.isOk() && left > 0 && Diary.pause(life.over, PAUSE_MILLIS); left--) {
            answer = own.send(caller, put);
        }
    }

    /** Adds a partition; false if that fails. A change without an answer may have happened. */
    private boolean grown(Life life) {
        int wanted = life.partitions + 1;
        Recorder.Moment start = diary.now();
        try {
            admin.alterTopic(life.topic.name(), TopicChange.NONE.withPartitions(wanted));
        } catch (TalosClientException e) {
            if (!has(life.topic.name(), wanted)) {
                return false;
            }
        }
        diary.add(diary.done(Kind.CREATE, Outcome.OK, start, clients.means())
                .at(List.of(Mark.at(life.key() + (wanted - 1), 0))));
        life.partitions = wanted;
        return true;
    }

    private boolean has(String topic, int wanted) {
        try {
            return admin.describeTopic(topic).partitions() >= wanted;
        } catch (TalosClientException e) {
            return false;
        }
    }

    /** Reads the topic to its end, and the group. */
    private boolean isReadToTheEnd(Life life, Ending ending) {
        SdkCaller caller = caller(life);
        Member reader = member(life, new Diary(recorder), 0);
        boolean isPut = ending.put(new Diary(recorder), caller, values);
        boolean isRead = ending.read(new Diary(recorder), caller);
        boolean isGiven = ending.read(new Diary(recorder), reader, life.group);
        reader.leave();
        caller.close();
        return isPut && isRead && isGiven;
    }

    /** Reads the topic to its end that the end of the run has left. */
    void finish(long seconds) {
        Life life = unfinished;
        if (life != null) {
            var unused = isReadToTheEnd(life, new Ending(recorder, life.key(), life.partitions, seconds));
            watcher(life).poll();
        }
    }
}
