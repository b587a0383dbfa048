// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;

/**
 * Creates a topic, uses it, deletes it, and creates it again under the same name, while a client of the deleted topic
 * goes on. Nothing of one incarnation may show in another: each has partitions of its own in the history.
 *
 * <p>Confined: its thread.
 */
final class Turnover implements Runnable {
    private static final String NAME = "again";
    private static final int RETENTION_SECONDS = 86_400;
    private static final int MOST_CALLS = 80;
    private static final int FORMER_ONE_IN = 8;
    private static final long PACE_MILLIS = 120;
    private static final long PAUSE_MILLIS = 500;

    private final Diary diary;
    private final TalosClient client;
    private final TalosAdmin admin;
    private final Values values;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private @Nullable Incarnation former;

    /** One incarnation of the topic. Confined: the turnover's thread. */
    private static final class Incarnation {
        private final TopicDescription topic;
        private final String key;
        private final Caller caller;
        private long next;

        Incarnation(TalosClient client, TopicDescription topic) {
            this.topic = topic;
            key = topic.resourceName() + "/";
            caller = new ThriftCaller(client, topic, key);
        }
    }

    Turnover(Diary diary, TalosClient client, Values values, SplittableRandom random, CountDownLatch end) {
        this.diary = diary;
        this.client = client;
        this.values = values;
        this.random = random;
        this.end = end;
        admin = new TalosAdmin(client);
    }

    @Override
    public void run() {
        while (Diary.pause(end, PACE_MILLIS)) {
            TopicDescription topic = created();
            if (topic == null) {
                continue;
            }
            Incarnation life = new Incarnation(client, topic);
            for (int left = random.nextInt(MOST_CALLS);
                    left > 0 && Diary.pause(end, random.nextLong(PACE_MILLIS));
                    left--) {
                Incarnation former = this.former;
                use(former != null && random.nextInt(FORMER_ONE_IN) == 0 ? former : life);
            }
            delete(life);
            former = life;
        }
    }

    private void use(Incarnation life) {
        if (random.nextBoolean()) {
            var unused = diary.send(life.caller, life.caller.prepare(0, List.of(values.next())));
        } else {
            life.next = diary.poll(life.caller, life.key, 0, life.next);
        }
    }

    /** Creates the topic; null if that fails. A creation without an answer may have happened. */
    private @Nullable TopicDescription created() {
        try {
            return admin.createTopic(NAME, 1, RETENTION_SECONDS);
        } catch (TalosClientException e) {
            return described();
        }
    }

    private @Nullable TopicDescription described() {
        try {
            TopicDescription topic = admin.describeTopic(NAME);
            Incarnation life = former;
            return life != null && life.topic.resourceName().equals(topic.resourceName()) ? null : topic;
        } catch (TalosClientException e) {
            return null; // the next round tries again
        }
    }

    /** Deletes the topic, repeating until it is gone; from the first attempt on its content is unknown. */
    private void delete(Incarnation life) {
        List<Mark> marks = List.of(Mark.at(life.key + 0, 0));
        diary.add(diary.done(Kind.DELETE, Outcome.INFO, diary.now(), "thrift").at(marks));
        boolean gone = false;
        while (!gone) {
            try {
                admin.deleteTopic(NAME);
                gone = true;
            } catch (TalosClientException e) {
                gone = e.code().equals("TOPIC_NOT_EXIST") || !Diary.pause(end, PAUSE_MILLIS);
            }
        }
    }
}
