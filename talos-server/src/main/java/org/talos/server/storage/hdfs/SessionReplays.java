// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalReplay;

/**
 * Fences sessions whose owner does not answer, and replays their journals into files beside the segments, including
 * segments that other servers will open. Each session is replayed by one server at a time ({@link ReplayClaim}); others
 * that need it wait.
 *
 * <p>Nevertheless two servers may do so at once, and one may die during it: each writes files of its own, renames them
 * in one step, and deletes the session last.
 *
 * <p>Thread-safe.
 */
final class SessionReplays {
    private static final Logger LOG = LoggerFactory.getLogger(SessionReplays.class);

    private final Hdfs hdfs;
    private final HdfsPaths paths;
    private final int replication;
    private final long own;
    private final Ticker ticker;
    private final HdfsListener listener;
    private final Map<Long, CompletableFuture<Void>> replays = new ConcurrentHashMap<>();
    private final AtomicLong attempts = new AtomicLong();

    /** Replays on behalf of a process; {@code own} is a number that only it has. */
    SessionReplays(Hdfs hdfs, HdfsPaths paths, int replication, long own, Ticker ticker, HdfsListener listener) {
        this.hdfs = hdfs;
        this.paths = paths;
        this.replication = replication;
        this.own = own;
        this.ticker = ticker;
        this.listener = listener;
    }

