// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.simulation.ModelLog;
import org.talos.server.storage.LogId;

/**
 * Readers: each reads a log from the server that answered it last, and checks every answer. Other servers may serve the
 * log by then.
 *
 * <p>Confined: the simulation's thread.
 */
final class Readers {
    private static final BlockLimits MOST = new BlockLimits(40, 64 << 10);
    private static final int MOST_WAIT_MILLIS = 4_000;
    private static final long MILLI = 1_000_000L;

    private final World world;
    private final Random random;
    private final Map<LogId, Reader> readers = new HashMap<>();
    private final Set<LogId> probed = new HashSet<>();

    Readers(World world) {
        this.world = world;
        random = world.random();
    }

    /** Reads one log. Confined: the simulation's thread. */
    private static final class Reader {
        private @Nullable SimulatedServer answered; // the last one
        private long next;
    }

    /** A request, and what its reader knew when it arrived. Confined: the simulation's thread. */
    private static final class Request {
        private final ModelLog log;
        private final SimulatedServer server;
        private long leastEnd;

        Request(ModelLog log, SimulatedServer server) {
            this.log = log;
            this.server = server;
        }
    }

    private Reader reader(ModelLog log) {
        return readers.computeIfAbsent(log.id(), each -> new Reader());
    }

    private Optional<SimulatedServer> choose(Reader reader) {
        SimulatedServer last = reader.answered;
        return last != null && last.isReachable() && random.nextInt(4) > 0 ? Optional.of(last) : world.any(world.up());
    }

    /** Reads as a client does: mostly where it ended. */
    void read(ModelLog log) {
        Reader reader = reader(log);
        choose(reader).ifPresent(server -> {
            if (random.nextInt(4) == 0) {
                askForEnd(new Request(log, server));
            } else {
                int wait = random.nextInt(3) == 0 ? random.nextInt(MOST_WAIT_MILLIS) : 0;
                read(new Request(log, server), offset(reader, log), wait * MILLI);
            }
        });
    }

    private long offset(Reader reader, ModelLog log) {
        return switch (random.nextInt(8)) {
            case 0 -> MessageReads.START;
            case 1 -> MessageReads.LATEST;
            case 2 -> log.shownEnd();
            case 3 -> random.nextInt((int) log.shownEnd() + 1);
            default -> reader.next;
        };
    }

    /** No log has answered from here on. */
    void forgetProbes() {
        probed.clear();
    }

    /** Reads the beginning of a log from any server. */
    void probe(ModelLog log) {
        world.any(world.up()).ifPresent(server -> read(new Request(log, server), MessageReads.START, 0));
    }

    /** Returns whether a read of the log has been answered since the probes were forgotten. */
    boolean isProbed(ModelLog log) {
        return probed.contains(log.id());
    }

    private void read(Request request, long offset, long waitNanos) {
        var unused = request.server
                .read(request.log.id(), new ReadRequest(offset, MOST, 1, waitNanos), () -> arrived(request))
                .thenAccept(slice -> answered(request, offset, slice));
    }

    private void askForEnd(Request request) {
        var unused = request.server
                .bounds(request.log.id(), () -> arrived(request))
                .thenAccept(bounds -> answered(request, bounds));
    }

    private void arrived(Request request) {
        request.leastEnd = mayBeStale() ? 0 : request.log.shownEnd();
    }

    private void answered(Request request, LogBounds bounds) {
        request.log.checkEnd(leastEnd(request), bounds.end());
    }

    private void answered(Request request, long offset, Slice slice) {
        ModelLog log = request.log;
        log.answered(offset, leastEnd(request), slice);
        probed.add(log.id());
        Reader reader = reader(log);
        reader.answered = request.server;
        List<?> blocks = slice.blocks();
        reader.next = blocks.isEmpty()
                ? Math.max(reader.next, slice.startOffset())
                : slice.blocks().get(blocks.size() - 1).endOffset();
    }

    private long leastEnd(Request request) {
        return mayBeStale() ? 0 : request.leastEnd;
    }

    /**
     * Returns whether an answer may lack what was acknowledged before. A server whose session was ended by somebody, or
     * whose node another process of its id has taken, learns of it with its next heartbeat. Until then, for half a
     * session at most, it may answer although another process serves the partition by now.
     */
    private boolean mayBeStale() {
        return world.running().stream().anyMatch(SimulatedServer::mayBelieveInItsSession);
    }
}
