// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.log.dedupe.RememberedPuts.Remembered;
import org.talos.server.testing.KeptMemory;

class RememberedPutsTest {
    private static final long BEFORE_LOWER_HALF_IS_FULL = (1L << 32) - 10_000;

    private final RememberedPuts puts = new RememberedPuts(BEFORE_LOWER_HALF_IS_FULL);
    private final Map<PutIdentity, Remembered> model = new LinkedHashMap<>();

    private static PutIdentity identity(long id) {
        return new PutIdentity(id, id * 0x9e37_79b9_7f4a_7c15L, id + 1, id + 2);
    }

    private static PutIdentity colliding(long id) {
        return new PutIdentity(id, 7L << 60, 0, 0);
    }

    private Remembered add(PutIdentity identity, long number) {
        Remembered put = puts.add(identity, 10 * number, 100 * number);
        assertThat(put).isEqualTo(new Remembered(identity, number, 10 * number, 100 * number, false));
        model.remove(identity);
        model.put(identity, put);
        return put;
    }

    private void remove(Remembered put) {
        puts.remove(put);
        model.computeIfPresent(put.identity(), (identity, known) -> known.number() == put.number() ? null : known);
    }

    private void removeOldest() {
        Iterator<Remembered> oldest = model.values().iterator();
        assertThat(puts.oldestNanos()).isEqualTo(oldest.next().nanos());
        puts.removeOldest();
        oldest.remove();
    }

    private void mark(Remembered put, boolean unanswered) {
        puts.mark(put, unanswered);
        model.computeIfPresent(
                put.identity(),
                (identity, known) -> known.number() == put.number()
                        ? new Remembered(identity, put.number(), put.firstOffset(), put.nanos(), unanswered)
                        : known);
    }

    /** Also what was removed, or is another put by now. */
    private void change(Remembered put, Random random) {
        switch (random.nextInt(8)) {
            case 0 -> remove(model.getOrDefault(put.identity(), put));
            case 1 -> remove(put);
            case 2 -> mark(model.getOrDefault(put.identity(), put), random.nextBoolean());
            case 3 -> mark(put, random.nextBoolean());
            default -> {}
        }
    }

    private void assertSame() {
        assertThat(puts.size()).isEqualTo(model.size());
        model.forEach((identity, put) -> assertThat(puts.find(identity)).contains(put));
    }

    /** Of few identities most puts come again, and leave gaps; of many few do. Oldest ones go in any case. */
    @ParameterizedTest
    @CsvSource({"1, 3, 10", "2, 50, 20", "3, 5000, 30", "4, 5000, 300", "5, 1000000, 900"})
    void doesAsALinkedMapDoes(long seed, int identities, int most) {
        Random random = new Random(seed);
        Remembered[] seen = new Remembered[100]; // also such as were removed or followed by another
        for (int step = 0; step < 30_000; step++) {
            PutIdentity identity = identity(random.nextInt(identities));
            add(identity, step);
            Remembered some = seen[random.nextInt(seen.length)];
            if (some != null) {
                change(some, random);
            }
            seen[random.nextInt(seen.length)] = model.getOrDefault(identity, some);
            while (model.size() > most || (!model.isEmpty() && random.nextInt(10) == 0)) {
                removeOldest();
            }
            assertThat(puts.find(identity)).isEqualTo(Optional.ofNullable(model.get(identity)));
            if (step % 500 == 0) {
                assertSame();
            }
        }
        assertSame();
        while (!model.isEmpty()) {
            removeOldest();
        }
        assertSame();
    }

    @Test
    void putsWithTheSamePlaceInTheTableAreToldApart() {
        List<Remembered> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(add(colliding(i), i));
        }
        for (int i = 0; i < 200; i += 3) {
            remove(all.get(i));
        }

        assertSame();
        assertThat(puts.find(colliding(3))).isEmpty();
    }

    @Test
    void gapsAreClosedHoweverLongTheOldestStays() {
        add(identity(0), 0);
        for (int i = 1; i < 100_000; i++) {
            remove(add(identity(i), i));
        }

        assertSame();
        assertThat(KeptMemory.of(puts)).isLessThan(20_000);
    }

    @Test
    void memoryIsGivenBackWithThePuts() {
        for (int i = 0; i < 100_000; i++) {
            add(identity(i), i);
        }
        assertThat(KeptMemory.of(puts)).isLessThan(100_000L * RememberedPuts.BYTES_OF_PUT);

        while (puts.size() > 1_000) {
            removeOldest();
        }
        assertThat(KeptMemory.of(puts)).isLessThan(5L * 1_000 * RememberedPuts.BYTES_OF_PUT);
        assertSame();

        puts.clear();
        model.clear();
        assertThat(KeptMemory.of(puts)).isLessThan(200);
        add(identity(1), 100_000);
        assertSame();
    }
}
