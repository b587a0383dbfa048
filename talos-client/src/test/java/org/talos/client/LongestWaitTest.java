// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.client.ScriptedServer.done;

import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.admin.TalosAdmin;

@Timeout(30)
class LongestWaitTest {
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private static ClientConfig config(URI server) {
        return ClientConfig.of(server, "AKTEST", "a-secret")
                .withTimeout(FOREVER)
                .withDeadline(FOREVER);
    }

    @Test
    void timesThatAProgramMayLiveToSeeStayAsTheyAre() {
        Duration years = Duration.ofDays(3_650);

        assertThat(LongestWait.orShorter(years)).isEqualTo(years);
        assertThat(LongestWait.orShorter(Duration.ZERO)).isZero();
    }

    /** A put over a stream is waited for until its deadline and three times its timeout have passed. */
    @Test
    void sumsOfTheLongestTimesAreNanosecondsStill() {
        ClientConfig config = config(URI.create("http://127.0.0.1:1"));

        assertThat(config.deadline().plus(config.timeout().multipliedBy(3)).toNanos())
                .isPositive();
    }

    @Test
    void callsAreMadeBySettingsWithoutAnEnd() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            server.then(done());

            new TalosAdmin(new TalosClient(config(server.uri()))).removeUser("ann");

            assertThat(server.asked()).hasSize(1);
        }
    }
}
