// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Creates a topic, uses it, deletes it, and creates it again under the same name, while a client of the deleted topic
 * continues. Nothing of one incarnation may show in another: each has partitions of its own in the history.
 *
 * <p>Confined: its thread, but for what {@link PassingTopic} promises.
 */
final class Turnover implements Runnable, PassingTopic {
    private static final int MOST_CALLS = 80;
    private static final int MOST_VALUES = 3;
    private static final int FORMER_ONE_IN = 8;
    private static final long PACE_MILLIS = 120;

    private final String name;
    private final int partitions;
    private final Diary diary;
    private final Clients clients;
    private final TalosAdmin admin;
    private final Deletions deletions;
    private final Values values;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private final AtomicBoolean unwanted = new AtomicBoolean();
    private final Map<String, String> keys = new HashMap<>(); // by value: of the life that it was put to
    private @Nullable Incarnation former;

    /**
     * The clients of the topic. Immutable.
     *
     * @param means how those of the SDK reach the servers
     * @param sdk makes one for each life
     * @param rest one for each server
     * @param deletedForAll how long a server may continue with a topic that another has deleted
     */
    record Clients(String means, Supplier<TalosClient> sdk, List<RestCalls> rest, Duration deletedForAll) {
        Clients {
            rest = List.copyOf(rest);
        }
    }

    /** One incarnation of the topic. Confined: the turnover's thread. */
    private static final class Incarnation {
        private final TopicDescription topic;
        private final String key;
        private final SdkCaller caller;
        private final long[] next;

        Incarnation(Clients clients, TopicDescription topic) {
            this.topic = topic;
            key = topic.resourceName() + "/";
            caller = new SdkCaller(clients.means(), clients.sdk().get(), topic, key);
            next = new long[topic.partitions()];
        }
    }

    Turnover(
            String name,
            int partitions,
            Diary diary,
            Clients clients,
            Values values,
            SplittableRandom random,
            CountDownLatch end) {
        this.name = name;
        this.partitions = partitions;
        this.diary = diary;
        this.clients = clients;
        this.values = values;
        this.random = random;
        this.end = end;
        admin = new TalosAdmin(clients.sdk().get());
        deletions = new Deletions(diary, admin, clients.means(), clients.deletedForAll(), end);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int partitions() {
        return partitions;
    }

    @Override
    public void delete() {
        unwanted.set(true);
    }

    @Override
    public void run() {
        while (Diary.pause(end, PACE_MILLIS)) {
            Incarnation life = created();
            if (life == null) {
                continue;
            }
            lookAtOffsets(life);
            unwanted.set(false);
            for (int left = random.nextInt(MOST_CALLS);
                    left > 0 && !unwanted.get() && Diary.pause(end, random.nextLong(PACE_MILLIS));
                    left--) {
                Incarnation former = this.former;
                use(former != null && random.nextInt(FORMER_ONE_IN) == 0 ? former : life);
            }
            lookAtOffsets(life);
            if (delete(life)) {
                life.caller.readAnew();
                useDeleted(life);
            }
            closeFormer();
            former = life;
        }
        closeFormer();
    }

    private void closeFormer() {
        Incarnation life = former;
        if (life != null) {
            life.caller.close();
        }
    }

    private void use(Incarnation life) {
        int partition = random.nextInt(partitions);
        if (random.nextBoolean()) {
            send(life, partition);
        } else {
            life.next[partition] = diary.poll(life.caller, life.key, partition, life.next[partition]);
        }
    }

    private void send(Incarnation life, int partition) {
        List<String> sent = Stream.generate(values::next)
                .limit(1 + random.nextInt(MOST_VALUES))
                .toList();
        sent.forEach(value -> keys.put(value, life.key));
        var unused = diary.send(life.caller, life.caller.prepare(partition, sent));
    }

    /** Uses the rest of a topic that was just deleted, by its own name and, on all servers, by its earlier name. */
    private void useDeleted(Incarnation life) {
        int partition = random.nextInt(partitions);
        diary.mark(Kind.ASSIGN, "");
        var unused = diary.read(life.caller, life.key, partition, 0);
        send(life, partition);
        clients.rest().forEach(each -> readByName(each, life, partition));
        diary.mark(Kind.ASSIGN, "");
    }

    /** A server that has not learned of the last lives may answer for one before them: the value tells which. */
    private void readByName(RestCalls server, Incarnation life, int partition) {
        diary.mark(Kind.ASSIGN, "");
        Recorder.Moment start = diary.now();
        Caller caller = new RestCaller(server, life.topic, life.key);
        Answer answer = caller.read(partition, 0);
        List<Entry> entries = answer.entries().stream()
                .map(each ->
                        new Entry(keys.getOrDefault(each.value(), life.key) + partition, each.offset(), each.value()))
                .toList();
        diary.add(diary.done(Kind.POLL, answer.outcome(), start, caller.means())
                .with(entries)
                .at(List.of(Mark.at(life.key + partition, 0)))
                .noting(answer.note()));
    }

    /** A new topic begins at 0, whatever its name was used for before. */
    private void lookAtOffsets(Incarnation life) {
        Recorder.Moment start = diary.now();
        try {
            List<Mark> marks = admin.offsets(life.topic).stream()
                    .map(each -> new Mark(life.key + each.partition(), each.start(), each.endExclusive()))
                    .toList();
            diary.add(
                    diary.done(Kind.OFFSETS, Outcome.OK, start, clients.means()).at(marks));
        } catch (TalosClientException e) {
            diary.add(diary.done(Kind.OFFSETS, Outcome.INFO, start, clients.means())
                    .noting(e.code()));
        }
    }

    /** Creates the topic; null if that fails. A creation without an answer may have happened. */
    private @Nullable Incarnation created() {
        Recorder.Moment start = diary.now();
        TopicDescription topic = createdOrFound();
        if (topic == null) {
            return null;
        }
        Incarnation life = new Incarnation(clients, topic);
        diary.add(diary.done(Kind.CREATE, Outcome.OK, start, clients.means()).at(marks(life, 0)));
        return life;
    }

    private @Nullable TopicDescription createdOrFound() {
        try {
            return admin.createTopic(NewTopic.of(name, partitions));
        } catch (TalosClientException e) {
            return described();
        }
    }

    /** A former life may still be there: a server that did not know of it has said that there is none to delete. */
    private @Nullable TopicDescription described() {
        try {
            TopicDescription topic = admin.describeTopic(name);
            Incarnation life = former;
            if (life != null && life.topic.resourceName().equals(topic.resourceName())) {
                var unused = delete(life);
                return null;
            }
            return topic;
        } catch (TalosClientException e) {
            return null; // the next round tries again
        }
    }

    private static List<Mark> marks(Incarnation life, long to) {
        return IntStream.range(0, life.topic.partitions())
                .mapToObj(partition -> new Mark(life.key + partition, 0, to))
                .toList();
    }

    private boolean delete(Incarnation life) {
        return deletions.delete(name, marks(life, 0).stream().map(Mark::key).toList());
    }
}
