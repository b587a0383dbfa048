// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.talos.cli.CommandException;
import org.talos.cli.message.MessagePrinter;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.UnreadableBlockException;
import org.talos.client.admin.GroupAdmin;
import org.talos.client.admin.GroupDescription;
import org.talos.client.consumer.ConsumerConfig;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.StartPosition;
import org.talos.client.consumer.TalosConsumer;

/**
 * Prints a consumer group's unread messages, as one of its members, and commits them.
 *
 * <p>Invariant: every committed message has been printed and written, or was skipped by the filter. The next member
 * reads messages again that were printed and not committed, because the command was killed or lost the partition.
 *
 * <p>Confined: the main thread.
 */
final class GroupReader {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int MOST_IDLE_POLLS = 10;
    private static final Duration LEAVING = Duration.ofSeconds(5);
    private static final String LOCK_LOST = "LOCK_LOST";

    private final TalosClient client;
    private final String topic;
    private final String group;
    private final MessagePrinter printer;
    private final PrintWriter err;
    private final PartitionCursor.Unreadable unreadable;
    private volatile @Nullable UnreadableBlockException stuck; // set by threads that fetch
    private volatile boolean isLeaving; // because of Ctrl-C

    /** Creates a member that has not joined. */
    GroupReader(
            TalosClient client,
            String topic,
            String group,
            MessagePrinter printer,
            PrintWriter err,
            PartitionCursor.Unreadable unreadable) {
        this.client = client;
        this.topic = topic;
        this.group = group;
        this.printer = printer;
        this.err = err;
        this.unreadable = unreadable;
    }

    /**
     * Joins the group, prints, and leaves. To be called once.
     *
     * @param start where to begin in partitions in which the group has committed nothing
     * @param most messages to print
     * @param follow whether to continue after the present messages
     */
    void read(StartPosition start, long most, boolean follow)
            throws TalosClientException, CommandException, IOException {
        PollingConsumer member = TalosConsumer.builder(client, group)
                .topics(topic)
                .config(config(start))
                .buildPolling();
        Thread leaving = Executors.defaultThreadFactory().newThread(() -> {
            isLeaving = true;
            member.close(); // so that the others need not wait until its locks expire
        });
        Runtime.getRuntime().addShutdownHook(leaving);
        try (member) {
            member.start();
            read(member, most, follow);
        } catch (TalosClientException e) {
            if (!isLeaving) {
                throw e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } finally {
            forget(leaving);
        }
    }

    private void forget(Thread leaving) {
        try {
            var unused = Runtime.getRuntime().removeShutdownHook(leaving);
        } catch (IllegalStateException e) {
            isLeaving = true; // the JVM is already ending
        }
    }

    private ConsumerConfig config(StartPosition start) {
        return ConsumerConfig.builder()
                .start(start)
                .autoCommit(false)
                .closeTimeout(LEAVING)
                .skipUnreadable(this::isLeftOut)
                .build();
    }

    private boolean isLeftOut(UnreadableBlockException block) {
        try {
            unreadable.found(block);
            return true;
        } catch (UnreadableBlockException e) {
            stuck = e;
            return false;
        }
    }

    private void read(PollingConsumer member, long most, boolean follow)
            throws TalosClientException, IOException, InterruptedException {
        Map<Integer, Long> ends = unread(); // also reports at once that the user may not read the group
        long left = most;
        int idle = 0;
        boolean isOver = false;
        while (left > 0 && !isOver) {
            List<FetchedMessage> messages = member.poll(POLL);
            left -= print(member, messages, left);
            UnreadableBlockException block = stuck;
            if (block != null) {
                throw block;
            }
            idle = messages.isEmpty() ? idle + 1 : 0;
            isOver = !follow && idle > 0 && (idle == MOST_IDLE_POLLS || isRead(ends));
        }
    }

    /** One past the newest message of each partition of which the group has not read all. */
    private Map<Integer, Long> unread() throws TalosClientException {
        Map<Integer, Long> ends = new HashMap<>();
        for (GroupDescription.Partition each : described()) {
            if (each.lag().orElse(0) > 0) {
                ends.put(each.partition(), each.end().orElse(0));
            }
        }
        return ends;
    }

    /** Returns whether the group, by this member or another, has read up to these ends. */
    private boolean isRead(Map<Integer, Long> ends) throws TalosClientException {
        return described().stream()
                .allMatch(each -> each.committed().orElse(0) >= ends.getOrDefault(each.partition(), 0L));
    }

    private List<GroupDescription.Partition> described() throws TalosClientException {
        return new GroupAdmin(client).describe(topic, group).partitions();
    }

    /** Prints messages and commits them; returns the number of printed ones, at most this many. */
    private long print(PollingConsumer member, List<FetchedMessage> messages, long most)
            throws TalosClientException, IOException {
        Map<Integer, FetchedMessage> last = new TreeMap<>();
        long printed = 0;
        for (FetchedMessage each : messages) {
            if (printed == most) {
                break;
            }
            printed += printer.print(each) ? 1 : 0;
            last.put(each.partition(), each);
        }
        printer.flush();
        for (FetchedMessage each : last.values()) {
            commit(member, each);
        }
        return printed;
    }

    private void commit(PollingConsumer member, FetchedMessage last) throws TalosClientException {
        try {
            member.commit(last);
        } catch (TalosClientException e) {
            if (!e.code().equals(LOCK_LOST)) {
                throw e;
            }
            err.println("talos: partition " + last.partition() + " went to another member before its messages up to "
                    + last.offset() + " were committed: they are read again");
        }
    }
}
