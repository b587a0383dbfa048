// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Generates names of keys. Immutable. */
final class Keys {
    private Keys() {}

    /**
     * Distinct names whose hashes have nothing to do with each other, as those of partitions of many topics. Numbered
     * names would have neighboring hashes, which spread evenly over any number of workers.
     */
    static List<String> independent(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, count)
                .mapToObj(i -> Long.toHexString(random.nextLong()) + "-" + i)
                .toList();
    }
}
