// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.rocketmq;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.rocketmq.client.consumer.DefaultMQPullConsumer;
import org.apache.rocketmq.client.consumer.PullResult;
import org.apache.rocketmq.client.consumer.PullStatus;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.talos.bench.synchronous.SynchronousClient;
import org.talos.bench.synchronous.SynchronousLoad;
import org.talos.bench.synchronous.SynchronousSettings;

/**
 * RocketMQ's client for threads that wait: one producer and one consumer for all, which share its connection. Puts are
 * not compressed, as they are from 4 KiB on by default: these messages cannot be. Gets are those of the client that
 * waits at the end of a queue until something comes; newer ones fetch ahead on threads of their own.
 *
 * <p>Thread-safe.
 */
@SuppressWarnings("deprecation") // the only one of its consumers whose callers wait for one queue
public final class RocketMqPeer implements SynchronousClient {
    static final String TEMPLATE = "TBW102"; // the topic that new ones are made like
    static final String GROUP = "peers";
    private static final int TIMEOUT_MILLIS = 30_000;
    static final int SUSPEND_MILLIS = 2_000;
    static final int MAX_MESSAGES = 32; // the client's default, and the most that a broker gives
    private static final int LOOKS = 300;
    private static final int PAUSE_MILLIS = 100;

    private final DefaultMQProducer producer;
    private final DefaultMQPullConsumer consumer;
    private final List<MessageQueue> queues;

    private RocketMqPeer(DefaultMQProducer producer, DefaultMQPullConsumer consumer, List<MessageQueue> queues) {
        this.producer = producer;
        this.consumer = consumer;
        this.queues = queues;
    }

    /**
     * Makes the topic and runs the load.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments) {
        System.setProperty(
                "user.home", SynchronousSettings.of(List.of(arguments)).folder()); // logs go there
        SynchronousLoad.main(arguments, RocketMqPeer::open);
    }

    /** Makes the topic. */
    static RocketMqPeer open(SynchronousSettings settings) throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer(GROUP);
        producer.setNamesrvAddr(settings.server());
        producer.setCompressMsgBodyOverHowmuch(Integer.MAX_VALUE);
        producer.setSendMsgTimeout(TIMEOUT_MILLIS);
        producer.start();
        List<MessageQueue> queues = queuesOfNewTopic(producer, settings.partitions());
        DefaultMQPullConsumer consumer = new DefaultMQPullConsumer(GROUP);
        consumer.setNamesrvAddr(settings.server());
        consumer.setBrokerSuspendMaxTimeMillis(SUSPEND_MILLIS);
        consumer.start();
        return new RocketMqPeer(producer, consumer, queues);
    }

    /** The name server learns of a broker, and of a new topic, some time after they are there. */
    private static List<MessageQueue> queuesOfNewTopic(DefaultMQProducer producer, int partitions)
            throws IOException, InterruptedException {
        for (int look = 0; look < LOOKS; look++) {
            try {
                producer.createTopic(TEMPLATE, SynchronousSettings.TOPIC, partitions, Map.of());
                List<MessageQueue> queues = producer.fetchPublishMessageQueues(SynchronousSettings.TOPIC);
                if (queues.size() == partitions) {
                    return queues.stream().sorted().toList();
                }
            } catch (MQClientException e) {
                System.err.println("not yet: " + e.getMessage());
            }
            Thread.sleep(PAUSE_MILLIS);
        }
        throw new IOException("the name server knows no topic of " + partitions + " queues");
    }

    /** Returns host and port of the broker. */
    String broker() throws MQClientException {
        var unused = producer.maxOffset(queues.get(0)); // asks the name server for the broker
        return producer.getDefaultMQProducerImpl()
                .getMqClientFactory()
                .findBrokerAddressInPublish(queues.get(0).getBrokerName());
    }

    /** Returns the number of a partition's queue. */
    int queue(int partition) {
        return queues.get(partition).getQueueId();
    }

    @Override
    public Putter putter(int partition) {
        MessageQueue queue = queues.get(partition);
        return message -> {
            SendResult result = producer.send(new Message(SynchronousSettings.TOPIC, message), queue);
            if (result.getSendStatus() != SendStatus.SEND_OK) { // stored, but not as was promised
                throw new IOException("acknowledged with " + result.getSendStatus());
            }
        };
    }

    @Override
    public Getter getter(int partition) {
        return new OneQueue(consumer, queues.get(partition));
    }

    @Override
    public long stored() throws MQClientException {
        long messages = 0;
        for (MessageQueue each : queues) {
            messages += consumer.maxOffset(each);
        }
        return messages;
    }

    @Override
    public void close() {
        consumer.shutdown();
        producer.shutdown();
    }

    /** Reads a queue without a group. Confined: one thread at a time. */
    private static final class OneQueue implements Getter {
        private final DefaultMQPullConsumer consumer;
        private final MessageQueue queue;
        private long next;

        OneQueue(DefaultMQPullConsumer consumer, MessageQueue queue) {
            this.consumer = consumer;
            this.queue = queue;
        }

        @Override
        public int get(Duration within, Consumer<byte[]> messages) throws Exception {
            PullResult result = consumer.pullBlockIfNotFound(queue, "*", next, MAX_MESSAGES);
            if (result.getPullStatus() != PullStatus.FOUND) {
                return 0;
            }
            for (MessageExt each : result.getMsgFoundList()) {
                messages.accept(each.getBody());
            }
            next = result.getNextBeginOffset();
            return result.getMsgFoundList().size();
        }
    }
}
