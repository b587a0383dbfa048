// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.log.LogFixture.ALL;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/** A store gives fewer bytes than a segment is known to have: that is not an end of it. */
@Timeout(30)
class ShortReadTest {
    private final LogFixture fixture = new LogFixture();

    private SegmentName threePuts() throws StorageException {
        PartitionLog log = fixture.open();
        log.append(List.of(put("one"), put("two"), put("three")));
        fixture.store.losePower(0);
        return fixture.catalog.last();
    }

    /** A store may still go by files of a moment before: what it does not give yet was acknowledged all the same. */
    @Test
    void segmentThatIsNotReadToItsEndIsNotCutThere() throws Exception {
        SegmentName name = threePuts();
        byte[] whole = fixture.store.bytes(name);

        for (int readable = 0; readable < whole.length; readable++) {
            fixture.store.readUpTo(readable);

            assertThatThrownBy(fixture::open)
                    .as("%d bytes", readable)
                    .isInstanceOfSatisfying(
                            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
            assertThat(fixture.store.bytes(name)).isEqualTo(whole);
        }
        fixture.store.readUpTo(Long.MAX_VALUE);
        assertThat(texts(fixture.open(), 0)).containsExactly("one", "two", "three");
    }

    /** Checks that a tail is not torn while the reader cannot see whether whole entries follow. */
    @Test
    void tailIsNotTornAsLongAsWhatFollowsCannotBeRead() throws Exception {
        SegmentName name = threePuts();
        byte[] damaged = fixture.store.bytes(name);
        int second = damaged.length / 3 - 10;
        damaged[second + 40] ^= 1;
        fixture.store.replace(name, damaged);
        fixture.store.readUpTo(damaged.length - 1);

        assertThatThrownBy(fixture::open).isInstanceOf(StorageException.class);
        assertThat(fixture.store.bytes(name)).isEqualTo(damaged);
    }

    /** Another server has taken it over: until its journal is brought into its files, they have less. */
    @Test
    void whatIsNotInTheFilesOfAnUnsealedSegmentYetIsNotCalledDamaged() throws Exception {
        fixture.tailCacheBytes = 0;
        PartitionLog log = fixture.open();
        append(log, put("first"));
        fixture.store.readUpTo(10);

        assertThatThrownBy(() -> log.read(0, ALL)).hasMessage("storage failed while messages were read");
        assertThatThrownBy(() -> log.offsetAtTime(0)).hasMessage("storage failed while messages were read");
        fixture.store.readUpTo(Long.MAX_VALUE);
        assertThat(texts(log, 0)).containsExactly("first");
    }

    @Test
    void sealedSegmentThatHasLostItsEndIsDamaged() throws Exception {
        append(fixture.open(), put("first"));
        PartitionLog log = fixture.open();
        fixture.store.readUpTo(10);

        assertThatThrownBy(() -> log.read(0, ALL)).hasMessage("messages here are damaged, and are not served");
    }
}
