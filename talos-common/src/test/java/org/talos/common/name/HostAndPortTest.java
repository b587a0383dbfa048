// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostAndPortTest {
    @ParameterizedTest
    @CsvSource({
        "::1, [::1]:8080",
        "[::1], [::1]:8080",
        "fd00::2, [fd00::2]:8080",
        "::, [::]:8080",
        "10.0.0.7, 10.0.0.7:8080",
        "talos-1.example.org, talos-1.example.org:8080"
    })
    void addressOfIpv6IsInBrackets(String host, String address) {
        assertThat(HostAndPort.of(host, 8_080)).isEqualTo(address);
        assertThat(URI.create("http://" + address).getPort()).isEqualTo(8_080);
        assertThat(HostAndPort.of(HostAndPort.bare(host), 8_080)).isEqualTo(address);
        assertThat(HostAndPort.bare(host)).doesNotContain("[", "]");
    }
}
