// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;

@Timeout(30)
class UseChecksTest {
    private static Past used(String what, long first, long last) {
        return new Past()
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 " + what, first))
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 1 " + what, last))
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 " + what, last));
    }

    @Test
    void heapThatGrowsByMoreThanHalfIsFound() {
        Past past = used("heap", 100L << 20, 160L << 20);

        assertThat(past.failed()).containsExactly("growth");
        assertThat(Verdict.of(past.operations()).lines()).contains("used: server 0 heap 100, then 160 MiB");
    }

    @Test
    void heapThatStaysOrIsSmallIsNot() {
        assertThat(used("heap", 100L << 20, 140L << 20).failed()).isEmpty();
        assertThat(used("heap", 20L << 20, 90L << 20).failed()).isEmpty();
    }

    @Test
    void threadsAndFilesThatGrowAreFound() {
        assertThat(used("threads", 120, 300).failed()).containsExactly("growth");
        assertThat(used("files", 300, 600).failed()).containsExactly("growth");
        assertThat(used("files", 100, 300).failed()).isEmpty();
    }

    @Test
    void serverThatHasInTheEndWhatAnotherHadIsNone() {
        assertThat(besideAnother(300).failed()).isEmpty();
        assertThat(besideAnother(420).failed()).containsExactly("growth");
    }

    @Test
    void serverThatGrowsBesideALargeOneIsFound() {
        Past past = new Past()
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 files", 300), Mark.at("server 1 files", 3_000))
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 files", 4_400), Mark.at("server 1 files", 3_000));

        assertThat(past.failed()).containsExactly("growth");
    }

    /** Of two servers the other one had the partitions first. */
    private static Past besideAnother(long last) {
        return new Past()
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 threads", 187), Mark.at("server 1 threads", 275))
                .mark(0, Kind.USED, Outcome.OK, Mark.at("server 0 threads", last), Mark.at("server 1 threads", 260));
    }
}
