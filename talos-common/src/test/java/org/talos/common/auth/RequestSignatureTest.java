// SPDX-License-Identifier: Apache-2.0
package org.talos.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the signed parts of a request, besides the vectors. */
class RequestSignatureTest {
    private static String ofQuery(@Nullable String query) {
        return RequestSignature.stringToSign("GET", "/p", query, List.of());
    }

    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "id=1&type=acl, ''",
        "acl, ?acl",
        "acl=, ?acl",
        "&=&acl&, ?acl",
        "uploads=a=b&id=1&acl=2, ?acl=2&uploads=a=b",
        "acl=1&acl=2, ?acl=2",
        "Acl=1&aclx=1&xacl=1, ''"
    })
    void fewParametersOfTheQueryAreSignedInTheOrderOfTheirNames(String query, String signed) {
        assertThat(ofQuery(query)).isEqualTo("GET\n\n\n\n/p" + signed);
    }

    @Test
    void expiryOfTheQueryTakesThePlaceOfTheDate() {
        List<SignedHeader> date = List.of(new SignedHeader("Date", "d"));

        assertThat(RequestSignature.stringToSign("GET", "/p", "Expires=12", date))
                .isEqualTo("GET\n\n\n12\n/p");
        assertThat(RequestSignature.stringToSign("GET", "/p", null, date)).isEqualTo("GET\n\n\nd\n/p");
    }

    @Test
    void headersAreSignedInTheOrderOfTheirNamesAndValuesOfOneInTheirOwn() {
        List<SignedHeader> headers = List.of(
                new SignedHeader("X-Xiaomi-B", "2"),
                new SignedHeader("Content-Type", "t"),
                new SignedHeader("x-xiaomi-a", "3"),
                new SignedHeader("Accept", "*"),
                new SignedHeader("x-xiaomi-b", "1"),
                new SignedHeader("content-type", "u"),
                new SignedHeader("date", "d"));
        String expected = "PUT\n\nt,u\nd\nx-xiaomi-a:3\nx-xiaomi-b:2,1\n/p";

        assertThat(RequestSignature.stringToSign("PUT", "/p", null, headers)).isEqualTo(expected);
        assertThat(RequestSignature.stringToSign(
                        "PUT",
                        "/p",
                        null,
                        Map.of(
                                "x-Xiaomi-b", List.of("2", "1"),
                                "content-type", List.of("t", "u"),
                                "X-XIAOMI-A", List.of("3"),
                                "Date", List.of("d"))))
                .isEqualTo(expected);
    }

    @Test
    void dateOfOurOwnLeavesTheStandardOneOut() {
        assertThat(RequestSignature.stringToSign(
                        "GET",
                        "/p",
                        null,
                        List.of(new SignedHeader("date", "d"), new SignedHeader("x-xiaomi-date", "e"))))
                .isEqualTo("GET\n\n\n\nx-xiaomi-date:e\n/p");
    }

    @Test
    void oneThreadSignsUnderManySecretsAndHashesManyBodies() {
        byte[] first = RequestSignature.hmac("one", "text");
        byte[] other = RequestSignature.hmac("a longer secret than a block of the hash has, which is 64 bytes", "text");

        assertThat(RequestSignature.hmac("one", "text")).isEqualTo(first).isNotEqualTo(other);

        ByteBuffer body = ByteBuffer.wrap("body".getBytes(StandardCharsets.UTF_8));
        byte[] md5 = RequestSignature.md5(body);
        assertThat(RequestSignature.md5(new byte[0])).isNotEqualTo(md5);
        assertThat(RequestSignature.md5(body)).isEqualTo(md5);
        assertThat(body.remaining()).isEqualTo(4);
    }
}
