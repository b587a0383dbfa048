// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.bench.engine.ServerSetup;

@Timeout(10)
class MembersSettingsTest {
    static MembersSettings settings(Population population, Duration look, Map<String, String> more) {
        return new MembersSettings(
                1,
                population,
                new MembersSettings.Intervals(Duration.ofSeconds(7), look),
                Duration.ZERO,
                Duration.ofSeconds(1),
                64,
                new ServerSetup(Path.of("data"), List.of("-Xmx1g"), more));
    }

    @Test
    void goalsMembersRenewAndLookAsOftenAsTheSdkDoes() {
        MembersSettings settings = settings(new Population(1_000, 100, 100), MembersSettings.sdkLook(100), Map.of());

        assertThat(MembersSettings.sdkRenew()).isEqualTo(Duration.ofSeconds(7));
        assertThat(settings.renewsPerSecond()).isCloseTo(14_285.7, within(0.1));
        assertThat(settings.looksPerSecond()).isCloseTo(20_000, within(0.1));
        assertThat(settings.topicChecksPerSecond()).isCloseTo(1_666.7, within(0.1));
        assertThat(settings.callsPerSecond()).isCloseTo(35_952.4, within(0.1));
    }

    @Test
    void membersOfLargeGroupsLookInProportionMoreSeldom() {
        assertThat(MembersSettings.sdkLook(10)).isEqualTo(Duration.ofMillis(500));
        assertThat(MembersSettings.sdkLook(100)).isEqualTo(Duration.ofSeconds(5));
        assertThat(MembersSettings.sdkLook(2_000)).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void membersThatDoNotLookMakeNoSuchCalls() {
        MembersSettings settings = settings(new Population(7, 1, 1), Duration.ZERO, Map.of());

        assertThat(settings.looksPerSecond()).isZero();
        assertThat(settings.renewsPerSecond()).isCloseTo(1, within(1e-9));
        assertThat(settings.described()).containsEntry("look of a member s", "none");
    }

    @Test
    void connectionsGrowWithTheRateUpToTheirBound() {
        MembersSettings settings = settings(new Population(1, 1, 1), Duration.ZERO, Map.of());

        assertThat(settings.connections(0.1)).isEqualTo(1);
        assertThat(settings.connections(51)).isEqualTo(2);
        assertThat(settings.connections(1_000_000)).isEqualTo(64);
    }

    @Test
    void serversAllowMoreThanByDefaultOnlyWhereThatIsNeeded() {
        Map<String, String> given = Map.of("SERVICE_MEMBERTTL", "60s");

        assertThat(settings(new Population(1_000, 1_000, 1), Duration.ZERO, given)
                        .environment())
                .isEqualTo(given);
        assertThat(settings(new Population(1_001, 1_002, 1), Duration.ZERO, Map.of())
                        .environment())
                .isEqualTo(Map.of("SERVICE_MAXGROUPSPERUSER", "1001", "SERVICE_MAXMEMBERSPERGROUP", "1002"));
    }
}
