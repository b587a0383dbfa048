// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class PopulationTest {
    private static final Population POPULATION = new Population(3, 4, 6);

    /** The members of a group, each with its share. */
    private static Map<String, List<Integer>> whole(int group) {
        Map<String, List<Integer>> members = new HashMap<>();
        for (int place = 0; place < POPULATION.members(); place++) {
            Member member = POPULATION.member(group, place);
            members.put(member.name(), member.partitions());
        }
        return members;
    }

    @Test
    void membersOfAGroupHoldAllPartitionsOnceInSharesThatDifferByOneAtMost() {
        List<List<Integer>> shares = IntStream.range(0, 4)
                .mapToObj(place -> POPULATION.member(1, place).partitions())
                .toList();

        assertThat(shares).containsExactly(List.of(0, 4), List.of(1, 5), List.of(2), List.of(3));
    }

    @Test
    void lastMembersHoldNothingWhereThereAreFewerPartitions() {
        Population many = new Population(1, 100, 8);

        assertThat(many.member(0, 7).partitions()).containsExactly(7);
        assertThat(many.member(0, 8).partitions()).isEmpty();
        assertThat(many.member(0, 99).partitions()).isEmpty();
    }

    @Test
    void everyMemberCallsOneServerAndEveryGroupCallsAllServers() {
        List<List<Member>> servers = IntStream.range(0, 2)
                .mapToObj(server -> POPULATION.at(server, 2))
                .toList();

        assertThat(servers)
                .allSatisfy(here -> assertThat(here.stream().map(Member::group)).containsExactly(0, 1, 2, 0, 1, 2));
        assertThat(servers.stream().flatMap(List::stream).map(Member::name).distinct())
                .hasSize(POPULATION.size());
    }

    @Test
    void membersAreDealtToConnectionsInTurn() {
        List<Member> all = POPULATION.at(0, 1);

        List<List<Member>> dealt = Population.dealt(all, 5);

        assertThat(dealt).extracting(List::size).containsExactly(3, 3, 2, 2, 2);
        List<Member> again = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (List<Member> connection : dealt) {
                again.addAll(
                        connection.subList(Math.min(round, connection.size()), Math.min(round + 1, connection.size())));
            }
        }
        assertThat(again).isEqualTo(all);
    }

    @Test
    void groupWithAllItsMembersAndLocksIsWhole() {
        Map<String, List<Integer>> found = whole(2);
        found.replaceAll((name, held) -> held.equals(List.of(0, 4)) ? List.of(4, 0) : held);

        assertThat(POPULATION.wrong(2, found)).isZero();
    }

    @Test
    void missingMembersLostLocksAndStrangersAreWrong() {
        Map<String, List<Integer>> missing = whole(0);
        missing.remove(POPULATION.member(0, 3).name());
        Map<String, List<Integer>> lost = whole(0);
        lost.put(POPULATION.member(0, 0).name(), List.of(0));
        lost.put(POPULATION.member(0, 2).name(), List.of(2, 4));
        Map<String, List<Integer>> stranger = whole(0);
        stranger.put("stranger", List.of());

        assertThat(Stream.of(missing, lost, stranger, Map.<String, List<Integer>>of(), whole(1))
                        .map(found -> POPULATION.wrong(0, found)))
                .containsExactly(1, 2, 1, 4, 4);
    }
}
