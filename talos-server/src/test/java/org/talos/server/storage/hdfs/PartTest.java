// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

class PartTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 7);
    private static final SegmentName NAME = new SegmentName(LOG, 40, 3);
    private static final HdfsPaths PATHS = new HdfsPaths(new Path("hdfs://cluster/talos"));

    private static Part part(Path path, long bytes) {
        return Part.of(path, PartHeader.BYTES + bytes).orElseThrow();
    }

    @Test
    void namesAreReadBack() {
        for (Path path : List.of(PATHS.first(NAME), PATHS.rolled(NAME, 0), PATHS.recovered(NAME, 9, 30))) {
            assertThat(HdfsPaths.segment(LOG, path)).contains(NAME);
        }
        assertThat(HdfsPaths.position(PATHS.first(NAME))).isZero();
        assertThat(HdfsPaths.position(PATHS.recovered(NAME, 9, 30))).isEqualTo(9);
        assertThat(PATHS.first(NAME)).isNotEqualTo(PATHS.rolled(NAME, 0));
        assertThat(HdfsPaths.segment(LOG, PATHS.index(NAME))).isEmpty();
        assertThat(HdfsPaths.segment(LOG, HdfsPaths.beside(PATHS.recovered(NAME, 9, 30), 5)))
                .isEmpty();
    }

    @Test
    void journalNamesAreReadBack() {
        Path path = HdfsPaths.journal(PATHS.session(-1), 2, 17);

        assertThat(HdfsPaths.lane(path)).contains(2);
        assertThat(HdfsPaths.number(path)).hasValue(17);
        assertThat(HdfsPaths.lane(PATHS.session(-1))).isEmpty();
        assertThat(PATHS.session(-1).getName()).isEqualTo("ffffffffffffffff");
    }

    @Test
    void fileWithoutABodyIsNoPart() {
        assertThat(Part.of(PATHS.first(NAME), 0)).isEmpty();
        assertThat(Part.of(PATHS.first(NAME), PartHeader.BYTES - 1)).isEmpty();
        assertThat(Part.of(PATHS.first(NAME), PartHeader.BYTES)).isEmpty();
    }

    @Test
    void chainGoesOnWhereTheLongestPartEnds() throws Exception {
        Part first = part(PATHS.first(NAME), 10);
        Part inside = part(PATHS.rolled(NAME, 5), 4);
        Part behind = part(PATHS.rolled(NAME, 8), 12);
        Part recovered = part(PATHS.recovered(NAME, 20, 21), 1);

        List<Part> chain = Part.chain(NAME, List.of(recovered, behind, inside, first));

        assertThat(chain).containsExactly(first, behind, recovered);
        assertThat(Part.length(chain)).isEqualTo(21);
    }

    @Test
    void segmentOfWhichNothingWasWrittenIsEmpty() throws Exception {
        assertThat(Part.length(Part.chain(NAME, List.of()))).isZero();
    }

    @Test
    void gapIsDamage() {
        List<Part> parts = List.of(part(PATHS.first(NAME), 10), part(PATHS.recovered(NAME, 11, 16), 5));

        assertThatThrownBy(() -> Part.chain(NAME, parts)).isInstanceOfSatisfying(StorageException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
            assertThat(e).hasMessageContaining("position 10");
        });
    }
}