    /**
     * Fences the session and replays its journals, so that afterwards every byte of a segment is also in a file outside
     * of them. The first caller does it, and blocks; others may do something else until it is done.
     *
     * @return fails with a StorageException, UNAVAILABLE: it is unknown whether the fence holds; CORRUPT: acknowledged
     *     bytes are lost. Then it may be tried again
     */
    CompletableFuture<Void> replay(long session) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> running = replays.putIfAbsent(session, mine);
        if (running != null) {
            return running;
        }
        try {
            fenceAndReplay(session);
            mine.complete(null);
        } catch (StorageException | RuntimeException | Error e) {
            replays.remove(session);
            mine.completeExceptionally(e);
        }
        return mine;
    }

    /** Waits for the replays that {@link #replay} has begun. */
    void await(CompletableFuture<Void> running) throws StorageException {
        try {
            var unused = hdfs.threads().result(running);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "interrupted", e);
        } catch (ExecutionException e) {
            StorageException.Reason reason =
                    e.getCause() instanceof StorageException cause ? cause.reason() : Reason.UNAVAILABLE;
            throw new StorageException(reason, Effect.UNKNOWN, String.valueOf(e.getCause()), e);
        }
    }

    private void fenceAndReplay(long session) throws StorageException {
        String name = HdfsPaths.hex(session);
        Path fenced = paths.fenced(session);
        ReplayClaim claim = new ReplayClaim(hdfs, fenced, replication, ticker);
        try {
            takeDirectory(paths.session(session), fenced);
            if (!claim.take()) {
                return;
            }
            boolean done = false;
            try {
                replay(name, fenced, claim);
                hdfs.delete(fenced);
                done = true;
            } finally {
                if (!done) {
                    claim.release();
                }
            }
        } catch (FileNotFoundException e) {
            finishedByAnother(fenced, name, e);
        } catch (IOException e) {
            throw unavailable(name, e);
        }
    }

    private void replay(String name, Path fenced, ReplayClaim claim) throws IOException, StorageException {
        long start = ticker.nanos();
        requireKnown(name, HdfsPaths.listNamed(hdfs, fenced));
        fence(fenced, claim);
        long fencedAt = ticker.nanos();
        long attempt = own + attempts.getAndIncrement(); // the rest of an earlier one may still name its files
        try (RecoveredParts parts = new RecoveredParts(hdfs, paths, replication, attempt, claim::renew)) {
            for (int lane : lanes(fenced)) {
                new JournalReplay(new Lane(fenced, lane), item -> {
                            claim.renew();
                            parts.apply(item);
                        })
                        .run();
            }
            parts.finish();
            long endedAt = ticker.nanos();
            LOG.info(
                    "session replayed session={} segments={} bytes={} fenceMs={} replayMs={}",
                    name,
                    parts.segments(),
                    parts.bytes(),
                    (fencedAt - start) / 1_000_000,
                    (endedAt - fencedAt) / 1_000_000);
            listener.sessionReplayed(parts.bytes(), fencedAt - start, endedAt - fencedAt);
        }
    }

    /** The directory is deleted after the replay, so every file in it must have been replayed. */
    private static void requireKnown(String session, List<FileStatus> files) throws StorageException {
        for (FileStatus file : files) {
            if (!HdfsPaths.isOfSession(file.getPath())) {
                throw new StorageException(
                        Reason.CORRUPT,
                        Effect.NONE,
                        "session " + session + " is not replayed: " + file.getPath()
                                + " is no name that a server gives. If it is no journal, move it to another directory",
                        null);
            }
        }
    }

    private void finishedByAnother(Path fenced, String name, IOException cause) throws StorageException {
        try {
            if (hdfs.exists(fenced)) {
                throw unavailable(name, cause);
            }
            LOG.info("session was replayed by another server meanwhile session={}", name);
        } catch (IOException e) {
            throw unavailable(name, e);
        }
    }

    private static StorageException unavailable(String session, IOException cause) {
        return new StorageException(
                Reason.UNAVAILABLE,
                Effect.UNKNOWN,
                "session " + session + " cannot be replayed: " + cause.getMessage(),
                cause);
    }

    /** Keeps the owner from creating further files. */
    private void takeDirectory(Path directory, Path fenced) throws IOException {
        try {
            hdfs.rename(directory, fenced);
        } catch (FileNotFoundException e) {
            LOG.debug("session is fenced or gone", e);
        }
    }

    /**
     * Keeps the owner from writing any more valid bytes. Precreated files never get a valid name: they are not where
     * their creator looks for them, and a file without a whole block could not be closed.
     */
    private void fence(Path fenced, ReplayClaim claim) throws IOException {
        Path ours = HdfsPaths.replayer(fenced);
        hdfs.all(
                hdfs.list(fenced).stream()
                        .map(FileStatus::getPath)
                        .filter(file -> !file.getName().equals(ours.getName()) && !HdfsPaths.isBeside(file))
                        .<Hdfs.Work>map(file -> () -> hdfs.fenceAndSync(file))
                        .toList(),
                claim::renew);
    }

    private Set<Integer> lanes(Path fenced) throws IOException {
        Set<Integer> lanes = new TreeSet<>();
        for (FileStatus file : hdfs.list(fenced)) {
            HdfsPaths.lane(file.getPath()).ifPresent(lanes::add);
        }
        return lanes;
    }

    /** One journal of a fenced session. Immutable. */
    private final class Lane implements JournalReplay.Source {
        private final Path directory;
        private final int lane;

        Lane(Path directory, int lane) {
            this.directory = directory;
            this.lane = lane;
        }

        @Override
        public List<Long> numbers() throws IOException {
            Stream<Path> files = hdfs.list(directory).stream().map(FileStatus::getPath);
            return files.filter(file -> HdfsPaths.lane(file).equals(Optional.of(lane)))
                    .flatMap(file -> HdfsPaths.number(file).stream().boxed())
                    .sorted()
                    .toList();
        }

        @Override
        public ReadOnlyFile open(long number) throws IOException {
            Path path = HdfsPaths.journal(directory, lane, number);
            return new ReadOnlyFile(hdfs.open(path), hdfs.length(path));
        }

        @Override
        public String name(long number) {
            return HdfsPaths.journal(directory, lane, number).toString();
        }

        /** Returns true: HDFS verifies its own checksums, so it returns only written bytes. */
        @Override
        public boolean isOnlyShortened() {
            return true;
        }
    }
}
