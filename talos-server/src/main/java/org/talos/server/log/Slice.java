// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;

/**
 * The result of a read. Immutable.
 *
 * @param blocks whole, in order; the first has the requested offset. Empty at the end of the log
 * @param startOffset oldest offset that can be read
 * @param durableEnd one past the last acknowledged message, at the time of the read
 */
public record Slice(List<StoredBlock> blocks, long startOffset, long durableEnd) {
    /** Returns the bytes of the blocks. */
    public long bytes() {
        return blocks.stream()
                .mapToLong(each -> each.block().bytes().remaining())
                .sum();
    }
}
