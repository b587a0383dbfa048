// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangesTest {
    private static InetAddress address(String text) {
        return IpAddress.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.7                | 10.0.0.7          | true",
                "10.0.0.7                | 10.0.0.8          | false",
                "172.17.0.0/16           | 172.17.255.255    | true",
                "172.17.0.0/16           | 172.18.0.0        | false",
                "10.0.0.128/25           | 10.0.0.200        | true",
                "10.0.0.128/25           | 10.0.0.127        | false",
                "10.0.0.0/8, fd00::/9    | fd7f::1           | true",
                "10.0.0.0/8, fd00::/9    | fd80::1           | false",
                "fd00::7                 | fd00::7           | true",
                "fd00::/64               | 10.0.0.7          | false",
                "10.0.0.0/8              | ::ffff:10.1.2.3   | true",
                "::ffff:10.0.0.0/104     | 10.1.2.3          | true",
                "::ffff:10.0.0.0/104     | 11.0.0.0          | false",
                "0.0.0.0/0               | 8.8.8.8           | true",
                "0.0.0.0/0               | ::1               | false",
                "''                      | 10.0.0.7          | false"
            })
    void rangeHasTheAddressesOfItsPrefix(String list, String address, boolean isIn) {
        AddressRanges ranges = AddressRanges.parse("http.trustedProxies", list);

        assertThat(ranges.contains(address(address))).isEqualTo(isIn);
        assertThat(ranges.contains(new InetSocketAddress(address(address), 1))).isEqualTo(isIn);
    }

    @Test
    void connectionWithoutAnAddressIsInNoRange() {
        assertThat(AddressRanges.parse("http.trustedProxies", "0.0.0.0/0")
                        .contains(InetSocketAddress.createUnresolved("localhost", 1)))
                .isFalse();
        assertThat(AddressRanges.NONE.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "10.0.0",
                "10.0.0.256",
                "010.0.0.1",
                "10.0.0.1/33",
                "10.0.0.1/",
                "10.0.0.1/8",
                "::1/129",
                "::1%lo",
                "[::1]",
                "10.0.0.7 10.0.0.8",
                "*",
                "0x7f.0.0.1",
                "1.2.3.4.5",
                "1:2",
                "10.0.0.0/-1",
                "1.2.3.4.",
                "::ffff:10.0.0.0/8",
                "::ffff:0.0.0.0/95"
            })
    void whatIsNoAddressAndNoNetworkIsRefusedByItsSetting(String list) {
        assertThatThrownBy(() -> AddressRanges.parse("http.trustedProxies", "10.0.0.9," + list))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .startsWith("http.trustedProxies: " + list + " (expected: addresses such as");
    }
}
