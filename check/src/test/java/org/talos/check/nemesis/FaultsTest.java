// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.workload.PassingTopic;

/** Tests how faults are drawn, without anything that they could harm. */
@Timeout(30)
class FaultsTest {
    private static final int PARTITIONS = 12;
    private static final int MANY = 400;
    private static final Shape CLUSTER = new Shape(3, 3, false);
    private static final Shape LOCAL = new Shape(1, 1, true);

    private record Topic(String name, int partitions) implements PassingTopic {
        @Override
        public void delete() {
            throw new IllegalStateException("nothing begins here");
        }
    }

    private static Faults faults(Shape shape, boolean brief, long seed, String... only) {
        return new Faults(
                SystemUnderTest.planned(shape), PARTITIONS, List.of(new Topic("again", 6)), brief, List.of(only), seed);
    }

    private static Set<String> kinds(Shape shape, boolean brief) {
        Faults faults = faults(shape, brief, 1);
        Set<String> kinds = new HashSet<>();
        for (int i = 0; i < MANY; i++) {
            kinds.addAll(faults.next().kinds());
        }
        return kinds;
    }

    @Test
    void theSeedDecidesThePlan() {
        List<String> plan = faults(CLUSTER, false, 7).plan(MANY);

        assertThat(faults(CLUSTER, false, 7).plan(MANY)).isEqualTo(plan);
        assertThat(faults(CLUSTER, false, 8).plan(MANY)).isNotEqualTo(plan);
    }

    @Test
    void severalServersHaveEveryKindOfFault() {
        assertThat(kinds(CLUSTER, false))
                .contains("journal writes fail", "journal writes slow")
                .contains("servers without all DataNodes", "DataNodes answer late")
                .contains("NameNode is paused", "NameNode is paused for long", "NameNode answers late")
                .contains("topic deleted", "topic deleted while a server is killed")
                .contains("topic deleted while its partition moves")
                .contains("partition moves", "partitions rebalanced", "server drained")
                .contains("kill -9 a ZooKeeper server", "kill -9 the ZooKeeper server that leads")
                .contains("ZooKeeper server is paused", "ZooKeeper server that leads is paused")
                .contains("kill -9 ZooKeeper", "kill -9 a server", "wrong clock")
                .contains("machine suspended", "machine suspended for long");
    }

    @Test
    void serverWithLocalStorageHasOnlyFaultsOfItsOwn() {
        assertThat(kinds(LOCAL, false))
                .containsExactlyInAnyOrder(
                        "kill -9 a server",
                        "kill -9 all servers",
                        "rolling restart",
                        "server is paused",
                        "server is paused for long",
                        "machine suspended",
                        "machine suspended for long",
                        "wrong clock",
                        "journal writes fail",
                        "journal writes slow",
                        "topic deleted",
                        "topic deleted while a server is killed");
    }

    @Test
    void oneServerOfZooKeeperIsNotTakenFromItself() {
        assertThat(kinds(new Shape(3, 1, false), false))
                .contains("kill -9 ZooKeeper")
                .doesNotContain("kill -9 a ZooKeeper server", "ZooKeeper server is paused");
    }

    @Test
    void shortRunHasNothingThatTakesLong() {
        assertThat(kinds(CLUSTER, true))
                .contains("journal writes fail", "topic deleted while its partition moves", "NameNode is paused")
                .doesNotContain("kill -9 ZooKeeper", "NameNode is paused for long", "server is paused for long")
                .contains("machine suspended")
                .doesNotContain("machine suspended for long");
    }

    @Test
    void eachKindComesOnceBeforeAnyComesAgain() {
        int all = kinds(CLUSTER, false).size();
        Faults faults = faults(CLUSTER, false, 3);
        List<String> drawn = new ArrayList<>();
        while (drawn.size() < all) {
            drawn.addAll(faults.next().kinds());
        }

        assertThat(drawn.subList(0, all - 1)).doesNotHaveDuplicates();
    }

    @Test
    void onlyFaultsThatAreWantedAreDrawn() {
        assertThat(faults(CLUSTER, false, 5, "journal writes").plan(MANY))
                .allMatch(name -> name.contains("journal writes"));
        assertThatThrownBy(() -> faults(LOCAL, false, 5, "NameNode").plan(1)).hasMessageContaining("no fault");
    }

    @Test
    void noTwoFaultsAtATimeTakeTwoServersOfZooKeeperOrStopOneServer() {
        for (Shape shape : List.of(CLUSTER, LOCAL)) {
            Faults faults = faults(shape, false, 11);

            for (int i = 0; i < MANY; i++) {
                assertThat(faults.next().targets()).doesNotHaveDuplicates();
            }
        }
    }
}
