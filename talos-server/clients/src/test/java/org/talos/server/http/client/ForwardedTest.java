// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.config.address.IpAddress;

/** Whom trusted proxies name, and what others make up. */
@Timeout(20)
class ForwardedTest {
    private static final AddressRanges PROXIES = AddressRanges.parse("http.trustedProxies", "10.0.0.0/8, fd00::7");
    private static final InetAddress NEAREST = IpAddress.parse("10.0.0.1").orElseThrow();

    private static Optional<Forwarded> read(List<String> addresses, List<String> schemes) {
        return Forwarded.read(NEAREST, addresses, schemes, PROXIES);
    }

    private static String client(String... lines) {
        return read(List.of(lines), List.of()).orElseThrow().client().getHostAddress();
    }

    @Test
    void whoeverSaysNothingIsItself() {
        assertThat(read(List.of(), List.of())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "203.0.113.7                         | 203.0.113.7",
                "203.0.113.7, 10.0.0.2               | 203.0.113.7",
                "203.0.113.7,10.0.0.3 ,\t10.0.0.2     | 203.0.113.7",
                "6.6.6.6, 203.0.113.7, 10.0.0.2      | 203.0.113.7",
                "127.0.0.1, 203.0.113.7              | 203.0.113.7",
                "10.0.0.9, 203.0.113.7, 10.0.0.2     | 203.0.113.7",
                "203.0.113.7:49152                   | 203.0.113.7",
                "2001:db8::1                         | 2001:db8:0:0:0:0:0:1",
                "[2001:db8::1]                       | 2001:db8:0:0:0:0:0:1",
                "[2001:db8::1]:49152, fd00::7        | 2001:db8:0:0:0:0:0:1",
                "::ffff:203.0.113.7                  | 203.0.113.7",
                "10.0.0.9, 10.0.0.8                  | 10.0.0.9"
            })
    void clientIsTheNearestAddressThatIsNotTrusted(String line, String client) {
        assertThat(client(line)).isEqualTo(client);
    }

    @Test
    void linesAreOneList() {
        assertThat(client("6.6.6.6", "203.0.113.7", "10.0.0.2, 10.0.0.3")).isEqualTo("203.0.113.7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "203.0.113.7,",
                "unknown",
                "_hidden",
                "localhost",
                "\"127.0.0.1",
                "\"127.0.0.1\"",
                "127.0.0.1\"",
                "[127.0.0.1]",
                "[::1",
                "::1]",
                "[::1]x",
                "[::1]:",
                "127.0.0.1:",
                "127.0.0.1:x",
                "127.0.0.1:123456",
                "127.1",
                "0177.0.0.1",
                "2130706433",
                "for=127.0.0.1",
                "127.0.0.1 203.0.113.7",
                "::1%lo"
            })
    void whatIsNoAddressIsNobodyAndNothingBeforeItIsBelieved(String last) {
        assertThat(client("127.0.0.1, " + last)).isEqualTo("10.0.0.1");
        assertThat(client("203.0.113.7, " + last + ", 10.0.0.2")).isEqualTo("10.0.0.2");
    }

    @Test
    void noMoreProxiesAreFollowedThanTheBound() {
        String[] proxies = new String[Forwarded.MOST_HOPS];
        Arrays.fill(proxies, "10.0.0.2");

        assertThat(client("203.0.113.7, " + String.join(",", Arrays.copyOf(proxies, proxies.length - 1))))
                .isEqualTo("203.0.113.7");
        assertThat(client("203.0.113.7, " + String.join(",", proxies))).isEqualTo("10.0.0.2");
    }

    /** A quadratic reader takes minutes for it. */
    @Test
    void longestHeadersTakeTimeInProportionToTheirLength() {
        List<String> hostile = List.of(
                ",".repeat(1 << 20),
                "\"".repeat(1 << 20),
                "[".repeat(1 << 20),
                ":".repeat(1 << 20),
                " ".repeat(1 << 20),
                "1.".repeat(1 << 19),
                "10.0.0.2,".repeat(1 << 17) + "x");
        for (String each : hostile) {
            assertThat(read(List.of(each), List.of(each))).isPresent();
        }
        assertThat(read(Collections.nCopies(1 << 17, "10.0.0.2"), Collections.nCopies(1 << 17, "https")))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https        | true",
                "HTTPS        | true",
                "wss          | true",
                "https, https | true",
                "http         | false",
                "https, http  | false",
                "http, https  | false",
                "https,       | false",
                "''           | false",
                "httpss       | false"
            })
    void tlsIsWhatEveryHopSpeaks(String scheme, boolean isOverTls) {
        assertThat(read(List.of(), List.of(scheme)).orElseThrow().isOverTls()).contains(isOverTls);
        assertThat(read(List.of("203.0.113.7"), List.of("https", scheme))
                        .orElseThrow()
                        .isOverTls())
                .contains(isOverTls);
        assertThat(read(List.of("203.0.113.7"), List.of()).orElseThrow().isOverTls())
                .isEmpty();
    }
}
