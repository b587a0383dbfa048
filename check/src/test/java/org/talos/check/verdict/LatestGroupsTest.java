// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;

@Timeout(30)
class LatestGroupsTest {
    private static final String NEW_PARTITION = "t/1";

    /** The topic has a when the group begins with a fetch, then also b. All is read by somebody else. */
    private static Past begun() {
        return new Past()
                .sent(1, 0, "a")
                .latest()
                .groupPoll(2, 1)
                .sent(1, 1, "b")
                .poll(9, 0, "a", "b");
    }

    /** Then it gets a partition, to which c and d are put at once. */
    private static Past grown() {
        return begun().mark(1, Kind.CREATE, Outcome.OK, Mark.at(NEW_PARTITION, 0))
                .add(1, Kind.SEND, Outcome.OK, inNew(0, "c"), List.of())
                .add(1, Kind.SEND, Outcome.OK, inNew(1, "d"), List.of())
                .mark(8, Kind.ASSIGN, Outcome.OK)
                .add(
                        8,
                        Kind.POLL,
                        Outcome.OK,
                        List.of(inNew(0, "c").get(0), inNew(1, "d").get(0)),
                        List.of())
                .groupPoll(2, 1, "b");
    }

    private static List<Entry> inNew(long offset, String value) {
        return List.of(new Entry(NEW_PARTITION, offset, value));
    }

    private static Past given(Past past, List<Entry> entries) {
        return past.add(Past.at(2, Kind.POLL, Outcome.OK, 60, 60.5).inGroup("g").with(entries))
                .add(Past.at(2, Kind.DRAIN, Outcome.OK, 61, 61.5)
                        .inGroup("g")
                        .at(List.of(Mark.at(Past.KEY, 0), Mark.at(NEW_PARTITION, 0))));
    }

    @Test
    void groupNeedNotBeGivenWhatWasPutBeforeItsFirstFetch() {
        Past past = begun().groupPoll(2, 1, "b")
                .group(2, Kind.COMMIT, Outcome.OK, 2)
                .group(8, Kind.COMMITTED, Outcome.OK, 2)
                .group(2, Kind.DRAIN, Outcome.OK, 0);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void groupMayBeGivenItNevertheless() {
        Past past = begun().groupPoll(2, 0, "a", "b").group(2, Kind.DRAIN, Outcome.OK, 0);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void whatWasPutAfterItsFirstFetchReachesIt() {
        assertThat(begun().group(2, Kind.DRAIN, Outcome.OK, 0).failed()).containsExactly("begin at latest");
    }

    @Test
    void fetchWithoutAnAnswerIsNotTheFirst() {
        Past past = new Past()
                .latest()
                .add(Past.at(2, Kind.POLL, Outcome.INFO, 1, 1.5).inGroup("g"))
                .sent(1, 0, "a")
                .add(Past.at(2, Kind.POLL, Outcome.OK, 4, 4.5).inGroup("g"))
                .poll(9, 0, "a")
                .group(2, Kind.DRAIN, Outcome.OK, 0);

        assertThat(past.failed()).isEmpty();
    }

    @Test
    void groupIsGivenANewPartitionFromItsStart() {
        Past past = given(grown(), List.of(inNew(0, "c").get(0), inNew(1, "d").get(0)));

        assertThat(past.failed()).isEmpty();
        assertThat(Verdict.of(past.operations()).lines())
                .contains("partitions added to topics in use: 1; groups at latest: 1");
    }

    @Test
    void groupThatBeginsANewPartitionAtItsEndIsFound() {
        assertThat(given(grown(), List.of()).failed()).containsExactly("begin at latest");
        assertThat(given(grown(), inNew(1, "d")).failed()).containsExactly("begin at latest", "group skip");
    }

    @Test
    void placeOfTheGroupIsAtTheEndsAtFirstAndNotBehindThem() {
        Past past = new Past().sent(1, 0, "a", "b").latest().groupPoll(2, 2).poll(9, 0, "a", "b");

        assertThat(past.group(8, Kind.COMMITTED, Outcome.OK, 2).failed()).isEmpty();
        assertThat(past.group(8, Kind.COMMITTED, Outcome.OK, 3).failed()).containsExactly("commit beyond");
    }

    @Test
    void groupThatIsNotAtLatestIsGivenEverything() {
        Past past = new Past().sent(1, 0, "a").groupPoll(2, 1).poll(9, 0, "a").group(2, Kind.DRAIN, Outcome.OK, 0);

        assertThat(past.failed()).containsExactly("consume count");
    }
}
