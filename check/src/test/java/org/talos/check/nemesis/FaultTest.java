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
                "kind of " + name,
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
        assertThat(both.kinds()).containsExactly("kind of kill", "kind of cut");
    }

    @Test
    void oneThatCanNotEndWhileAnotherLastsIsOnlyEverWithinIt() {
        Fault around = fault("stop", 1, Company.AROUND);
        Fault any = fault("cut", 1, Company.ANY);

        assertThat(any.mayEnclose(around)).isTrue();
        assertThat(fault("kill", 1, Company.WITHIN).mayEnclose(around)).isTrue();
        assertThat(around.mayEnclose(any)).isFalse();
        assertThat(fault("restart", 1, Company.NONE).mayEnclose(any)).isFalse();
    }

    @Test
    void twoFaultsOfOneTargetAreNotCombined() {
        Fault one = fault("kill", 1, Company.ANY).upon("datanode-1");
        Fault other = fault("fill", 1, Company.ANY).upon("datanode-1");

        assertThat(one.mayEnclose(other)).isFalse();
        assertThat(one.mayEnclose(fault("fill", 1, Company.ANY).upon("datanode-2")))
                .isTrue();
    }
}
