// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AssignmentTest {
    private static final int MANY = 50;
    private static final String NOBODY = "";
    private static final int ALL = Integer.MAX_VALUE;

    private final Map<String, Double> weighed = new HashMap<>();
    private final Assignment.Weights weights =
            (topicId, partition) -> weighed.getOrDefault(topicId + "/" + partition, 1.0);
    private int partitions;
    private double heaviest = 1;

    @RepeatedTest(MANY)
    void everyPartitionHasAnOwnerAndNobodyHasTooMuch(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<String> servers = servers(1 + random.nextInt(12));

        Map<String, List<String>> owners = placed(servers, weighedTopics(random));

        assertThat(owners.values()).allSatisfy(topic -> assertThat(servers).containsAll(topic));
        assertBounded(owners, servers);
    }

    @RepeatedTest(MANY)
    void whenOneGoesOnlyItsOwnMove(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<String> servers = servers(2 + random.nextInt(12));
        Map<String, List<String>> before = placed(servers, weighedTopics(random));
        List<String> left = new ArrayList<>(servers);
        String gone = left.remove(random.nextInt(left.size()));

        Map<String, List<String>> after = placed(left, before);

        assertThat(moves(before, after)).isEqualTo(count(before, gone));
        assertThat(count(after, gone)).isZero();
        assertBounded(after, left);
    }

    @RepeatedTest(MANY)
    void whoComesGetsHisShareAndNothingMovesBetweenOthers(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<String> servers = servers(1 + random.nextInt(10));
        Map<String, List<String>> before = placed(servers, topics(random));
        servers.add("new");

        Map<String, List<String>> after = levelled(servers, before);

        // What the others had more than the mean may move as well, but one partition each at most.
        assertThat(moves(before, after)).isLessThanOrEqualTo(count(after, "new") + servers.size());
        assertThat(count(after, "new")).isLessThanOrEqualTo(partitions / servers.size() + 1);
        assertBounded(after, servers);
    }

    @RepeatedTest(MANY)
    void levellingWhatIsLevelMovesNothing(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<String> servers = servers(1 + random.nextInt(10));
        Map<String, List<String>> once = levelled(servers, placed(servers, weighedTopics(random)));

        Assignment again = assignment(servers, once);

        assertThat(again.level(Assignment.Room.ENDLESS)).isEmpty();
        assertThat(again.changes()).isEmpty();
    }

    @RepeatedTest(MANY)
    void orderOfWhatIsGivenDoesNotMatter(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        List<String> servers = servers(1 + random.nextInt(12));
        Map<String, List<String>> topics = weighedTopics(random);
        List<String> shuffled = new ArrayList<>(servers);
        Collections.shuffle(shuffled, random);

        assertThat(placed(shuffled, new HashMap<>(topics))).isEqualTo(placed(servers, topics));
    }

    @Test
    void busyPartitionsAreSpread() {
        weighed.put("t/0", 10.0);
        weighed.put("t/1", 10.0);
        Map<String, List<String>> together = Map.of("t", List.of("a", "a", "b", "b", "b", "b"));

        Map<String, List<String>> spread = levelled(List.of("a", "b"), together);

        assertThat(spread.get("t")).startsWith("b", "a");
    }

    @Test
    void movesAreAsManyAsThereIsRoomFor() {
        Assignment plan = assignment(List.of("a", "b", "c"), Map.of("t", Collections.nCopies(120, "a")));

        assertThat(plan.level(room(5, 3))).hasSize(5);
        plan.servers(List.of("b", "c"));
        assertThat(plan.leave(Set.of("a"), room(100, 7))).hasSize(14);
        assertThat(plan.load("a")).isEqualTo(120 - 5 - 14);
    }

    /** The number of moves from one server, and to one. */
    private static Assignment.Room room(int giving, int taking) {
        Map<String, Integer> given = new HashMap<>();
        Map<String, Integer> taken = new HashMap<>();
        return new Assignment.Room() {
            @Override
            public boolean isFree(String giver, String taker) {
                return given.getOrDefault(giver, 0) < giving && taken.getOrDefault(taker, 0) < taking;
            }

            @Override
            public boolean take(Move move) {
                given.merge(move.from(), 1, Integer::sum);
                taken.merge(move.to(), 1, Integer::sum);
                return true;
            }
        };
    }

    @Test
    void whatADrainedServerHasIsSpreadOverAllOthersInEachWave() {
        List<String> servers = servers(11);
        Map<String, List<String>> topics = new TreeMap<>();
        for (int topic = 0; topic < 110; topic++) {
            topics.put("topic" + topic, Collections.nCopies(100, NOBODY));
        }
        Assignment plan = assignment(servers, topics);
        plan.place(servers::contains, ALL);
        plan.changes().keySet().forEach(plan::markStored);
        String drained = servers.get(0);
        List<String> others = servers.subList(1, 11);
        plan.servers(others);
        Map<String, Integer> before = new HashMap<>();
        others.forEach(server -> before.put(server, plan.count(server)));

        List<Move> wave = plan.leave(Set.of(drained), room(40, 5));
        while (plan.count(drained) > 0) {
            plan.leave(Set.of(drained), Assignment.Room.ENDLESS);
        }

        assertThat(wave).hasSize(40);
        assertThat(wave.stream().map(Move::to).distinct()).hasSizeGreaterThanOrEqualTo(8);
        assertThat(others)
                .allSatisfy(server -> assertThat(plan.count(server) - before.getOrDefault(server, 0))
                        .as("taken by %s", server)
                        .isBetween(1, 300));
    }

    @Test
    void soManyTopicsArePlacedAsAreAskedForAndTheEndIsTheSame() {
        List<String> servers = servers(5);
        Map<String, List<String>> topics = new TreeMap<>();
        for (int topic = 0; topic < 30; topic++) {
            topics.put("topic" + topic, Collections.nCopies(10, NOBODY));
        }
        Assignment plan = assignment(servers, topics);

        assertThat(plan.place(servers::contains, 12)).isFalse();
        assertThat(plan.changes()).hasSize(12);
        assertThat(plan.place(servers::contains, 12)).isFalse();
        assertThat(plan.place(servers::contains, 12)).isTrue();

        assertThat(plan.changes()).hasSize(30);
        assertThat(servers).allSatisfy(server -> assertThat(plan.count(server)).isBetween(40, 64));
        assertThat(plan.place(servers::contains, 12)).isTrue();
    }

    @Test
    void planThatIsNotStoredIsForgotten() {
        Assignment plan = assignment(List.of("a", "b"), Map.of("t", List.of("a", "b")));
        plan.grow("t", 4);
        plan.grow("new", 2);
        plan.place(List.of("a", "b")::contains, ALL);
        assertThat(plan.changes()).containsOnlyKeys("new", "t");

        plan.revert();

        assertThat(plan.changes()).isEmpty();
        assertThat(plan.partitions("t")).isEqualTo(2);
        assertThat(plan.partitions("new")).isZero();
        assertThat(plan.count("a") + plan.count("b")).isEqualTo(2);
    }

    @Test
    void whatIsUndoneIsNoChange() {
        Assignment plan = assignment(List.of("a", "b"), Map.of("t", Collections.nCopies(10, "a")));

        List<Move> moves = plan.level(Assignment.Room.ENDLESS);
        assertThat(moves).hasSize(5);
        plan.undo(moves);

        assertThat(plan.changes()).isEmpty();
        assertThat(plan.load("a")).isEqualTo(10);
        assertThat(plan.move(moves.get(0))).isTrue();
        assertThat(plan.move(moves.get(0))).as("its owner is another one now").isFalse();
        assertThat(plan.changes("t")).containsExactly(moves.get(0));
    }

    private Map<String, List<String>> topics(Random random) {
        Map<String, List<String>> topics = new TreeMap<>();
        for (int topic = 0; topic < 1 + random.nextInt(20); topic++) {
            int size = 1 + random.nextInt(60);
            topics.put("topic" + topic, Collections.nCopies(size, NOBODY));
            partitions += size;
        }
        return topics;
    }

    private Map<String, List<String>> weighedTopics(Random random) {
        Map<String, List<String>> topics = topics(random);
        topics.forEach((topic, owners) -> {
            for (int partition = 0; partition < owners.size(); partition++) {
                double weight = 1 + random.nextInt(4);
                weighed.put(topic + "/" + partition, weight);
                heaviest = Math.max(heaviest, weight);
            }
        });
        return topics;
    }

    private static List<String> servers(int number) {
        List<String> servers = new ArrayList<>();
        for (int server = 0; server < number; server++) {
            servers.add("10.0.0." + server + ":8080");
        }
        return servers;
    }

    private Assignment assignment(List<String> servers, Map<String, List<String>> topics) {
        Assignment plan = new Assignment();
        plan.weigh(weights);
        topics.forEach(plan::set);
        plan.servers(servers);
        return plan;
    }

    private Map<String, List<String>> placed(List<String> servers, Map<String, List<String>> topics) {
        Assignment plan = assignment(servers, topics);
        plan.place(servers::contains, ALL);
        return with(topics, plan);
    }

    private Map<String, List<String>> levelled(List<String> servers, Map<String, List<String>> topics) {
        Assignment plan = assignment(servers, topics);
        plan.level(Assignment.Room.ENDLESS);
        return with(topics, plan);
    }

    private static Map<String, List<String>> with(Map<String, List<String>> topics, Assignment plan) {
        Map<String, List<String>> after = new TreeMap<>(topics);
        after.putAll(plan.changes());
        return after;
    }

    /** The promise: five per cent above the mean, or one partition above it. */
    private void assertBounded(Map<String, List<String>> owners, List<String> servers) {
        Map<String, Double> loads = new TreeMap<>();
        owners.forEach((topic, each) -> {
            for (int partition = 0; partition < each.size(); partition++) {
                loads.merge(each.get(partition), weights.of(topic, partition), Double::sum);
            }
        });
        double mean = loads.values().stream().mapToDouble(Double::doubleValue).sum() / servers.size();
        double most = Math.max(mean * Assignment.BOUND, mean + heaviest);
        assertThat(loads.values()).allSatisfy(load -> assertThat(load).isLessThanOrEqualTo(most + 1e-6));
    }

    private static long count(Map<String, List<String>> owners, String server) {
        return owners.values().stream()
                .flatMap(List::stream)
                .filter(server::equals)
                .count();
    }

    private static long moves(Map<String, List<String>> before, Map<String, List<String>> after) {
        long moves = 0;
        for (Map.Entry<String, List<String>> topic : before.entrySet()) {
            List<String> now = after.getOrDefault(topic.getKey(), List.of());
            for (int partition = 0; partition < now.size(); partition++) {
                moves += now.get(partition).equals(topic.getValue().get(partition)) ? 0 : 1;
            }
        }
        return moves;
    }
}
