// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.talos.cli.Progress;
import org.talos.cli.message.HeapShare;
import org.talos.cli.message.MessagePrinter;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.FetchedMessage;
import org.talos.client.consumer.SimpleConsumer;

/**
 * Finds the newest messages of several partitions that a printer does not skip, by the time at which the server took
 * them in. Reads pieces from the end backwards, and each piece forwards, because a server returns messages only in this
 * order. Ends as soon as no unread message can be newer than the found ones.
 *
 * <p>Confined: the main thread.
 */
final class NewestMessages {
    /** The first piece of a partition that is filtered: the messages of one request. */
    private static final int FIRST_PIECE = 1_000;

    /** Each piece is twice the one before, up to this: no more than a piece is read beyond the last message wanted. */
    private static final int MOST_PIECE = 16_000;

    private static final String EXPIRED = "MESSAGE_OFFSET_OUT_OF_RANGE";

    private static final Comparator<FetchedMessage> BY_TIME = Comparator.comparing(FetchedMessage::appended)
            .thenComparingInt(FetchedMessage::partition)
            .thenComparingLong(FetchedMessage::offset);

    private static final Comparator<FetchedMessage> BY_OFFSET =
            Comparator.comparingInt(FetchedMessage::partition).thenComparingLong(FetchedMessage::offset);

    private final Cursors cursors;
    private final MessagePrinter printer;
    private final Progress progress;
    private final PriorityQueue<FetchedMessage> kept = new PriorityQueue<>(BY_TIME);
    private int most;
    private boolean isCut; // fewer are kept, because this program lacks the memory for more
    private long bytes;

    /** The offsets of a partition that are searched: from one up to another, which is not. Immutable. */
    record Range(int partition, long from, long to) {}

    /** The progress of one partition. Confined: as the search. */
    private static final class Part {
        private final Range range;
        private long from;
        private long before; // all messages from here on are read
        private int piece;
        private Instant newest = Instant.MAX; // nothing before is newer, by the server's clock

        Part(Range range, int piece) {
            this.range = range;
            this.piece = piece;
            from = range.from();
            before = range.to();
        }

        boolean isRead() {
            return before <= from;
        }
    }

    /**
     * Creates a search that is made once.
     *
     * @param most messages to find
     * @param progress counts the messages that are read
     */
    NewestMessages(Cursors cursors, MessagePrinter printer, int most, Progress progress) {
        this.cursors = cursors;
        this.printer = printer;
        this.most = most;
        this.progress = progress;
    }

    /** Returns the messages in the order of their partitions and offsets. */
    List<FetchedMessage> find(List<Range> ranges) throws TalosClientException {
        int piece = printer.isFiltering() ? Math.max(most, FIRST_PIECE) : most;
        List<Part> open = new ArrayList<>();
        for (Range each : ranges) {
            if (each.from() < each.to()) {
                open.add(new Part(each, piece));
            }
        }
        while (!open.isEmpty()) {
            Part next = Collections.max(open, Comparator.comparing((Part each) -> each.newest));
            if (kept.size() >= most && !kept.element().appended().isBefore(next.newest)) {
                break;
            }
            readPiece(next);
            open.removeIf(Part::isRead);
        }
        return kept.stream().sorted(BY_OFFSET).toList();
    }

    private void readPiece(Part part) throws TalosClientException {
        long begin = Math.max(part.from, part.before - part.piece);
        try {
            read(part, begin);
        } catch (TalosClientException e) {
            if (!e.code().equals(EXPIRED)) {
                throw e;
            }
            read(part, SimpleConsumer.EARLIEST); // meanwhile, retention has deleted the beginning of the piece
            part.from = begin;
        }
        part.before = begin;
        part.piece = Math.min(MOST_PIECE, 2 * part.piece);
    }

    private void read(Part part, long begin) throws TalosClientException {
        PartitionCursor cursor = cursors.of(part.range.partition(), begin, part.before);
        while (!cursor.atEnd()) {
            List<FetchedMessage> messages = cursor.read(Long.MAX_VALUE);
            if (messages.isEmpty()) {
                return; // no message is at the rest of the offsets
            }
            messages.forEach(each -> keep(part, each));
            progress.add(messages.size());
        }
    }

    private void keep(Part part, FetchedMessage message) {
        if (message.appended().isBefore(part.newest)) {
            part.newest = message.appended();
        }
        if (!printer.isWanted(message)) {
            return;
        }
        kept.add(message);
        bytes += message.body().length;
        while (bytes > HeapShare.eighth() && kept.size() > 1) {
            drop();
            most = Math.min(most, kept.size()); // older messages are not needed any more
            isCut = true;
        }
        while (kept.size() > most) {
            drop();
        }
    }

    /** Returns whether this program has no memory for all messages that were asked for. */
    boolean isCut() {
        return isCut;
    }

    private void drop() {
        bytes -= kept.remove().body().length;
    }
}
