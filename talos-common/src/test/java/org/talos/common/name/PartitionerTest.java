// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionerTest {
    private static final int KEYS = 1_000;
    private static final List<IntFunction<String>> FORMS =
            List.of(key -> String.format(Locale.ROOT, "customer-%06d", key), key -> "k" + key);

    /** The first six are those of Kafka's UtilsTest; the others were computed by its client. */
    @ParameterizedTest
    @CsvSource({
        "21, -973932308",
        "foobar, -790332482",
        "a-little-bit-long-string, -985981536",
        "a-little-bit-longer-string, -1486304829",
        "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8, -58897971",
        "abc, 479470107",
        "'', 275646681",
        "k1, 1684045097",
        "customer-000001, 1843546766",
        "schön, 1827820449",
        "日本, -700811021",
        "😀!, 683044717"
    })
    void hashIsThatOfKafka(String key, int hash) {
        assertThat(Murmur2.hash(key.getBytes(StandardCharsets.UTF_8))).isEqualTo(hash);
        assertThat(Partitioner.MURMUR2.partition(key, 7)).isEqualTo((hash & 0x7fffffff) % 7);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 16})
    void keysOfOneFormSpreadEvenlyWithMurmur2(int partitions) {
        for (IntFunction<String> form : FORMS) {
            assertThat(largest(Partitioner.MURMUR2, form, partitions))
                    .as(form.apply(1))
                    .isLessThanOrEqualTo(KEYS * 3L / (2L * partitions));
        }
    }

    /** The reason for the other one; here nothing can be changed, as the public SDKs compute the same. */
    @Test
    void keysOfOneFormFallOnOnePartitionAsWithThePublicSdks() {
        for (IntFunction<String> form : FORMS) {
            assertThat(largest(Partitioner.SDK, form, 4)).as(form.apply(1)).isGreaterThan(KEYS * 9L / 10);
        }
    }

    private static long largest(Partitioner partitioner, IntFunction<String> form, int partitions) {
        long[] counts = new long[partitions];
        IntStream.range(0, KEYS).mapToObj(form).forEach(key -> counts[partitioner.partition(key, partitions)]++);
        return Arrays.stream(counts).max().orElseThrow();
    }

    @Test
    void topicWithoutTheAttributeIsPlacedAsByThePublicSdks() {
        assertThat(Partitioner.of(Map.of("color", "red"))).isEqualTo(Partitioner.SDK);
        assertThat(Partitioner.of(Map.of("talos.partitioner", "sdk"))).isEqualTo(Partitioner.SDK);
        assertThat(Partitioner.of(Map.of("talos.partitioner", "murmur2"))).isEqualTo(Partitioner.MURMUR2);
        assertThat(Placement.of(Map.of(), 4).partition("k1")).isEqualTo(Partitioner.SDK.partition("k1", 4));
    }

    @Test
    void unknownNameIsRefusedWhereAKeyIsPlaced() {
        Placement placement = Placement.of(Map.of("talos.partitioner", "crc32"), 4);

        assertThat(placement.partitioner()).isEqualTo("crc32");
        assertThatThrownBy(() -> placement.partition("k1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("talos.partitioner: crc32 (expected: sdk or murmur2)");
    }

    @Test
    void everyPartitionerIsFoundByItsName() {
        for (Partitioner each : Partitioner.values()) {
            assertThat(Partitioner.named(each.toString())).isEqualTo(each);
        }
    }

    @Test
    void skewIsTheShareOfTheLargestPartitionBesideTheMean() {
        assertThat(Skew.of(List.of(1L, 5L, 0L))).contains(new Skew(1, 0.8333, 0.3333));
        assertThat(Skew.of(List.of(7L))).contains(new Skew(0, 1, 1));
        assertThat(Skew.of(List.of(0L, 0L))).isEmpty();
        assertThat(Skew.of(List.of())).isEmpty();
    }
}
