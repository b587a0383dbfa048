// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import java.util.function.LongSupplier;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * Jetty's pool of buffers, which stops short of the JVM's limit for direct memory: at that limit, the JVM makes each
 * allocating thread wait for the collector, for half a second each time, and threads with connections must not wait.
 * Beyond the bound, a buffer comes from the heap.
 *
 * <p>Jetty's own pool bounds the buffers that it keeps, not those that it allocates.
 *
 * <p>Thread-safe.
 */
public final class BoundedBuffers extends ArrayByteBufferPool {
    private final long mostDirect;
    private final LongSupplier usedDirect;

    /**
     * An empty pool.
     *
     * @param largest bytes of the largest buffer that is kept
     * @param mostDirect bytes of direct memory in the whole JVM, beyond which this pool takes none
     * @param usedDirect bytes of direct memory that the JVM uses now
     */
    public BoundedBuffers(int largest, long mostDirect, LongSupplier usedDirect) {
        super(-1, -1, largest);
        this.mostDirect = mostDirect;
        this.usedDirect = usedDirect;
    }

    @Override
    public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
        return super.acquire(size, direct && usedDirect.getAsLong() + size <= mostDirect);
    }
}
