// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.talos.server.metadata.MetadataException;

/**
 * A table in memory, whose next mutations end as the test has set; otherwise they succeed.
 *
 * <p>Thread-safe, except for the test's settings.
 */
final class FakeCellTable implements CellTable {
    private final Map<byte[], byte[]> cells = new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private final Deque<Fate> fates = new ArrayDeque<>();
    private final List<Runnable> late = new ArrayList<>();
    private Runnable beforeNextGet = () -> {};
    private boolean unreachable;
    private boolean getsFail;
    int mutations;
    int gets;

    /** The ways in which a mutation ends. */
    enum Fate {
        ANSWERED,
        DONE_ANSWER_LOST,
        LOST,
        /** As lost, but carried out by {@link FakeCellTable#late}. */
        DELAYED,
        NEVER_ANSWERED,
        BUSY
    }

    void next(Fate... each) {
        fates.addAll(List.of(each));
    }

    /** Sets what happens between a lost answer and the read of the row. */
    void beforeNextGet(Runnable happens) {
        beforeNextGet = happens;
    }

    void unreachable() {
        unreachable = true;
    }

    void getsFail() {
        getsFail = true;
    }

    /** The delayed mutations arrive. */
    void late() {
        late.forEach(Runnable::run);
        late.clear();
    }

    Optional<StoredRow> cell(byte[] key) throws MetadataException {
        byte[] cell = cells.get(key);
        return cell == null ? Optional.empty() : Optional.of(StoredRow.decode(cell));
    }

    /** Writes a cell as another server does. */
    void put(byte[] key, StoredRow row) {
        cells.put(key, row.encode());
    }

    @Override
    public CompletableFuture<?> locate(byte[] key) {
        return unreachable
                ? new CompletableFuture<>() // the row's server is never found
                : CompletableFuture.completedFuture("there");
    }

    @Override
    public CompletableFuture<Optional<byte[]>> get(byte[] key) {
        gets++;
        Runnable happens = beforeNextGet;
        beforeNextGet = () -> {};
        happens.run();
        return getsFail
                ? CompletableFuture.failedFuture(new IOException("connection reset"))
                : CompletableFuture.completedFuture(Optional.ofNullable(cells.get(key)));
    }

    @Override
    public CompletableFuture<Boolean> replace(byte[] key, long replaced, StoredRow next) {
        mutations++;
        Fate fate = fates.isEmpty() ? Fate.ANSWERED : fates.remove();
        return switch (fate) {
            case ANSWERED -> CompletableFuture.completedFuture(apply(key, replaced, next));
            case DONE_ANSWER_LOST -> {
                apply(key, replaced, next);
                yield CompletableFuture.failedFuture(new IOException("connection reset"));
            }
            case LOST -> CompletableFuture.failedFuture(new IOException("connection reset"));
            case DELAYED -> {
                late.add(() -> apply(key, replaced, next));
                yield CompletableFuture.failedFuture(new IOException("connection reset"));
            }
            case NEVER_ANSWERED -> new CompletableFuture<>();
            case BUSY -> CompletableFuture.failedFuture(new NotServingRegionException("moving"));
        };
    }

    private synchronized boolean apply(byte[] key, long replaced, StoredRow next) {
        byte[] cell = cells.get(key);
        long version = cell == null ? 0 : ByteBuffer.wrap(cell).getLong();
        if (version != replaced) {
            return false;
        }
        cells.put(key, next.encode());
        return true;
    }

    @Override
    public CompletableFuture<List<KeyedCell>> scan(KeyRange range, int limit) {
        List<KeyedCell> found = new ArrayList<>();
        cells.forEach((key, cell) -> {
            boolean behind = Arrays.compareUnsigned(key, range.from()) >= (range.inclusive() ? 0 : 1);
            boolean row = cell[StoredRow.KIND_AT] == StoredRow.ROW;
            if (behind && row && Arrays.compareUnsigned(key, range.end()) < 0 && found.size() < limit) {
                found.add(new KeyedCell(key, cell));
            }
        });
        return CompletableFuture.completedFuture(found);
    }
}
