// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which parts of a request its digest covers, and that two different requests have different digests. */
class RequestDigestTest {
    private static SignedHeader header(String name, String value) {
        return new SignedHeader(name, value);
    }

    @Test
    void digestIsTheDocumentedOne() {
        // printf 'v1\npreview=true\ntalos-key:order-17\n' | sha256sum
        assertThat(RequestDigest.of("preview=true", List.of(header("Talos-Key", "order-17"))))
                .isEqualTo("v1:0de57c081268862f7f41918415a568fe6b77b187886cf331cd0df7ebf13ba96b");
        // printf 'v1\n\n' | sha256sum
        assertThat(RequestDigest.of(null, List.of()))
                .isEqualTo("v1:749e7071c753fe7c76f7504d295f7d6661aa16db311c45a1fa1a076681370f7a");
    }

    @Test
    void headersAreCoveredInTheOrderOfTheirNamesAndValuesOfOneInTheirOwn() {
        String digest =
                RequestDigest.of("q", List.of(header("talos-b", "2"), header("Talos-A", "1"), header("TALOS-B", "3")));

        assertThat(RequestDigest.matches(
                        digest, "q", List.of(header("talos-a", "1"), header("talos-b", "2"), header("talos-b", "3"))))
                .isTrue();
        assertThat(RequestDigest.matches(
                        digest, "q", List.of(header("talos-a", "1"), header("talos-b", "3"), header("talos-b", "2"))))
                .isFalse();
    }

    @Test
    void noTwoRequestsHaveTheSameDigest() {
        List<String> digests = List.of(
                RequestDigest.of("", List.of()),
                RequestDigest.of("a=1", List.of()),
                RequestDigest.of("a=1&", List.of()),
                RequestDigest.of("a=1&b=2", List.of()),
                RequestDigest.of("b=2&a=1", List.of()),
                RequestDigest.of("talos-a:1", List.of()),
                RequestDigest.of("", List.of(header("talos-a", "1"))),
                RequestDigest.of("", List.of(header("talos-a", ""))),
                RequestDigest.of("", List.of(header("talos-a", "1"), header("talos-a", "1"))),
                RequestDigest.of("", List.of(header("talos-a", "1,1"))),
                RequestDigest.of("", List.of(header("talos-a", "1:talos-b:2"))),
                RequestDigest.of("", List.of(header("talos-a", "1"), header("talos-b", "2"))));

        Set<String> different = new HashSet<>(digests);
        assertThat(different).hasSameSizeAs(digests);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Talos-Key",
                "talos-header-trace",
                "TALOS-ANYTHING",
                "Attached-Info",
                "content-encoding",
                "Idempotency-Key",
                "LAST-EVENT-ID"
            })
    void headersThatChangeWhatARequestDoesAreCovered(String name) {
        assertThat(RequestDigest.covers(name)).isTrue();
        assertThat(RequestDigest.of("", List.of(header(name, "a"))))
                .isNotEqualTo(RequestDigest.of("", List.of(header(name, "b"))))
                .isNotEqualTo(RequestDigest.of("", List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Accept", "X-Talos-Key", "Talos", "traceparent", "Content-Type", "x-xiaomi-date", ""})
    void otherHeadersAreNotCovered(String name) {
        assertThat(RequestDigest.covers(name)).isFalse();
        assertThat(RequestDigest.of("", List.of(header(name, "a")))).isEqualTo(RequestDigest.of("", List.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\ntalos-b:2", "a\r", "\u0000", "\u007f", "\u00e9", "\u4e2d", "\t"})
    void textThatAnotherRequestCouldHaveHasNoDigest(String value) {
        List<SignedHeader> headers = List.of(header("talos-a", value));

        assertThat(RequestDigest.matches(RequestDigest.of("", List.of()), "", headers))
                .isFalse();
        assertThat(RequestDigest.matches("", value, List.of())).isFalse();
        assertThatThrownBy(() -> RequestDigest.of(value, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("printable");
        assertThatThrownBy(() -> RequestDigest.of("", headers)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RequestDigest.of("", List.of(header("talos-a:b", "c"))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v1:", "v2:00", "\u00e9"})
    void otherTextsAreNoDigest(String value) {
        assertThat(RequestDigest.matches(value, "", List.of())).isFalse();
    }
}
