// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.Checkpoint;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.MessageProcessor;
import org.talos.client.consumer.TalosConsumer;

/**
 * A member of the consumer group by the SDK's consumer, beside those over REST; now and then it leaves and joins again
 * as another member. Each partition assigned to it is recorded as a process of its own, since an earlier assignment of
 * the partition says nothing about a later one.
 *
 * <p>Confined: its thread. The consumer's own threads have diaries of their own.
 */
final class SdkMember implements Runnable {
    private static final int BALANCES_PER_LOCK = 10;
    private static final int RENEWALS_PER_LOCK = 5;
    private static final Duration TOPIC_CHECK = Duration.ofMinutes(1);
    private static final int LEAST_STAY_MILLIS = 5_000;
    private static final int MORE_STAY_MILLIS = 25_000;
    private static final long PAUSE_MILLIS = 500;

    private final Recorder recorder;
    private final String means;
    private final TalosClient client;
    private final String topic;
    private final String group;
    private final String key;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private final ConsumerConfig config;

    /**
     * The topic that a group reads. Immutable.
     *
     * @param key what partitions are called by in the history, without their number
     */
    record Subscription(String topic, String group, String key) {}

    /**
     * @param means how its client reaches the servers
     * @param memberTtl the servers' {@code service.memberTtl}
     */
    SdkMember(
            Recorder recorder,
            String means,
            TalosClient client,
            Subscription subscription,
            SplittableRandom random,
            CountDownLatch end,
            Duration memberTtl) {
        this.recorder = recorder;
        this.means = means;
        this.client = client;
        topic = subscription.topic;
        group = subscription.group;
        key = subscription.key;
        this.random = random;
        this.end = end;
        config = ConsumerConfig.builder()
                .autoCommit(false)
                .balanceInterval(memberTtl.dividedBy(BALANCES_PER_LOCK))
                .renewInterval(memberTtl.dividedBy(RENEWALS_PER_LOCK))
                .lockTtl(memberTtl)
                .topicCheckInterval(TOPIC_CHECK)
                .build();
    }

    @Override
    public void run() {
        while (Diary.pause(end, PAUSE_MILLIS)) {
            stay();
        }
        client.close();
    }

    private void stay() {
        Diary diary = new Diary(recorder);
        try (TalosConsumer consumer = TalosConsumer.builder(client, group)
                .topics(topic)
                .config(config)
                .processors(partition -> new Written(new Diary(recorder), partition.partition()))
                .build()
                .start()) {
            diary.mark(Kind.SUBSCRIBE, consumer.member());
            var unused = Diary.pause(end, LEAST_STAY_MILLIS + random.nextInt(MORE_STAY_MILLIS));
        } catch (TalosClientException e) {
            diary.mark(Kind.SUBSCRIBE, e.code()); // the next round tries again
        }
    }

    /** Records the messages of one partition, and commits all of them. Confined: the consumer's thread for it. */
    private final class Written implements MessageProcessor {
        private final Diary diary;
        private final String partition;

        Written(Diary diary, int partition) {
            this.diary = diary;
            this.partition = key + partition;
        }

        @Override
        public void process(List<FetchedMessage> messages, Checkpoint checkpoint) {
            diary.add(diary.done(Kind.POLL, Outcome.OK, diary.now(), means)
                    .inGroup(group)
                    .with(messages.stream()
                            .map(each -> new Entry(partition, each.offset(), Values.value(each.text())))
                            .toList()));
            FetchedMessage last = messages.get(messages.size() - 1);
            Recorder.Moment start = diary.now();
            Outcome outcome = Outcome.OK;
            String note = "";
            try {
                checkpoint.commit();
            } catch (TalosClientException e) {
                outcome = SdkCaller.failed(e, List.of()).outcome();
                note = e.code();
            }
            diary.add(diary.done(Kind.COMMIT, outcome, start, means)
                    .inGroup(group)
                    .at(List.of(Mark.at(partition, last.offset() + 1)))
                    .noting(note));
        }
    }
}
