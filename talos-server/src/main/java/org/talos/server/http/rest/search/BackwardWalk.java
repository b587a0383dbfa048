// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.BlockMessages.Reading;
import org.talos.server.http.rest.search.SearchSource.Asked;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Searches from the newest message to the oldest, and gives the newest match of all partitions first, by the times at
 * which servers appended them.
 *
 * <p>The partition that may have the newest further match is read next. A match waits until no partition may have a
 * newer one. While a partition has matches that wait, it is not read, so it holds those of one slice at most, and all
 * partitions together hold the lines of one piece, beside one match each. Where memory ends before, they are dropped,
 * and found again.
 *
 * <p>Confined: one call after another. {@link #close} is thread-safe.
 */
final class BackwardWalk implements SearchWalk {
    /** Objects of a match that waits, beside its line: a line may be short. */
    private static final int MATCH_BYTES = 400;

    private final BlockMessages blocks;
    private final RequestMemory memory;
    private final Asked asked;
    private final List<Branch> open = new ArrayList<>();
    private final Set<SearchLines> held = ConcurrentHashMap.newKeySet(); // of matches that wait
    private volatile boolean closed;

    /** A match that waits. Immutable, but for its line. */
    private record Match(long offset, long time, SearchLines line) {}

    /** The search of one partition. Confined: as the walk. */
    private static final class Branch {
        private final BackwardCursor cursor;
        private final Deque<Match> found = new ArrayDeque<>(); // the newest first
        private long newest = Long.MAX_VALUE; // no message before the cursor is newer, by the owner's clock

        Branch(Range range) {
            cursor = new BackwardCursor(range);
        }

        boolean isRead() {
            return found.isEmpty() && !cursor.isDone();
        }

        boolean isDone() {
            return found.isEmpty() && cursor.isDone();
        }

        /** Returns the position from which a further search has all that is not given. */
        long position() {
            return found.isEmpty() ? cursor.before() : found.getFirst().offset() + 1;
        }

        void markSearched(long offset, long time) {
            cursor.moveTo(offset);
            newest = Math.min(newest, time);
        }
    }

    /** @param memory of the search */
    BackwardWalk(BlockMessages blocks, RequestMemory memory, Asked asked, List<Range> ranges) {
        this.blocks = blocks;
        this.memory = memory;
        this.asked = asked;
        ranges.forEach(range -> open.add(new Branch(range)));
        open.removeIf(Branch::isDone);
    }

    @Override
    public boolean isDone() {
        return open.isEmpty();
    }

    @Override
    public Fetch nextRead() {
        return toRead().cursor.nextRead();
    }

    /** There is one as long as matches wait, and otherwise until all is searched. */
    private Branch toRead() {
        return open.stream()
                .filter(Branch::isRead)
                .max(Comparator.comparingLong(each -> each.newest))
                .orElseThrow();
    }

    @Override
    public Looked look(Fetched found, RequestMemory waiting, long most) {
        Branch branch = toRead();
        SliceSearch slice = new SliceSearch(branch, found, waiting, most);
        slice.search();
        branch.cursor.limitNextRead(slice.fittingMessages());
        SearchLines lines = newestMatches(most, false);
        return new Looked(lines, branch.cursor.partition(), branch.position(), slice.scanned, slice.skipped);
    }

    @Override
    public SearchLines takeRest(long most) {
        return newestMatches(most, true);
    }

    /**
     * Takes matches, the newest first.
     *
     * @param early whether those too that may have a newer one in a partition that is read further
     */
    private SearchLines newestMatches(long most, boolean early) {
        SearchLines lines = new SearchLines(memory.part());
        while (lines.count() < most) {
            Optional<Branch> next = open.stream()
                    .filter(each -> !each.found.isEmpty())
                    .max(Comparator.comparingLong(each -> each.found.getFirst().time()));
            if (next.isEmpty() || (!early && next.get().found.getFirst().time() < newestUnknown())) {
                break;
            }
            SearchLines line = next.get().found.removeFirst().line();
            held.remove(line);
            lines.add(line);
        }
        open.removeIf(Branch::isDone);
        return lines;
    }

    /** Returns a time after which no partition that is read further has a match. */
    private long newestUnknown() {
        return open.stream()
                .filter(Branch::isRead)
                .mapToLong(each -> each.newest)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private void hold(Branch branch, Match match) {
        branch.found.addLast(match);
        held.add(match.line());
        if (closed) {
            match.line().close();
        }
    }

    @Override
    public boolean tryFree() {
        boolean isFreed = false;
        for (Branch each : open) {
            if (!each.found.isEmpty()) {
                isFreed = true;
                each.cursor.moveTo(each.position());
                each.newest = each.found.getFirst().time();
                each.found.forEach(match -> drop(match.line()));
                each.found.clear();
            }
        }
        return isFreed;
    }

    private void drop(SearchLines line) {
        held.remove(line);
        line.close();
    }

    @Override
    public boolean continuesAfter(TalosException failure) {
        return toRead().cursor.continuesAfter(failure)
                || (failure.code() == ErrorCode.EXCESSIVE_PENDING_MESSAGE && tryFree());
    }

    @Override
    public String position() {
        return open.stream()
                .map(each -> each.cursor.partition() + ":" + each.position())
                .collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        closed = true;
        held.forEach(SearchLines::close);
    }

    /**
     * The blocks of one read, of which each is opened alone: those together may be far larger than memory allows.
     *
     * <p>Confined: one call of {@link #look}.
     */
    private final class SliceSearch {
        private final Branch branch;
        private final Fetched found;
        private final RequestMemory waiting;
        private final long most;
        private final long mostBytes = PIECE_BYTES / open.size();
        private final SearchWork work = new SearchWork();
        private long bytes; // reserved for its matches
        private long scanned;
        private long skipped;

        SliceSearch(Branch branch, Fetched found, RequestMemory waiting, long most) {
            this.branch = branch;
            this.found = found;
            this.waiting = waiting;
            this.most = most;
        }

        void search() {
            List<MessageBlock> newestFirst = branch.cursor.take(found);
            for (MessageBlock each : newestFirst) {
                long before = branch.cursor.before();
                boolean isSearched;
                try {
                    isSearched = isSearched(each);
                } catch (RequestMemory.ExhaustedException e) {
                    boolean hasMoved = scanned + skipped > 0 || branch.cursor.before() < before;
                    if (!hasMoved && !tryFree()) {
                        throw e;
                    }
                    return; // the rest comes with the next read
                }
                if (!isSearched) {
                    return;
                }
            }
            if (!newestFirst.isEmpty()) {
                branch.cursor.finishRead();
            }
        }

        /** Returns the number of messages like these that give as many lines as one partition may have. */
        long fittingMessages() {
            return bytes == 0 ? Long.MAX_VALUE : scanned * mostBytes / bytes;
        }

        /** Searches a block; false if enough was found before its beginning. */
        private boolean isSearched(MessageBlock block) {
            try (RequestMemory opened = memory.part()) {
                Fetched alone = new Fetched(found.log(), found.startOffset(), found.endOffset(), List.of(block));
                Reading reading = blocks.read(alone, 0, Integer.MAX_VALUE, waiting, opened);
                if (reading.unreadable().isPresent()) {
                    skipped++;
                    branch.markSearched(block.getStartMessageOffset(), block.getAppendTimestamp());
                    return true;
                }
                boolean isSearched = isSearched(reading.messages());
                if (block.getCompressionType() == MessageCompressionType.NONE) {
                    opened.moveUpTo(waiting, block.bufferForMessageBlock().remaining()); // the slice keeps the bytes
                }
                return isSearched;
            }
        }

        private boolean isSearched(List<MessageAndOffset> messages) {
            for (int i = messages.size() - 1; i >= 0; i--) {
                MessageAndOffset each = messages.get(i);
                long offset = each.getMessageOffset();
                if (offset < branch.cursor.oldest()) {
                    break;
                }
                if (offset < branch.cursor.before()) {
                    if (isEnough()) {
                        return false;
                    }
                    search(each);
                }
            }
            return true;
        }

        private boolean isEnough() {
            return branch.found.size() >= most || bytes >= mostBytes || work.isEnough();
        }

        private void search(MessageAndOffset message) {
            long time = message.getMessage().getAppendTimestamp();
            if (asked.filter().matches(message.getMessage(), work)) {
                RequestMemory ofMatch = memory.part();
                ofMatch.reserve(MATCH_BYTES);
                SearchLines line = new SearchLines(ofMatch);
                try {
                    line.add(branch.cursor.partition(), message, asked.form(), asked.maxValueBytes());
                    line.finish();
                } catch (RuntimeException | Error e) {
                    line.close();
                    throw e;
                }
                bytes += MATCH_BYTES + line.reservedBytes();
                hold(branch, new Match(message.getMessageOffset(), time, line));
            }
            scanned++;
            branch.markSearched(message.getMessageOffset(), time);
        }
    }
}
