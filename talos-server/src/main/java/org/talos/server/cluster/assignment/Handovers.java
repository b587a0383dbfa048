// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.ClusterRows.OwnerRow;
import org.talos.server.cluster.ClusterRows.OwnerRows;
import org.talos.server.cluster.PartitionId;

/**
 * The moves whose giver has not released the partition yet: at most {@value #MOST} of one giver, and {@value #MOST} to
 * one taker. A giver that has to close more at once closes them late, and a taker that waits without success fences it.
 *
 * <p>A partition's row says whether it is released. The row is read once before the move is written, to know its
 * current state, and then until it has changed or the giver is gone.
 *
 * <p>Confined: the rounds of one leader; but the callback for answers runs on any thread.
 */
public final class Handovers {
    /** Most moves from one server, and most to one, whose giver has not released the partition yet. */
    public static final int MOST = 32;

    private static final int WAVES_WITHOUT_UNREADABLE = 100;

    private final ClusterRows rows;
    private final Runnable answered;
    private final Consumer<String> report;
    private final Map<PartitionId, Open> open = new LinkedHashMap<>();
    private List<Move> wave = List.of(); // chosen moves whose rows are being read before they are written
    private @Nullable CompletableFuture<OwnerRows> question;
    private final Set<PartitionId> unreadable = new HashSet<>(); // they stay where they are
    private final Set<PartitionId> reported = new HashSet<>(); // as unreadable
    private int waves; // since the last unreadable row was left out
    private Map<PartitionId, OwnerRow> before = Map.of(); // rows of the last wave
    private String failing = "";

    /**
     * No move yet.
     *
     * @param answered runs when a wave can be written
     * @param report receives rows that cannot be read, so that nothing moves
     */
    public Handovers(ClusterRows rows, Runnable answered, Consumer<String> report) {
        this.rows = rows;
        this.answered = answered;
        this.report = report;
    }

    /** A move that is written, and the epoch of the giver's ownership. Immutable. */
    private record Open(Move move, long epoch) {}

    /** Returns whether no move is under way. */
    public boolean isIdle() {
        return open.isEmpty() && wave.isEmpty();
    }

    /** Returns whether a further wave may be chosen: there is none whose rows are being read. */
    public boolean mayBegin() {
        return wave.isEmpty();
    }

    /** Number of moves whose giver has not released the partition yet. */
    public int open() {
        return open.size();
    }

    /** The room for a further wave. */
    public Assignment.Room room() {
        Map<String, Integer> giving = new HashMap<>();
        Map<String, Integer> taking = new HashMap<>();
        Set<PartitionId> moving = new HashSet<>();
        for (Open each : open.values()) {
            take(each.move, giving, taking, moving);
        }
        return new Assignment.Room() {
            @Override
            public boolean isFree(String giver, String taker) {
                return giving.getOrDefault(giver, 0) < MOST && taking.getOrDefault(taker, 0) < MOST;
            }

            @Override
            public boolean take(Move move) {
                boolean free = isFree(move.from(), move.to())
                        && !moving.contains(move.partition())
                        && !unreadable.contains(move.partition());
                if (free) {
                    Handovers.take(move, giving, taking, moving);
                }
                return free;
            }
        };
    }

    private static void take(
            Move move, Map<String, Integer> giving, Map<String, Integer> taking, Set<PartitionId> moving) {
        giving.merge(move.from(), 1, Integer::sum);
        taking.merge(move.to(), 1, Integer::sum);
        moving.add(move.partition());
    }

    /** Chooses the next wave: {@link #next} returns it once its rows have been read. */
    public void choose(List<Move> moves) {
        wave = List.copyOf(moves);
        waves++;
        if (waves >= WAVES_WITHOUT_UNREADABLE) {
            waves = 0;
            unreadable.clear(); // an operator may have repaired them
        }
    }

    /**
     * Forgets the moves whose partition is released, or whose giver is gone, and returns the wave if it can be written
     * now.
     *
     * @param registered whether a server is alive, and so about to release the partitions that it has lost
     */
    public List<Move> next(Predicate<String> registered) {
        open.values().removeIf(each -> !registered.test(each.move.from()));
        CompletableFuture<OwnerRows> asked = question;
        List<Move> ready = List.of();
        if (asked != null && asked.isDone()) {
            question = null;
            ready = asked.isCompletedExceptionally() ? failed(asked) : read(asked.join());
        }
        return ready;
    }

    private List<Move> read(OwnerRows rows) {
        failing = "";
        Map<PartitionId, OwnerRow> found = rows.found();
        leaveOut(rows.unreadable());
        open.values().removeIf(each -> {
            OwnerRow row = found.get(each.move.partition());
            boolean taken = row != null && (row.released() || row.epoch() > each.epoch);
            return taken || rows.unreadable().contains(each.move.partition()); // a newer server has written it
        });
        List<Move> ready = new ArrayList<>();
        List<Move> left = new ArrayList<>();
        for (Move move : wave) {
            if (found.containsKey(move.partition())) {
                ready.add(move);
            } else if (!rows.unreadable().contains(move.partition())) {
                left.add(move); // the question was asked before this wave was chosen
            }
        }
        if (left.isEmpty()) {
            before = found;
            wave = List.of();
            return ready;
        }
        return List.of();
    }

    /** Each unreadable row keeps its own partition in its place, and no other. */
    private void leaveOut(Set<PartitionId> found) {
        Set<PartitionId> unreported = new HashSet<>(found);
        unreported.removeAll(reported);
        if (!unreported.isEmpty()) {
            reported.addAll(unreported);
            report.accept("partitions with unreadable rows are not moved: " + unreported);
        }
        unreadable.addAll(found);
    }

    /** The wave is chosen again in the next round: by then its reasons may be gone. */
    private List<Move> failed(CompletableFuture<?> asked) {
        String cause = String.valueOf(asked.handle((nothing, error) -> error).join());
        if (!cause.equals(failing)) {
            failing = cause;
            report.accept("nothing is moved: owners of partitions cannot be read: " + cause);
        }
        wave = List.of();
        return List.of();
    }

    /** Reads the rows of all moves in flight, unless they are being read; to be called at the end of each round. */
    public void ask() {
        if (question != null || isIdle()) {
            return;
        }
        List<PartitionId> asked = new ArrayList<>(open.keySet());
        wave.forEach(move -> asked.add(move.partition()));
        boolean awaited = !wave.isEmpty();
        CompletableFuture<OwnerRows> answer = rows.readOwners(asked).thenApply(read -> {
            Map<PartitionId, OwnerRow> all = new HashMap<>(read.found());
            for (PartitionId each : asked) {
                if (!read.unreadable().contains(each)) {
                    all.putIfAbsent(each, new OwnerRow(0, true)); // never opened: there is no owner to wait for
                }
            }
            return new OwnerRows(all, read.unreadable());
        });
        question = answer;
        if (awaited) {
            var unused = answer.thenRun(answered); // a failure waits for the next round: it may be the same again
        }
    }

    /** Called when a move of the last wave is written: its giver must release the partition. */
    public void onWritten(Move move) {
        OwnerRow row = before.get(move.partition());
        if (row != null && !row.released()) {
            open.put(move.partition(), new Open(move, row.epoch()));
        }
    }
}
