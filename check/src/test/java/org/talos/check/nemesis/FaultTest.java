// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.check.nemesis.Fault.Company;

@Timeout(30)
class FaultTest {
    private final List<String> done = new ArrayList<>();

    private Fault fault(String name, int seconds, Company company) {
        return new Fault(
                name,
                Duration.ofSeconds(seconds),
                company,
                () -> done.add(name + " begins"),
                () -> done.add(name + " ends"));
    }

    @Test
    void ofTwoFaultsTheSecondBeginsLaterAndEndsEarlier() throws Exception {
        Fault both = fault("kill", 3, Company.WITHIN).around(fault("cut", 7, Company.ANY));

        both.begin().run();
        both.end().run();

        assertThat(done).containsExactly("kill begins", "cut begins", "cut ends", "kill ends");
        assertThat(both.name()).isEqualTo("kill, and cut");
        assertThat(both.hold()).isEqualTo(Duration.ofSeconds(7));
    }
}
