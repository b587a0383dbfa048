// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.server.sdk.MixedGroup.PUBLIC_LOOK;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.consumer.PollingConsumer;
import org.talos.client.consumer.TalosConsumer;
import org.talos.server.sdk.GroupReadings.Rest;
import org.talos.server.sdk.PublicSdkCalls.Sdk;

/**
 * Measures how long partitions rest when a member of a mixed group ends: from its last message of each to the next
 * member's first, while a producer continues. A member of this SDK takes them within a second. A member of a public SDK
 * takes its share at its next poll of the group, which nothing can hasten: {@link MixedGroup#PUBLIC_LOOK}, outside of
 * tests 10 s.
 */
@Timeout(90)
class MixedGroupIT {
    private static final Logger LOG = LoggerFactory.getLogger(MixedGroupIT.class);
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration LONG_LIFE = Duration.ofSeconds(30); // nothing expires
    private static final Duration LIFE = Duration.ofSeconds(4);
    private static final long ANY_TIME = Long.MIN_VALUE;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir
    private Path data;

    private MixedGroup group;

    @AfterEach
    void close() {
        if (group != null) {
            group.close();
        }
    }

    @Test
    void partitionsOfOurMemberThatIsClosedAreTakenOver() throws Exception {
        group = new MixedGroup(data, LONG_LIFE);
        TalosConsumer leaves = group.join();
        PollingConsumer stays = group.joinPolling();
        PublicSdkMember java = group.join(Sdk.JAVA);
        PublicSdkMember go = group.join(Sdk.GO);
        group.awaitMembers(4);

        Set<Integer> left = partitionsOf(leaves.member());

        long since = group.readings().now();
        leaves.close();

        List<Rest> rests = restsOf(leaves.member(), left, ANY_TIME);
        assertThat(rests).extracting(Rest::next).containsOnlyOnce(stays.member(), java.id(), go.id());
        assertRests(rests, Set.of(stays.member()), since);
        group.assertNothingSkipped(Set.of());
    }

    @Test
    void partitionsOfAMemberOfTheJavaSdkThatIsClosedAreTakenOver() throws Exception {
        group = new MixedGroup(data, LONG_LIFE);
        PublicSdkMember leaves = group.join(Sdk.JAVA);
        TalosConsumer stays = group.join();
        PollingConsumer polls = group.joinPolling();
        PublicSdkMember go = group.join(Sdk.GO);
        group.awaitMembers(4);

        Set<Integer> left = partitionsOf(leaves.id());

        long since = group.readings().now();
        leaves.close();

        List<Rest> rests = restsOf(leaves.id(), left, ANY_TIME);
        assertThat(rests).extracting(Rest::next).containsOnlyOnce(stays.member(), polls.member(), go.id());
        assertRests(rests, Set.of(stays.member(), polls.member()), since);
        group.assertNothingSkipped(Set.of());
    }

    /** It releases its partitions one after another: others count it until it has released the last. */
    @Test
    void partitionsOfAMemberOfTheGoSdkThatIsClosedAreTakenOver() throws Exception {
        group = new MixedGroup(data, LONG_LIFE);
        PublicSdkMember leaves = group.join(Sdk.GO);
        TalosConsumer stays = group.join();
        PollingConsumer polls = group.joinPolling();
        PublicSdkMember java = group.join(Sdk.JAVA);
        group.awaitMembers(4);

        Set<Integer> left = partitionsOf(leaves.id());

        long since = group.readings().now();
        leaves.close();

        List<Rest> rests = restsOf(leaves.id(), left, group.readings().now());
        assertThat(rests).extracting(Rest::next).containsOnlyOnce(stays.member(), polls.member(), java.id());
        assertRests(rests, Set.of(stays.member(), polls.member()), since);
        group.assertNothingSkipped(Set.of());
    }

    /** On a machine that is suspended for long, those that live may lose locks too, and read messages again. */
    @Test
    void partitionsOfMembersThatAreKilledRestAsLongAsTheirLocksLive() throws Exception {
        group = new MixedGroup(data, LIFE);
        CutProxy proxy = group.proxy();
        TalosConsumer ours = group.join(proxy);
        PublicSdkMember java = group.join(Sdk.JAVA);
        PollingConsumer stays = group.joinPolling();
        PublicSdkMember go = group.join(Sdk.GO);
        group.awaitMembers(4);

        Set<Integer> oursLeft = partitionsOf(ours.member());
        Set<Integer> javaLeft = partitionsOf(java.id());

        long since = group.readings().now();
        proxy.cut();
        java.kill();

        List<Rest> rests = new ArrayList<>(restsOf(ours.member(), oursLeft, ANY_TIME));
        rests.addAll(restsOf(java.id(), javaLeft, ANY_TIME));
        assertThat(rests).extracting(Rest::next).containsOnly(stays.member(), go.id());
        assertThat(rests).extracting(Rest::length).allMatch(each -> each.compareTo(LIFE.dividedBy(2)) > 0);
        Duration written = LIFE.multipliedBy(3).dividedBy(2); // ahead
        Duration most = written.plus(PUBLIC_LOOK).plus(AT_ONCE).plus(group.slowness(since));
        assertThat(rests).extracting(Rest::length).allMatch(each -> each.compareTo(most) < 0, "at most " + most);
        Set<String> killed = Set.of(ours.member(), java.id());
        group.assertNothingSkipped(
                group.isTooSlowForRenewals() ? group.readings().members() : killed);
    }

    /** The rests of partitions that a member has left, once others have read each of them. */
    private List<Rest> restsOf(String left, Set<Integer> partitions, long notBefore) {
        assertThat(partitions).hasSize(3);
        await().atMost(PATIENCE)
                .until(() -> group.readings().rests(left, partitions, notBefore).size() == 3);
        return group.readings().rests(left, partitions, notBefore);
    }

    private Set<Integer> partitionsOf(String member) {
        return group.readings().partitionsOf(member);
    }

    /** Those that are taken by members of this SDK are short, the others as long as a public SDK does not look. */
    private void assertRests(List<Rest> rests, Set<String> ours, long since) {
        Duration slowness = group.slowness(since);
        for (Rest each : rests) {
            Duration most = ours.contains(each.next()) ? AT_ONCE : PUBLIC_LOOK.plus(AT_ONCE);
            assertThat(each.length())
                    .as("%s of %s, slowness %s", each, rests, slowness)
                    .isLessThan(most.plus(slowness));
        }
        LOG.info("partitions rested rests={} slowness={}", rests, slowness);
    }
}
